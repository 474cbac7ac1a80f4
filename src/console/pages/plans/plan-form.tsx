import { type Static, Type } from 'typebox';
import { type Text, t } from '../../../language/text.ts';
import { type getPlan, maxSteps } from '../../../plans/channel-plans.ts';
import { invalidField } from '../../../platform/failure.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { Name, OneOf, Uuid } from '../../../protocol/fields.ts';
import { checkAll } from '../../forms.ts';
import { channelLabels } from '../../message-labels.ts';
import type { FormState } from '../../page.ts';
import { Choices, Field, Select } from '../../parts/field.tsx';
import { NumberField, readNumber, TypedValue } from '../../parts/value-fields.tsx';

type Plan = Awaited<ReturnType<typeof getPlan>>;

/** The template says which channel a step has. */
export interface TemplateChoice {
  id: string;
  name: Text;
  channel: Channel;
  /** Whether the person may see its text. */
  isSeen: boolean;
}

const wait = Type.Optional(TypedValue);
const only = Type.Array(OneOf(['yes']));
const later = Type.Optional(Uuid);

const Form = Type.Object({
  name: Name,
  ...{ template_1: Uuid, wait_1: wait },
  ...{ template_2: Uuid, only_2: only, wait_2: wait },
  ...{ template_3: later, only_3: only, wait_3: wait },
  ...{ template_4: later, only_4: only, wait_4: wait },
  ...{ template_5: later, only_5: only },
  do: Type.Optional(OneOf(['preview'])),
});
export type PlanForm = Static<typeof Form>;

export const planForm = {
  form: Form,
  needs: {
    name: t('Enter a name.'),
    template_1: t('Choose the template of the first step.'),
    template_2: t('Choose the template of the second step.'),
  },
};

/** The steps that were filled in. The last one has no wait, whatever was typed. */
export function readSteps(
  form: Partial<PlanForm>,
  templates: readonly TemplateChoice[],
  longest_h: Record<Channel, number>,
) {
  const requested = [
    { number: 1, template_id: form.template_1, only: [], wait: form.wait_1 },
    { number: 2, template_id: form.template_2, only: form.only_2, wait: form.wait_2 },
    { number: 3, template_id: form.template_3, only: form.only_3, wait: form.wait_3 },
    { number: 4, template_id: form.template_4, only: form.only_4, wait: form.wait_4 },
    { number: 5, template_id: form.template_5, only: form.only_5, wait: undefined },
  ].filter(({ template_id }) => template_id !== undefined);
  const rules = requested.map(({ number, template_id, only = [], wait = '' }, index) => () => {
    const template = templates.find(({ id }) => id === template_id);
    if (!template) throw invalidField(`template_${number}`, t('Choose a template from the list.'));
    const { id, channel } = template;
    const isLast = index === requested.length - 1;
    if (channel === 'letter' && !isLast)
      throw invalidField(`template_${number}`, t('Choose another template, or make the letter the last step.'));
    const wait_h = isLast
      ? null
      : readNumber(wait, { field: `wait_${number}`, min: 1, max: longest_h[channel], plain: true });
    return { channel, template_id: id, wait_h, only_if_missing: only.length > 0 };
  });
  return checkAll(...rules);
}

export interface ChosenStep {
  number: number;
  template_id: string;
  only_if_missing: boolean;
}

/** What was typed, also if the form has mistakes, or else what is saved. */
export function chosenSteps({ typed }: FormState, plan?: Plan): ChosenStep[] {
  if (typed.size === 0) return (plan?.steps ?? []).map((step, index) => ({ ...step, number: index + 1 }));
  return Array.from({ length: maxSteps }, (_, index) => ({
    number: index + 1,
    template_id: String(typed.get(`template_${index + 1}`) ?? ''),
    only_if_missing: [typed.get(`only_${index + 1}`)].flat().includes('yes'),
  }));
}

interface FieldsProps {
  formState: FormState;
  plan?: Plan;
  templates: readonly TemplateChoice[];
}

/** One step more than the plan has, at least three. */
export function PlanFields({ formState, plan, templates }: FieldsProps) {
  const steps = plan?.steps ?? [];
  const shown = Math.min(maxSteps, Math.max(3, steps.length + 1));
  const choices = templates.map(({ id, name, channel }) => ({
    value: id,
    label: t('{channel}: {name}', { channel: channelLabels[channel].name, name }),
  }));
  return (
    <>
      <Field
        formState={formState}
        name="name"
        label={t('Name')}
        hint={t('Requests can use it instead of the id.')}
        value={plan?.name}
      />
      {Array.from({ length: shown }, (_, index) => (
        <StepFields
          key={index}
          formState={formState}
          number={index + 1}
          step={steps[index]}
          choices={[{ value: '', label: index < 2 ? t('Choose a template') : t('No further step') }, ...choices]}
        />
      ))}
      {shown < maxSteps && <p class="small muted">{t('To add another step, save the plan and open it again.')}</p>}
    </>
  );
}

interface StepProps {
  formState: FormState;
  number: number;
  step: Plan['steps'][number] | undefined;
  choices: readonly { value: string; label: string }[];
}

function StepFields({ formState, number, step, choices }: StepProps) {
  return (
    <section class="card stack">
      <h2>{t('Step {number}', { number })}</h2>
      <Select
        formState={formState}
        name={`template_${number}`}
        label={t('Template of step {number}', { number })}
        choices={choices}
        value={step?.template_id ?? ''}
      />
      {number > 1 && (
        <Choices
          formState={formState}
          name={`only_${number}`}
          legend={t('When to use step {number}', { number })}
          kind="several"
          choices={[{ value: 'yes', label: t('Only if no earlier step could be sent') }]}
          chosen={step?.only_if_missing ? ['yes'] : []}
        />
      )}
      {number < maxSteps && (
        <NumberField
          formState={formState}
          name={`wait_${number}`}
          label={t('Hours to wait after step {number}', { number })}
          hint={t('The next step starts if this one is not delivered by then. The last step does not wait.')}
          value={step?.wait_h ?? 24}
        />
      )}
    </section>
  );
}
