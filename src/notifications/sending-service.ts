import { utcDay } from '../platform/calendar.ts';
import type { Platform } from '../platform/platform.ts';
import { normaliseRecipient } from '../recipients/recipient.ts';
import type { LimitedChannel } from './notifications.sql.ts';
import { selectSendingService } from './sending-service.sql.ts';

/** A service as accepting a message sees it. */
export interface SendingService {
  id: string;
  restricted: boolean;
  permissions: ReadonlySet<string>;
  rate_limit: number;
  daily_limits: Readonly<Record<LimitedChannel, number>>;
  contact_link: string | null;
  email_sender_local_part: string;
  /** By id; archived ones are not among them. */
  sms_senders: ReadonlyMap<string, string>;
  email_reply_tos: ReadonlyMap<string, string>;
  /** Members and guests, in the form to compare by: the only recipients of a trial service or a team key. */
  known_recipients: ReadonlySet<string>;
  /** Messages of a UTC day that are known to be stored: never more than there are, so being over a limit is certain. */
  counted: { utc_day: string; counts: Partial<Record<LimitedChannel, number>> };
}

const rememberedServices = 10_000;

type Needs = Pick<Platform, 'db' | 'notices' | 'clock'>;

/** Services in memory until they change: accepting a message must not cost a read. */
export class SendingServices {
  private readonly app: Needs;
  private readonly remembered = new Map<string, Promise<SendingService | undefined>>();

  constructor(app: Needs) {
    this.app = app;
    app.notices.on('service_changed', (serviceId) => this.remembered.delete(serviceId));
    app.notices.onReset(() => this.remembered.clear());
  }

  /** The caller was authenticated, so the service exists. */
  async get(serviceId: string): Promise<SendingService> {
    const known = this.remembered.get(serviceId);
    const loading = known ?? this.load(serviceId);
    if (!known && this.app.notices.connected) this.remember(serviceId, loading);
    const service = await loading;
    if (!service) throw new Error('A service vanished while it was sending');
    return service;
  }

  /** What a commit says about the day's messages. */
  learn(service: SendingService, utc_day: string, channel: LimitedChannel, count: number): void {
    if (service.counted.utc_day < utc_day) service.counted = { utc_day, counts: {} };
    const { counted } = service;
    if (counted.utc_day === utc_day) counted.counts[channel] = Math.max(count, counted.counts[channel] ?? 0);
  }

  private remember(serviceId: string, loading: Promise<SendingService | undefined>): void {
    if (this.remembered.size >= rememberedServices) this.remembered.clear();
    this.remembered.set(serviceId, loading);
    const forget = () => {
      if (this.remembered.get(serviceId) === loading) this.remembered.delete(serviceId);
    };
    // Neither a failed read nor an unknown id is worth remembering.
    loading.then((service) => service ?? forget(), forget);
  }

  private async load(serviceId: string): Promise<SendingService | undefined> {
    const utc_day = utcDay(this.app.clock.now());
    const row = await selectSendingService(this.app.db, serviceId, utc_day);
    if (!row) return undefined;
    const members = row.members.flatMap(({ email_address, mobile_number }) => [email_address, mobile_number ?? '']);
    const guests = row.guests.map(({ recipient }) => recipient);
    return {
      id: row.id,
      restricted: row.restricted,
      permissions: new Set(row.permissions),
      rate_limit: row.rate_limit,
      daily_limits: {
        sms: row.sms_message_limit,
        email: row.email_message_limit,
        letter: row.letter_message_limit,
        international_sms: row.international_sms_message_limit,
      },
      contact_link: row.contact_link,
      email_sender_local_part: row.email_sender_local_part,
      sms_senders: new Map(row.sms_senders.map(({ id, text }) => [id, text])),
      email_reply_tos: new Map(row.email_reply_tos.map(({ id, text }) => [id, text])),
      known_recipients: new Set([...members, ...guests].filter(Boolean).map(normaliseRecipient)),
      counted: { utc_day, counts: Object.fromEntries(row.counts.map(({ channel, count }) => [channel, count])) },
    };
  }
}
