import { previewDraft } from '../../../delivery/previews/draft-preview.ts';
import { type Text, t } from '../../../language/text.ts';
import type { getPlan } from '../../../plans/channel-plans.ts';
import { getTemplate } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { priceOf } from '../send/cost.ts';

type Plan = Awaited<ReturnType<typeof getPlan>>;

/** What one message costs at least and at most, with the templates as they are. Undefined where a price is not known. */
export async function describePlanCost(app: ConsoleApp, { service_id, steps }: Plan): Promise<Text | undefined> {
  const prices = await Promise.all(
    steps.map(async ({ template_id }) => {
      const template = await getTemplate(app.db, service_id, template_id);
      return priceOf(app, await previewDraft(app, service_id, template, {}), template.postage);
    }),
  );
  const known = prices.filter((price) => price !== undefined);
  if (known.length < prices.length) return undefined;
  const { price } = app.country.money;
  return t('A message costs {from} to {to}, more if values make a text or letter longer.', {
    from: price(Math.min(...known)),
    to: price(mostOf(steps, known)),
  });
}

/** Every step after the first one that is sent, but for those which are only for people whom no earlier one could be sent to. */
function mostOf(steps: Plan['steps'], prices: readonly number[]): number {
  let most = 0;
  let later = 0;
  for (const [index, { only_if_missing }] of [...steps.entries()].reverse()) {
    const price = prices[index] ?? 0;
    most = Math.max(most, price + later);
    if (!only_if_missing) later += price;
  }
  return most;
}
