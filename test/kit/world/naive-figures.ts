import type { Channel } from '../../../src/protocol/channels.ts';
/**
 * Every figure of billing and statistics, counted naively: message by message, from raw rows, with
 * decimals as integers. Shares no code with the product.
 */

export interface RawMessage {
  service_id: string;
  template_id: string;
  notification_type: Channel;
  key_type: string;
  status: string;
  provider: string | null;
  rate_multiplier: number;
  billable_units: number;
  postage: string | null;
  created_at: string;
  job_id: string | null;
}

export interface RawService {
  id: string;
  name: string;
  active: boolean;
  restricted: boolean;
  count_as_live: boolean;
  organisation_id: string | null;
  organisation_type: string | null;
}

export interface RawWorld {
  messages: RawMessage[];
  services: RawService[];
  organisations: { id: string; name: string }[];
  allowances: {
    service_id: string;
    financial_year_start: number;
    free_sms_fragment_limit: number;
    has_custom_allowance: boolean;
  }[];
  smsRates: { valid_from: string; rate: string }[];
  letterRates: { post_class: string; sheet_count: number; start_date: string; rate: string }[];
  despatches: { despatched_on: string; postage: string; cost_threshold: string; sheets: number }[];
  currentYear: number;
}

const london = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/London', dateStyle: 'short', timeStyle: 'medium' });
const londonText = (moment: string) => london.format(new Date(moment));
export const dayOf = (moment: string) => londonText(moment).slice(0, 10);
const yearOf = (day: string) => Number(day.slice(0, 4)) - (day.slice(5) < '04-01' ? 1 : 0);

