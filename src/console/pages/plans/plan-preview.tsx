import { type DraftPreview, previewDraft } from '../../../delivery/previews/draft-preview.ts';
import { type Text, t } from '../../../language/text.ts';
import { getTemplate } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { channelLabels } from '../../message-labels.ts';
import { Empty } from '../../parts/notice.tsx';
import { describeCost, priceOf } from '../send/cost.ts';
import { draftIn, versionUrl } from '../templates/preview.pages.ts';
import { Preview } from '../templates/preview.tsx';
import type { ChosenStep, TemplateChoice } from './plan-form.tsx';

interface PreviewedStep extends ChosenStep {
  title: Text;
  preview: DraftPreview;
  /** The address of its template version. */
  from: string;
  isSeen: boolean;
  price: number | undefined;
  cost: Text | undefined;
}

/** Previews the chosen steps. Leaves out steps without one of these templates. */
export async function previewSteps(
  app: ConsoleApp,
  serviceId: string,
  chosen: readonly ChosenStep[],
  templates: readonly TemplateChoice[],
): Promise<PreviewedStep[]> {
  const found = chosen.flatMap((step) => {
    const template = templates.find(({ id }) => id === step.template_id);
    return template ? [{ step, template }] : [];
  });
  return Promise.all(
    found.map(async ({ step, template: { id, channel, name, isSeen } }) => {
      const template = await getTemplate(app.db, serviceId, id);
      const preview = await previewDraft(app, serviceId, draftIn(template), {});
      const { number } = step;
      return {
        ...step,
        ...{ preview, isSeen, from: versionUrl(serviceId, template) },
        title: t('Step {number}, {channel}: {name}', { number, channel: channelLabels[channel].name, name }),
        price: await priceOf(app, preview, template.postage),
        cost: await describeCost(app, preview, template.postage),
      };
    }),
  );
}

/** What people get from each step. A button of the form shows steps that are not saved. */
export function StepPreviews({ steps, form }: { steps: readonly PreviewedStep[]; form: string }) {
  return (
    <div class="stack">
      <div>
        <button class="button" type="submit" form={form} name="do" value="preview">
          {t('Preview the steps')}
        </button>
      </div>
      {steps.map(({ number, title, preview, from, isSeen, cost }) =>
        isSeen ? (
          <Preview key={number} id={`-${number}`} title={title} preview={preview} from={from} cost={cost} />
        ) : (
          <Empty key={number} title={title}>
            {t('You cannot see its text.')}
          </Empty>
        ),
      )}
    </div>
  );
}
