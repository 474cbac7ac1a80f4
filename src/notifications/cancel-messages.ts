import type { Country } from '../countries/country.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { parsePhoneNumber } from '../recipients/phone-number.ts';
import { unitOn } from '../services/settings/text-unit.ts';
import { type CompiledTemplates, getTemplateForDelivery } from '../templates/compiled-templates.ts';
import { type CountedMessage, selectCounted } from './cancel-messages.sql.ts';
import { returnInYears } from './limits/annual-limits.ts';
import { returnMessages } from './limits/daily-limits.ts';
import type { ChangedNotification, transitions } from './notification.ts';
import { valuesOf } from './sending/secret-values.ts';
import { recordStatusChanges } from './status.ts';

export type CancelDeps = Platform & { compiledTemplates: CompiledTemplates };

/**
 * Cancels messages that were never handed over and returns them to the limits. Returns those that changed. Do it last in a transaction,
 * because it blocks other messages of the service.
 */
export async function cancelMessages(
  app: CancelDeps,
  tx: Tx,
  ids: readonly string[],
  now: Date,
  event: keyof typeof transitions = 'cancelled',
): Promise<ChangedNotification[]> {
  const changes = ids.map((id) => ({ id, status: 'cancelled' as const, event, billable_units: 0 }));
  const changed = await recordStatusChanges(app.country, tx, changes, now);
  await returnToLimits(app, tx, changed, now);
  return changed;
}

/** What one counter of a day, and those of its year, get back. */
interface Returned {
  service_id: string;
  channel: CountedMessage['channel'];
  utc_day: string;
  at: Date;
  messages: number;
  parts: number | null;
  international: number;
}

/** Returns cancelled messages to the limits of the day only while that day lasts, to those of the year always. */
export async function returnToLimits(
  app: CancelDeps,
  tx: Tx,
  changed: readonly ChangedNotification[],
  now: Date,
): Promise<void> {
  const limited = changed.flatMap(({ id, key_type }) => (key_type === 'test' ? [] : [id]));
  if (limited.length === 0) return;
  const { country } = app;
  const returned = new Map<string, Returned>();
  for (const message of await selectCounted(tx, limited)) {
    const { service_id, channel } = message;
    const at = new Date(message.counted_at);
    const utc_day = country.limitCalendar.day(at);
    const parts = await partsOf(app, message, utc_day);
    const key = `${service_id} ${channel} ${utc_day} ${country.calendar.financialYear(at)}`;
    const sum = returned.get(key) ?? {
      ...{ service_id, channel, utc_day, at, messages: 0, international: 0 },
      parts: parts === null ? null : 0,
    };
    returned.set(key, {
      ...sum,
      messages: sum.messages + 1,
      parts: sum.parts === null || parts === null ? null : sum.parts + parts,
      international: sum.international + (isAbroad(country, message) ? 1 : 0),
    });
  }
  for (const { at, ...reservation } of returned.values()) {
    if (reservation.utc_day === country.limitCalendar.day(now)) await returnMessages(tx, reservation);
    await returnInYears(tx, country, { ...reservation, at }, reservation);
  }
}

/** Renders the text again: most limits count messages, so the parts are not stored. Returns null if messages were counted that day. */
async function partsOf(app: CancelDeps, message: CountedMessage, utc_day: string): Promise<number | null> {
  if (message.channel !== 'sms' || unitOn(message, utc_day) === 'messages') return null;
  const { compiled } = await getTemplateForDelivery(app, { ...message, notification_type: 'sms', reply_to_text: null });
  if (compiled.template_type !== 'sms') throw new Error('The template of a text is not one of texts');
  return compiled.render(valuesOf(app, message), { prefix: message.sms_prefix }).fragments;
}

function isAbroad({ phone }: Country, { international, normalised_recipient }: CountedMessage): boolean {
  if (!international) return false;
  const parsed = parsePhoneNumber(phone, `+${normalised_recipient ?? ''}`);
  return parsed.ok && parsed.number.abroad;
}