/** Pounds in units of 10^-12, so that products of units and rates are exact. */
type Money = bigint;
const scale = 12;
function money(text: string): Money {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}
function pounds(value: Money): number {
  const digits = value.toString().padStart(scale + 1, '0');
  return Number(`${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
}

/** Whether no provider got the email or text, because its recipient is on a suppression list or has opted out. */
const isSuppressed = (m: { notification_type: string; status: string; provider: string | null }) =>
  m.notification_type !== 'letter' && m.status === 'permanent-failure' && m.provider === null;

const billable: Record<string, string[]> = {
  sms: ['sending', 'sent', 'delivered', 'pending', 'temporary-failure', 'permanent-failure'],
  email: ['sending', 'delivered', 'temporary-failure', 'permanent-failure'],
  letter: ['sending', 'delivered', 'returned-letter'],
};

interface Billed extends RawMessage {
  day: string;
  chargeable: number;
  free: number;
  charged: number;
  rate: Money;
  cost: Money;
}

const defaults: Record<string, [number, number][]> = {
  central: [
    [2016, 250000],
    [2021, 150000],
    [2022, 40000],
    [2024, 30000],
    [2026, 20000],
  ],
  local: [
    [2016, 25000],
    [2022, 20000],
    [2024, 10000],
  ],
  nhs_gp: [
    [2016, 25000],
    [2021, 10000],
    [2024, 0],
  ],
  other: [
    [2016, 25000],
    [2021, 10000],
    [2024, 5000],
  ],
};

/** Whether a time is at or before the London midnight at which a day begins. */
const hasBegunBy = (moment: string, day: string) =>
  `${londonText(moment)}.${new Date(moment).getUTCMilliseconds()}` <= `${day} 00:00:00.0`;

function rateOn(rates: { start: string; rate: string }[], day: string): Money {
  const sorted = [...rates].sort((a, b) => Date.parse(a.start) - Date.parse(b.start));
  const begun = sorted.filter(({ start }) => hasBegunBy(start, day));
  const rate = begun.at(-1) ?? sorted[0];
  return rate ? money(rate.rate) : 0n;
}

export class NaiveFigures {
  private readonly world: RawWorld;
  private readonly billed: Billed[];

  constructor(world: RawWorld) {
    this.world = world;
    this.billed = world.messages
      .filter((m) => m.key_type !== 'test' && billable[m.notification_type]?.includes(m.status) && !isSuppressed(m))
      .map((m) => ({ ...m, day: dayOf(m.created_at), chargeable: 0, free: 0, charged: 0, rate: 0n, cost: 0n }));
    const text = (m: Billed) =>
      `${m.day} ${String(m.rate_multiplier).padStart(5)} ${m.provider ?? 'unknown'} ${m.template_id}`;
    this.billed.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
    const left = new Map<string, number>();
    for (const m of this.billed) {
      if (m.notification_type === 'letter') {
        const kind = world.letterRates.filter((r) => r.post_class === m.postage && r.sheet_count === m.billable_units);
        m.rate = rateOn(
          kind.map((r) => ({ start: r.start_date, rate: r.rate })),
          m.day,
        );
        m.chargeable = 1;
      }
      if (m.notification_type === 'sms') {
        m.rate = rateOn(
          world.smsRates.map((r) => ({ start: r.valid_from, rate: r.rate })),
          m.day,
        );
        m.chargeable = m.billable_units * m.rate_multiplier;
        const year = `${m.service_id} ${yearOf(m.day)}`;
        const remaining = left.get(year) ?? this.allowance(m.service_id, yearOf(m.day));
        m.free = Math.min(remaining, m.chargeable);
        left.set(year, remaining - m.free);
      }
      m.charged = m.chargeable - m.free;
      m.cost = BigInt(m.charged) * m.rate;
    }
  }

  private stored(service: string, year: number) {
    return this.world.allowances.find((a) => a.service_id === service && a.financial_year_start === year);
  }

  /** The stored allowance, or the default. */
  allowance(service: string, year: number): number {
    const stored = this.stored(service, year);
    if (stored) return stored.free_sms_fragment_limit;
    const lastYear = this.billed.filter(
      (m) => m.service_id === service && m.notification_type === 'sms' && yearOf(m.day) === this.world.currentYear - 1,
    );
    if (sum(lastYear, (m) => m.billable_units * m.rate_multiplier) >= 300_000) return 0;
    const previous = this.stored(service, year - 1);
    if (previous?.has_custom_allowance) return previous.free_sms_fragment_limit;
    const type = this.world.services.find(({ id }) => id === service)?.organisation_type ?? 'other';
    return defaults[type]?.findLast(([from]) => from <= year)?.[1] ?? 0;
  }

  monthlyUsage(service: string, year: number) {
    const ours = this.of(service).filter((m) => yearOf(m.day) === year && m.notification_type !== 'email');
    const key = (m: Billed) =>
      `${m.day.slice(0, 7)} ${m.notification_type} ${m.rate.toString().padStart(20, '0')} ${m.notification_type === 'sms' ? '' : m.postage}`;
    return grouped(ours, key).map((group) => ({
      month: new Date(`${group[0].day}T00:00:00Z`).toLocaleString('en-GB', { month: 'long', timeZone: 'UTC' }),
      notification_type: group[0].notification_type,
      rate: pounds(group[0].rate),
      postage: group[0].notification_type === 'sms' ? null : group[0].postage,
      ...usageOf(group),
    }));
  }

  yearlyUsage(service: string, year: number) {
    const ours = this.of(service).filter((m) => yearOf(m.day) === year);
    return grouped(ours, (m) => m.notification_type).map((group) => {
      const units = sum(group, (m) => m.chargeable);
      const worth = group.reduce((total, m) => total + BigInt(m.chargeable) * m.rate, 0n);
      return {
        notification_type: group[0].notification_type,
        rate: units === 0 ? 0 : Number((pounds(worth) / units).toFixed(12)),
        ...usageOf(group),
      };
    });
  }

  servicesWithUsage(organisation: string, year: number) {
    return this.world.services
      .filter((s) => s.organisation_id === organisation && !s.restricted)
      .sort((a, b) => Number(b.active) - Number(a.active) || compare(a.name, b.name))
      .map((s) => {
        const ours = this.of(s.id).filter((m) => yearOf(m.day) === year);
        const texts = ours.filter((m) => m.notification_type === 'sms');
        const limit = this.allowance(s.id, year);
        return {
          service_id: s.id,
          service_name: s.name,
          free_sms_limit: limit,
          sms_remainder: Math.max(0, limit - sum(texts, (m) => m.chargeable)),
          sms_billable_units: sum(texts, (m) => m.chargeable),
          chargeable_billable_sms: sum(texts, (m) => m.charged),
          sms_cost: costOf(texts),
          letter_cost: costOf(ours.filter((m) => m.notification_type === 'letter')),
          emails_sent: ours.filter((m) => m.notification_type === 'email').length,
          active: s.active,
        };
      });
  }

  counters(first: string, last: string) {
    const counts = (type: string) => {
      const ours = this.world.messages.filter(
        (m) => m.notification_type === type && m.key_type !== 'test' && within(dayOf(m.created_at), first, last),
      );
      const count = (...statuses: string[]) => ours.filter((m) => statuses.includes(m.status)).length;
      return {
        total: ours.length,
        delivered: count('delivered', 'sent'),
        failed: count(
          'failed',
          'technical-failure',
          'temporary-failure',
          'permanent-failure',
          'validation-failed',
          'virus-scan-failed',
        ),
        requested: ours.length - count('cancelled'),
        'technical-failure': count('technical-failure'),
        'temporary-failure': count('temporary-failure'),
        'permanent-failure': count('permanent-failure'),
      };
    };
    return { email: counts('email'), sms: counts('sms'), letter: counts('letter') };
  }

  billingReport(first: string, last: string) {
    return this.inReportOrder()
      .map((s) => {
        const ours = this.of(s.id).filter((m) => within(m.day, first, last));
        const letters = ours.filter((m) => m.notification_type === 'letter');
        const texts = ours.filter((m) => m.notification_type === 'sms');
        return {
          ...this.named(s),
          sms_cost: costOf(texts),
          sms_chargeable_units: sum(texts, (m) => m.charged),
          total_letters: letters.length,
          letter_cost: costOf(letters),
          letter_breakdown: breakdown(letters),
          purchase_order_number: null,
          contact_names: null,
          contact_email_addresses: null,
          billing_reference: null,
        };
      })
      .filter((row) => row.sms_cost > 0 || row.letter_cost > 0);
  }

  printerReport(first: string, last: string) {
    const ours = this.world.despatches
      .filter((d) => within(d.despatched_on, first, last))
      .map((d) => {
        const kind = this.world.letterRates.filter((r) => r.post_class === d.postage && r.sheet_count === d.sheets);
        return {
          ...d,
          rate: rateOn(
            kind.map((r) => ({ start: r.start_date, rate: r.rate })),
            d.despatched_on,
          ),
        };
      });
    const key = (d: (typeof ours)[number]) =>
      [d.despatched_on, d.postage, d.cost_threshold, d.rate.toString().padStart(20, '0'), d.sheets].join(' ');
    return grouped(ours, key).map((group) => ({
      date: group[0].despatched_on,
      postage: group[0].postage,
      cost_threshold: group[0].cost_threshold,
      sheets: group[0].sheets,
      rate: pounds(group[0].rate),
      letters: group.length,
      cost: pounds(group[0].rate * BigInt(group.length)),
    }));
  }

  dailyVolumes(first: string, last: string) {
    return grouped(
      this.billed.filter((m) => within(m.day, first, last)),
      (m) => m.day,
    ).map((group) => {
      const of = (type: string) => group.filter((m) => m.notification_type === type);
      return {
        day: group[0].day,
        sms_totals: of('sms').length,
        sms_fragment_totals: sum(of('sms'), (m) => m.billable_units),
        sms_chargeable_units: sum(of('sms'), (m) => m.chargeable),
        email_totals: of('email').length,
        letter_totals: of('letter').length,
        letter_sheet_totals: sum(of('letter'), (m) => m.billable_units),
      };
    });
  }

  dailyProviderVolumes(first: string, last: string) {
    return grouped(
      this.billed.filter((m) => m.notification_type === 'sms' && within(m.day, first, last)),
      (m) => `${m.day} ${m.provider ?? 'unknown'}`,
    ).map((group) => ({
      day: group[0].day,
      provider: group[0].provider ?? 'unknown',
      sms_totals: group.length,
      sms_fragment_totals: sum(group, (m) => m.billable_units),
      sms_chargeable_units: sum(group, (m) => m.chargeable),
      sms_cost: pounds(group.reduce((total, m) => total + BigInt(m.chargeable) * m.rate, 0n)),
    }));
  }

  volumesByService(first: string, last: string) {
    const year = Number(last.slice(0, 4));
    return this.inReportOrder()
      .filter((s) => s.active && !s.restricted && s.count_as_live)
      .map((s) => {
        const ours = this.of(s.id).filter((m) => within(m.day, first, last));
        const of = (type: string) => ours.filter((m) => m.notification_type === type);
        const stored = this.world.allowances
          .filter((a) => a.service_id === s.id && a.financial_year_start <= year)
          .sort((a, b) => b.financial_year_start - a.financial_year_start)[0];
        return {
          shown: stored !== undefined || ours.length > 0,
          row: {
            ...this.named(s),
            free_allowance: stored?.free_sms_fragment_limit ?? this.allowance(s.id, year),
            sms_notifications: of('sms').length,
            sms_chargeable_units: sum(of('sms'), (m) => m.chargeable),
            email_totals: of('email').length,
            letter_totals: of('letter').length,
            letter_sheet_totals: sum(of('letter'), (m) => m.billable_units),
            letter_cost: costOf(of('letter')),
          },
        };
      })
      .filter(({ shown }) => shown)
      .map(({ row }) => row);
  }

  private of(service: string): Billed[] {
    return this.billed.filter((m) => m.service_id === service);
  }

  private inReportOrder(): RawService[] {
    const name = (s: RawService) =>
      this.world.organisations.find(({ id }) => id === s.organisation_id)?.name ?? '\u{10FFFF}';
    return [...this.world.services].sort((a, b) => compare(name(a), name(b)) || compare(a.name, b.name));
  }

  private named(s: RawService) {
    const organisation = this.world.organisations.find(({ id }) => id === s.organisation_id);
    return {
      service_id: s.id,
      service_name: s.name,
      organisation_id: organisation?.id ?? '',
      organisation_name: organisation?.name ?? '',
    };
  }
}

function usageOf(group: Billed[]) {
  return {
    chargeable_units: sum(group, (m) => m.chargeable),
    notifications_sent: group.length,
    cost: costOf(group),
    free_allowance_used: sum(group, (m) => m.free),
    charged_units: sum(group, (m) => m.charged),
  };
}

function breakdown(letters: Billed[]): string {
  const label: Record<string, string> = {
    economy: '1 economy class',
    second: '2 second class',
    first: '3 first class',
    europe: '4 international',
    'rest-of-world': '4 international',
  };
  return grouped(letters, (m) => `${label[m.postage ?? '']} ${m.rate.toString().padStart(20, '0')}`)
    .map((group) => {
      const rate = group[0].rate;
      const pence = Number(rate / 10n ** 7n); // thousandths of a penny
      const rounded = pence % 1000 === 500 ? 2 * Math.round(pence / 2000) : Math.round(pence / 1000);
      const price = rate < 10n ** 12n ? `${rounded}p` : `£${(rounded / 100).toFixed(2)}`;
      return `${group.length} ${label[group[0].postage ?? '']?.slice(2)} letters at ${price}\n`;
    })
    .join('');
}

function costOf(group: Billed[]): number {
  return pounds(group.reduce((total, m) => total + m.cost, 0n));
}

function sum<T>(items: T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function within(day: string, first: string, last: string): boolean {
  return first <= day && day <= last;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Non-empty groups in the order of their keys. */
function grouped<T>(items: T[], key: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const known = groups.get(key(item));
    if (known) known.push(item);
    else groups.set(key(item), [item]);
  }
  return [...groups].sort(([a], [b]) => compare(a, b)).map(([, group]) => group);
}
