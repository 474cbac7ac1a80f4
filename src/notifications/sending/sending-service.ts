import { InvalidatedCache } from '../../platform/cache.ts';
import { BatchReader } from '../../platform/db/batch-reader.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';
import { spellingsOf } from '../../recipients/email-address.ts';
import { normaliseRecipient } from '../../recipients/recipient.ts';
import type { TextUnitSetting } from '../../services/settings/text-unit.ts';
import type { GuardPause } from '../guard/guard.ts';
import type { AnnualLimits } from '../limits/annual-limits.sql.ts';
import type { LimitedChannel } from '../notification.ts';
import type { SendingTimes } from '../windows/sending-time.ts';
import { type SendingServiceRow, selectSendingServices } from './sending-service.sql.ts';

/** The settings of a service that accepting a message needs. */
export interface SendingService {
  id: string;
  restricted: boolean;
  permissions: ReadonlySet<string>;
  rate_limit: number;
  api_dialect: ApiDialect;
  /** How files in emails over SMTP are handled; null for the default of the installation. */
  smtp_files: 'refuse' | 'drop' | 'link' | null;
  daily_limits: Readonly<Record<LimitedChannel, number>>;
  /** The limits of the service, then those of its organisation. Most services have none. */
  annual_limits: readonly AnnualLimits[];
  text_unit: TextUnitSetting;
  contact_link: string | null;
  email_sender_local_part: string;
  /** The name that its texts begin with, if any. */
  sms_prefix: string | null;
  /** Senders by id, without archived ones. */
  sms_senders: ReadonlyMap<string, string>;
  email_reply_tos: ReadonlyMap<string, string>;
  /** Normalised members and guests: the only recipients allowed for a trial service or a team key. */
  allowed_recipients: ReadonlySet<string>;
  guard: GuardPause | null;
  /** Whether any number has opted out of its texts. */
  has_opt_outs: boolean;
  /** Null for most services, which send at any time. */
  sending_times: SendingTimes | null;
  /**
   * A lower bound of the messages counted on a UTC day: if it reaches a limit, the limit is certainly reached. When messages are given
   * back, a notification removes the service from the cache.
   */
  counted: { utc_day: string; counts: Partial<Record<LimitedChannel, number>> };
}

/** Keyed by service id. */
export type SendingServices = InvalidatedCache<SendingService>;

/** Caches services until they change, so that accepting a message needs no query. */
export function sendingServices(app: Platform): SendingServices {
  const rows = new BatchReader(
    (ids) => readSendingServices(app, ids),
    ({ id }) => id,
  );
  return new InvalidatedCache(app.changeListener, {
    channel: 'service_changed',
    max_bytes: app.cacheMemory_bytes / 8,
    bytesOf: ({ sms_senders, email_reply_tos, allowed_recipients }) =>
      1_000 + 120 * (sms_senders.size + email_reply_tos.size + allowed_recipients.size),
    load: (serviceId) => rows.find(serviceId),
  });
}

/** Stores a count that a commit returned. */
export function updateCount(service: SendingService, utc_day: string, channel: LimitedChannel, count: number): void {
  if (service.counted.utc_day < utc_day) service.counted = { utc_day, counts: {} };
  const { counted } = service;
  if (counted.utc_day === utc_day) counted.counts[channel] = Math.max(count, counted.counts[channel] ?? 0);
}

async function readSendingServices(app: Platform, ids: string[]): Promise<SendingService[]> {
  const utc_day = app.country.limitCalendar.day(app.clock.now());
  return (await selectSendingServices(app.db, ids, utc_day)).map((row) => ({
    id: row.id,
    restricted: row.restricted,
    permissions: sharedSet(row.permissions),
    rate_limit: row.rate_limit,
    api_dialect: row.api_dialect,
    smtp_files: row.smtp_files,
    daily_limits: {
      sms: row.sms_message_limit,
      email: row.email_message_limit,
      letter: row.letter_message_limit,
      international_sms: row.international_sms_message_limit,
    },
    annual_limits: row.annual_limits ?? noAnnualLimits,
    text_unit:
      row.sms_limit_unit === 'messages' && row.sms_limit_unit_from === null
        ? messages
        : { sms_limit_unit: row.sms_limit_unit, sms_limit_unit_from: row.sms_limit_unit_from },
    contact_link: row.contact_link,
    email_sender_local_part: row.email_sender_local_part,
    sms_prefix: row.sms_prefix,
    sms_senders: new Map(row.sms_senders.map(({ id, text }) => [id, text])),
    email_reply_tos:
      row.email_reply_tos.length === 0 ? none : new Map(row.email_reply_tos.map(({ id, text }) => [id, text])),
    allowed_recipients: new Set(
      row.recipients.filter(Boolean).flatMap((each) => spellingsOf(normaliseRecipient(app.country.phone, each))),
    ),
    guard: row.guard,
    has_opt_outs: row.has_opt_outs,
    sending_times: row.sending_times && sendingTimesOf(app, row.sending_times),
    counted: { utc_day, counts: Object.fromEntries(row.counts.map(({ channel, count }) => [channel, count])) },
  }));
}

function sendingTimesOf(
  { country }: Platform,
  { windows, sms_window_id, email_window_id, time_zone, templates }: NonNullable<SendingServiceRow['sending_times']>,
): SendingTimes {
  const byId = new Map(windows.map((window) => [window.id, window]));
  const find = (id: string | null) => (id === null ? undefined : byId.get(id));
  return {
    sms: find(sms_window_id),
    email: find(email_window_id),
    templates: new Map((templates ?? []).map(({ template_id, window_id }) => [template_id, find(window_id) ?? 'none'])),
    time_zone: time_zone ?? country.calendar.zone,
  };
}

const messages: TextUnitSetting = { sms_limit_unit: 'messages', sms_limit_unit_from: null };
const noAnnualLimits: readonly AnnualLimits[] = [];
const none: ReadonlyMap<string, string> = new Map();
const maxShared = 1_000;
const shared = new Map<string, ReadonlySet<string>>();

/** Shares equal sets: most services have the same permissions, and a set takes as much memory as all other settings. */
function sharedSet(values: string[]): ReadonlySet<string> {
  const text = values.join();
  const existing = shared.get(text);
  if (existing) return existing;
  const set = new Set(values);
  if (shared.size < maxShared) shared.set(text, set);
  return set;
}
