import { Type } from 'typebox';
import { asIs, joined, type Text, t } from '../../../language/text.ts';
import {
  archivePlan,
  createPlan,
  getPlan,
  getPlanFigures,
  listPlans,
  longestWaits,
  updatePlan,
} from '../../../plans/channel-plans.ts';
import { notFound } from '../../../platform/failure.ts';
import { listTemplates } from '../../../templates/templates.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl, withQuery } from '../../links.ts';
import { channelLabels } from '../../message-labels.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { ButtonLink, Confirm, SaveForm } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { listPath, openLibrary } from '../templates/library.ts';
import { describePlanCost } from './plan-cost.ts';
import { chosenSteps, PlanFields, type PlanForm, planForm, readSteps } from './plan-form.tsx';
import { PlanOutcomes } from './plan-outcomes.tsx';
import { previewSteps, StepPreviews } from './plan-preview.tsx';

const who = { service: 'templates' } as const;
type Seen = PageRequest<typeof who>;
type Plan = Awaited<ReturnType<typeof getPlan>>;

const path = '/services/:service_id/templates/plans';
const formId = 'plan';

/** Shows the form again, without saving it. */
const filledIn = (form: PlanForm): FormState => ({ typed: new Map(Object.entries(form)), problems: new Map() });

const plansOf = ({ id }: { id: string }) => `${listPath(id)}/plans`;

