import type { PhoneRules, RatesAbroad } from '../countries/phone-rules.ts';
import { InvalidatedCache } from '../platform/cache.ts';
import { timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { type PhoneNumber, withRate } from '../recipients/phone-number.ts';
import { type RateAbroad, selectRatesAbroad } from './rates-abroad.sql.ts';

export type { RateAbroad } from './rates-abroad.sql.ts';

/** Sorted by prefix, then oldest first. */
export function listRatesAbroad(db: Db): Promise<RateAbroad[]> {
  return selectRatesAbroad(db);
}

/** Caches the whole table until it changes, so that accepting a message needs no query. */
export function cacheRatesAbroad(app: Platform): void {
  const { phone } = app.country;
  if (!phone.hasRatesAbroad) return;
  const cache = new InvalidatedCache<RatesByTime>(app.changeListener, {
    channel: 'rates_abroad_changed',
    max_bytes: app.cacheMemory_bytes / 8,
    bytesOf: ({ rows }) => 1_000 + 200 * rows.length,
    load: async () => new RatesByTime(await selectRatesAbroad(app.db)),
  });
  phone.readRatesAbroad = () => {
    const found = cache.find('all');
    const now = app.clock.now();
    return found instanceof Promise ? found.then((rates) => rates?.at(now) ?? none) : (found?.at(now) ?? none);
  };
}

const none: RatesAbroad = new Map();

/** Returns the rates that apply at a moment. Computes them again only when the next rate takes effect. */
class RatesByTime {
  readonly rows: readonly RateAbroad[];
  #rates: RatesAbroad = none;
  #from = Number.POSITIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;

  constructor(rows: readonly RateAbroad[]) {
    this.rows = rows;
  }

  at(now: Date): RatesAbroad {
    const time = now.getTime();
    if (time >= this.#from && time < this.#until) return this.#rates;
    this.#from = Number.NEGATIVE_INFINITY;
    this.#until = Number.POSITIVE_INFINITY;
    for (const { valid_from } of this.rows) {
      const start = Date.parse(valid_from);
      if (start <= time) this.#from = Math.max(this.#from, start);
      else this.#until = Math.min(this.#until, start);
    }
    this.#rates = currentRates(this.rows, now);
    return this.#rates;
  }
}

function currentRates(rows: readonly RateAbroad[], now: Date): RatesAbroad {
  const begun = rows.filter(({ valid_from }) => valid_from <= timestamp(now));
  return new Map(
    begun.map(({ prefix, multiplier, receipts, numeric_sender }) => [
      prefix,
      multiplier === null ? null : { multiplier, receiptsHonoured: receipts, numericSenderOnly: numeric_sender },
    ]),
  );
}

/** Whether a price is configured for texts to this number. */
export async function hasKnownPrice(rules: PhoneRules, number: PhoneNumber): Promise<boolean> {
  return !number.international || rules.hasPriceAbroad(await rules.readRatesAbroad?.());
}

/** Returns the number with the current rate for texts to it; undefined if no texts are sent there. */
export async function findRateOf(rules: PhoneRules, number: PhoneNumber): Promise<PhoneNumber | undefined> {
  if (!number.international) return number;
  const rates = await rules.readRatesAbroad?.();
  return rates ? withRate(rules, number, rates) : number;
}
