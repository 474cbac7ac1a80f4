import { dayOf, type RawMessage, type RawService } from './naive-figures.ts';

/**
 * Statistics of services, templates and months, counted naively: message by message, from raw
 * rows. Shares no code with the product.
 */

const types = ['email', 'sms', 'letter'] as const;
const failures = [
  'failed',
  'technical-failure',
  'temporary-failure',
  'permanent-failure',
  'validation-failed',
  'virus-scan-failed',
];

export class NaiveStatistics {
  private readonly messages: (RawMessage & { day: string })[];
  private readonly services: RawService[];

  constructor(messages: RawMessage[], services: RawService[]) {
    this.messages = messages.map((message) => ({ ...message, day: dayOf(message.created_at) }));
    this.services = services;
  }

  statistics(service: string, first: string, last: string, withTestKeys = false) {
    const ours = this.between(first, last, withTestKeys).filter((message) => message.service_id === service);
    return Object.fromEntries(types.map((type) => [type, counts(ours.filter((m) => m.notification_type === type))]));
  }

  /** Services that sent anything; all of them when the days include today. */
  listed(first: string, last: string, withTestKeys: boolean, today: string): Map<string, object> {
    const all = first <= today && today <= last;
    const senders = new Set(this.between(first, last, withTestKeys).map((message) => message.service_id));
    const shown = this.services.filter(({ id }) => all || senders.has(id));
    return new Map(shown.map(({ id }) => [id, this.statistics(id, first, last, withTestKeys)]));
  }

  months(service: string, year: number, today: string) {
    const months = Array.from({ length: 12 }, (_, index) => new Date(Date.UTC(year, 3 + index, 1)).toISOString());
    return Object.fromEntries(
      months
        .map((month) => month.slice(0, 7))
        .filter((month) => month <= today.slice(0, 7))
        .map((month) => [month, this.month(service, month)]),
    );
  }

  private month(service: string, month: string) {
    const ours = this.between(`${month}-01`, `${month}-31`).filter((message) => message.service_id === service);
    return Object.fromEntries(
      types.map((type) => {
        const ofType = ours.filter((message) => message.notification_type === type);
        const finished = ['cancelled', 'sent', 'delivered', ...failures];
        const sending = ofType.filter(({ status }) => !finished.includes(status)).length;
        return [type, { ...counts(ofType), sending }];
      }),
    );
  }

  /** [template, status, count] */
  templateStatuses(service: string, first: string, last: string) {
    const ours = this.between(first, last).filter((message) => message.service_id === service);
    return tally(ours, (message) => [message.template_id, message.status]);
  }

  /** [year, month, template, count] */
  templateMonths(service: string, year: number) {
    const ours = this.between(`${year}-04-01`, `${year + 1}-03-31`).filter(
      (message) => message.service_id === service && message.status !== 'cancelled',
    );
    return tally(ours, ({ day, template_id }) => [Number(day.slice(0, 4)), Number(day.slice(5, 7)), template_id]);
  }

  lastUsed(service: string, template: string): string | undefined {
    const ours = this.between('2000-01-01', '2099-12-31').filter(
      (message) => message.service_id === service && message.template_id === template,
    );
    return ours
      .map(({ day }) => day)
      .sort()
      .at(-1);
  }

  monthsOfServices(first: string, last: string) {
    const live = new Map(this.services.filter((s) => s.active && !s.restricted).map(({ id, name }) => [id, name]));
    const left = this.between(first, last).filter((m) => live.has(m.service_id) && m.status !== 'created');
    const groups = new Map<string, typeof left>();
    for (const message of left) {
      const key = `${message.day.slice(0, 7)}-01 ${message.service_id} ${message.notification_type}`;
      groups.set(key, [...(groups.get(key) ?? []), message]);
    }
    return [...groups].sort(byKey).map(([key, ours]) => {
      const [month = '', service = '', type = ''] = key.split(' ');
      const count = (...statuses: string[]) => ours.filter(({ status }) => statuses.includes(status)).length;
      return [
        month,
        service,
        live.get(service),
        type,
        count('sending', 'pending'),
        count('delivered', 'returned-letter'),
        count('technical-failure', 'failed'),
        count('temporary-failure'),
        count('permanent-failure'),
        count('sent'),
      ];
    });
  }

  byDay(first: string, last: string) {
    return tally(this.between(first, last), ({ day, notification_type }) => [day, notification_type]);
  }

  ever(type: string) {
    return this.messages.filter((message) => message.notification_type === type && message.key_type !== 'test').length;
  }

  private between(first: string, last: string, withTestKeys = false) {
    return this.messages.filter(
      ({ day, key_type }) => day >= first && day <= last && (withTestKeys || key_type !== 'test'),
    );
  }
}

function counts(messages: RawMessage[]) {
  return {
    requested: messages.filter(({ status }) => status !== 'cancelled').length,
    delivered: messages.filter(({ status }) => status === 'sent' || status === 'delivered').length,
    failed: messages.filter(({ status }) => failures.includes(status)).length,
  };
}

function tally<Message>(messages: Message[], key: (message: Message) => (string | number)[]): (string | number)[][] {
  const found = new Map<string, (string | number)[]>();
  for (const message of messages) {
    const parts = key(message);
    const text = parts.map((part) => (typeof part === 'number' ? String(part).padStart(4, '0') : part)).join(' ');
    const count = Number(found.get(text)?.at(-1) ?? 0) + 1;
    found.set(text, [...parts, count]);
  }
  return [...found].sort(byKey).map(([, row]) => row);
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
