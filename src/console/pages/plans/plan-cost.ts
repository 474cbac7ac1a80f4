import { previewDraft } from '../../../delivery/previews/draft-preview.ts';
import { asIs, type Text, t } from '../../../language/text.ts';
import { listCosts } from '../../../notifications/history/public-notifications.ts';
import { findRateOf } from '../../../notifications/rates-abroad.ts';
import { addressOf, type MessageContent } from '../../../plans/message-content.ts';
import { findMessageContent, type PlanMessageRecord } from '../../../plans/plan-messages.ts';
import { addressRules } from '../../../recipients/address-rules.ts';
import { parsePhoneNumber } from '../../../recipients/phone-number.ts';
import { getTemplateVersion } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { priceOf } from '../send/cost.ts';
import { draftIn } from '../templates/preview.pages.ts';

interface PricedStep {
  only_if_missing: boolean;
  /** Undefined where no price is known. */
  price: number | undefined;
}

/** What one message of a plan costs at least and at most. Undefined where a price is not known. */
export function describePlanCost({ country }: ConsoleApp, steps: readonly PricedStep[]): Text | undefined {
  const prices = knownPrices(steps);
  if (!prices || prices.length === 0) return undefined;
  const { price } = country.money;
  const [from, to] = [Math.min(...prices), mostOf(steps, prices)];
  return t('A message costs from {from} to {to}. Long values and texts abroad cost more.', {
    from: price(from),
    to: price(to),
  });
}

function knownPrices(steps: readonly PricedStep[]): number[] | undefined {
  const known = steps.flatMap(({ price }) => price ?? []);
  return known.length < steps.length ? undefined : known;
}

/** The highest sum of a step and the ones after it, without those that are used only if no earlier step could be sent. */
function mostOf(steps: readonly PricedStep[], prices: readonly number[]): number {
  let most = 0;
  let later = 0;
  for (const [index, { only_if_missing }] of [...steps.entries()].reverse()) {
    const price = prices[index] ?? 0;
    most = Math.max(most, price + later);
    if (!only_if_missing) later += price;
  }
  return most;
}

/**
 * What a message has cost so far, and what the steps that are left may add. Undefined where a price is not known, and for a message of
 * a test key, which costs nothing.
 */
export async function describeMessageCost(app: ConsoleApp, message: PlanMessageRecord): Promise<Text | undefined> {
  const { service_id, id, key_type, status, steps } = message;
  if (key_type === 'test') return undefined;
  const sent = steps.flatMap(({ notification_id }) => notification_id ?? []);
  const costs = await listCosts(app, sent);
  const costOf = ({ notification_id }: Step) => costs.get(notification_id ?? '');
  if (steps.some((step) => isTried(step) && costOf(step) === undefined)) return undefined;
  const { price } = app.country.money;
  const spent = steps.reduce((sum, step) => sum + (costOf(step) ?? 0), 0);
  if (status !== 'created' && status !== 'in-progress') return asIs(price(spent));
  const content = await findMessageContent(app, service_id, id);
  if (!content) return undefined;
  const left = await Promise.all(
    steps
      .filter((step) => isLeft(step, steps) && costOf(step) === undefined)
      .map(async (step) => ({
        only_if_missing: step.only_if_missing && step.state === 'waiting',
        price: await priceOfStep(app, service_id, step, content),
      })),
  );
  const prices = knownPrices(left);
  if (!prices) return undefined;
  const more = mostOf(left, prices);
  if (more === 0) return asIs(price(spent));
  return t('{spent} so far, at most {more} more', { spent: price(spent), more: price(more) });
}

type Step = PlanMessageRecord['steps'][number];

const isTried = ({ state, notification_id }: Step) => notification_id !== null && state !== 'sent';

/** A step that is used only if no earlier step could be sent is not left once one was tried. */
function isLeft({ state, number, only_if_missing }: Step, steps: readonly Step[]): boolean {
  if (state !== 'waiting') return state === 'sent';
  const isOpen = (step: Step) => step.state === 'waiting' || step.state === 'skipped';
  return !only_if_missing || steps.every((step) => step.number >= number || isOpen(step));
}

/** With the values of the message. A step without its contact will be skipped. */
async function priceOfStep(
  app: ConsoleApp,
  serviceId: string,
  { channel, template_id, template_version }: Step,
  { recipient, personalisation }: MessageContent,
): Promise<number | undefined> {
  const address = addressOf(recipient);
  const isMissing = { email: false, sms: !recipient.phone_number, letter: Object.keys(address).length === 0 }[channel];
  if (channel === 'email' || isMissing) return 0;
  const template = await getTemplateVersion(app, serviceId, template_id, template_version);
  const preview = await previewDraft(app, serviceId, draftIn(template), { ...personalisation, ...address });
  if (channel === 'letter') {
    const rules = addressRules(app.country);
    const lines = Object.entries(address)
      .sort()
      .map(([, line]) => line);
    return priceOf(app, preview, rules.postage(rules.parse(lines), template.postage));
  }
  const price = await priceOf(app, preview, null);
  const parsed = parsePhoneNumber(app.country.phone, recipient.phone_number ?? '');
  const number = parsed.ok ? await findRateOf(app.country.phone, parsed.number) : undefined;
  return price && price * (number?.multiplier ?? 1);
}