/** Which channels are tried for a message, in which order. */
export function planPages(pages: Pages, app: ConsoleApp): void {
  const crumbs = ({ service }: Seen) => [
    { label: t('Templates'), to: listPath(service.id) },
    { label: t('Channel plans'), to: plansOf(service) },
  ];

  const getPlanInUse = async ({ service, param }: Seen): Promise<Plan> => {
    const plan = await getPlan(app.db, service.id, param('plan_id'));
    if (plan.archived) throw notFound();
    return plan;
  };

  /** Templates that the person can see, and those that the plan uses already. */
  async function listChoices(request: Seen, plan?: Plan) {
    const library = await openLibrary(app, request);
    const used = new Set(plan?.steps.map(({ template_id }) => template_id));
    return (await listTemplates(app, request.service.id))
      .filter(({ id, folder }) => library.sees(folder) || used.has(id))
      .map(({ id, name, folder, template_type: channel }) => ({
        ...{ id, channel, isSeen: library.sees(folder) },
        name: library.sees(folder) ? asIs(name) : t('Template in a folder that you cannot see'),
      }));
  }

  const stepsOf = async (request: Seen, form: Partial<PlanForm>, plan?: Plan) =>
    readSteps(form, await listChoices(request, plan), await longestWaits(app.db, request.service.id));

  pages.add(path, {
    who,
    below: 'Templates',
    name: t('Channel plans'),
    async show({ service }) {
      const plans = await listPlans(app.db, service.id);
      return {
        title: t('Channel plans'),
        lead: t('A plan tries the next channel when a message is not delivered. Your software names it when it sends.'),
        crumbs: [{ label: t('Templates'), to: listPath(service.id) }],
        actions: (
          <ButtonLink to={`${plansOf(service)}/new`} look="primary">
            {t('New plan')}
          </ButtonLink>
        ),
        content:
          plans.length === 0 ? (
            <Empty title={t('No channel plans yet')}>
              {t('For example: an email, and a text if it is not delivered in 24 hours.')}
            </Empty>
          ) : (
            <PlanTable plans={plans} />
          ),
      };
    },
  });

  const newPlanView = async (request: Seen, formState: FormState): Promise<View> => {
    const templates = await listChoices(request);
    const steps = await previewSteps(app, request.service.id, chosenSteps(formState), templates);
    return {
      title: t('New channel plan'),
      lead: describePlanCost(app, steps),
      crumbs: crumbs(request),
      content: (
        <div class="cols cols--editor">
          <SaveForm id={formId} action={t('Create')} back={plansOf(request.service)}>
            <PlanFields formState={formState} templates={templates} />
          </SaveForm>
          <StepPreviews form={formId} steps={steps} />
        </div>
      ),
    };
  };

  pages.add(`${path}/new`, {
    who,
    below: 'Templates',
    show: newPlanView,
    ...planForm,
    check: (request, form) => stepsOf(request, form),
    async act(request, form) {
      const { service, visitor } = request;
      if (form.do === 'preview') return newPlanView(request, filledIn(form));
      const steps = await stepsOf(request, form);
      await createPlan(app, service.id, { name: form.name, steps, created_by: visitor.user.id });
      return { to: plansOf(service), notice: t('{name} created.', { name: form.name }) };
    },
  });

  const planView = async (request: Seen, formState: FormState): Promise<View> => {
    const plan = await getPlanInUse(request);
    const to = `${plansOf(request.service)}/${plan.id}`;
    const templates = await listChoices(request, plan);
    const steps = await previewSteps(app, plan.service_id, chosenSteps(formState, plan), templates);
    return {
      title: t('Change the channel plan'),
      about: asIs(plan.name),
      lead: describePlanCost(app, steps),
      crumbs: crumbs(request),
      content: (
        <div class="stack">
          <PlanOutcomes
            figures={await getPlanFigures(app.db, plan.service_id, plan.id)}
            messages={
              may({ service: 'messages' }, request.visitor.user, request.service) === 'yes'
                ? withQuery(pageUrl(`/services/${plan.service_id}/plan-messages`), { plan: plan.id })
                : undefined
            }
          />
          <div class="cols cols--editor">
            <SaveForm id={formId} back={plansOf(request.service)} to={pageUrl(to)}>
              <PlanFields formState={formState} plan={plan} templates={templates} />
            </SaveForm>
            <StepPreviews form={formId} steps={steps} />
          </div>
          <Confirm label={t('Archive')} action={t('Archive the plan')} to={pageUrl(`${to}/archive`)}>
            {t('Requests that name it will be refused. Messages that were accepted go on.')}
          </Confirm>
        </div>
      ),
    };
  };

  pages.add(`${path}/:plan_id`, {
    who,
    below: 'Templates',
    show: planView,
    ...planForm,
    check: async (request, form) => stepsOf(request, form, await getPlanInUse(request)),
    async act(request, form) {
      const { service, visitor } = request;
      if (form.do === 'preview') return planView(request, filledIn(form));
      const plan = await getPlanInUse(request);
      const steps = await stepsOf(request, form, plan);
      await updatePlan(app, service.id, plan.id, { name: form.name, steps, created_by: visitor.user.id });
      return { to: plansOf(service), notice: t('{name} saved.', { name: form.name }) };
    },
  });

  pages.add(`${path}/:plan_id/archive`, {
    who,
    below: 'Templates',
    // The form is on the page of the plan.
    show: async (request) => ({ to: `${plansOf(request.service)}/${(await getPlanInUse(request)).id}` }),
    form: Type.Object({}),
    async act(request) {
      const { id, name } = await getPlanInUse(request);
      await archivePlan(app, request.service.id, id);
      return { to: plansOf(request.service), notice: t('{name} archived.', { name }) };
    },
  });
}

function PlanTable({ plans }: { plans: readonly Plan[] }) {
  return (
    <Table
      caption={t('Channel plans')}
      rows={plans}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('Name'),
          cell: ({ id, service_id, name }) => (
            <a href={pageUrl(`${plansOf({ id: service_id })}/${id}`)} dir="auto">
              {name}
            </a>
          ),
        },
        { head: t('Steps'), cell: ({ steps }) => joined(steps.map(describeStep), ', ') },
        { head: t('Version'), cell: ({ version }) => version, numeric: true },
        { head: t('Id'), cell: ({ id }) => <code>{id}</code> },
      ]}
    />
  );
}

function describeStep({ channel, wait_h }: Plan['steps'][number]): Text {
  const { name } = channelLabels[channel];
  if (wait_h === null) return name;
  return t('{name} ({hours, plural, one {# hour} other {# hours}})', { name, hours: wait_h });
}
