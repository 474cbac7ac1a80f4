import { listImpliedAllowances } from '../billing/allowance.ts';
import { type LettersAtRate, listServiceCosts, listServiceVolumes } from '../billing/usage.ts';
import type { Days } from '../countries/calendar.ts';
import type { Country } from '../countries/country.ts';
import { listPostage, postageLabel } from '../countries/postage.ts';
import type { Platform } from '../platform/platform.ts';
import { selectLiveServices, selectServicesToBill } from './service-costs.sql.ts';

/** Lists services with costs on these days of one financial year. */
export async function listBills(app: Platform, days: Days) {
  const costs = (await listServiceCosts(app, days)).filter(({ sms_cost, letter_cost }) => sms_cost + letter_cost > 0);
  const costOf = new Map(costs.map((cost) => [cost.service_id, cost]));
  const services = await selectServicesToBill(app.db, [...costOf.keys()]);
  return services.map((service) => {
    const cost = costOf.get(service.service_id);
    return {
      ...service,
      sms_cost: cost?.sms_cost ?? 0,
      sms_chargeable_units: cost?.sms_charged_units ?? 0,
      total_letters: cost?.letters_sent ?? 0,
      letter_cost: cost?.letter_cost ?? 0,
      letter_breakdown: letterBreakdown(app.country, cost?.letters ?? []),
    };
  });
}

/**
 * Lists the volumes of every live service on these days. The free allowance is the newest up to the calendar year of the last day. Omits a
 * service that has none, unless it sent something.
 */
export async function listVolumesByService(app: Platform, days: Days) {
  const { db, clock, country } = app;
  const year = Number(days.last_day.slice(0, 4));
  const [services, volumes] = await Promise.all([selectLiveServices(db, year), listServiceVolumes(app, days)]);
  const volumesOf = new Map(volumes.map((volume) => [volume.service_id, volume]));
  const shown = services.filter((service) => service.free_allowance !== null || volumesOf.has(service.service_id));
  const missing = shown.some((service) => service.free_allowance === null);
  const implied = missing ? await listImpliedAllowances(country, db, year, clock.now()) : [];
  const impliedOf = new Map(implied.map((allowance) => [allowance.service_id, allowance.free_sms_fragment_limit]));
  return shown.map((service) => {
    const volume = volumesOf.get(service.service_id);
    return {
      ...service,
      free_allowance: service.free_allowance ?? impliedOf.get(service.service_id) ?? 0,
      sms_notifications: volume?.sms_sent ?? 0,
      sms_chargeable_units: volume?.sms_chargeable_units ?? 0,
      email_totals: volume?.emails_sent ?? 0,
      letter_totals: volume?.letters_sent ?? 0,
      letter_sheet_totals: volume?.letter_sheets ?? 0,
      letter_cost: volume?.letter_cost ?? 0,
    };
  });
}

const postageNames: Record<string, string> = {
  economy: 'economy class',
  second: 'second class',
  first: 'first class',
  europe: 'international',
  'rest-of-world': 'international',
};

/** Formats the letters of a bill: one line per postage and price. In the United Kingdom, uses the wording of GOV.UK Notify. */
export function letterBreakdown(country: Pick<Country, 'code' | 'money' | 'postage'>, lines: LettersAtRate[]): string {
  const postageName = (postage: string) =>
    (country.code === 'gb' ? postageNames[postage] : undefined) ?? postageLabel(country.postage, postage);
  const inOrder = country.code === 'gb' ? Object.keys(postageNames) : listPostage(country.postage);
  const byPost = new Map(inOrder.map((postage) => [postageName(postage), new Map<number, number>()]));
  for (const [postage, rate, letters] of lines) {
    const atRate = byPost.get(postageName(postage)) ?? new Map<number, number>();
    byPost.set(postageName(postage), atRate.set(rate, (atRate.get(rate) ?? 0) + letters));
  }
  return [...byPost]
    .flatMap(([post, atRate]) =>
      [...atRate]
        .sort(([a], [b]) => a - b)
        .map(([rate, letters]) => `${letters} ${post} letters at ${country.money.bill(rate)}\n`),
    )
    .join('');
}
