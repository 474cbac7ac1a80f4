import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { replyLanguage } from '../../countries/answers/answers.ts';
import { confirmOptOut, getInboundText } from '../../inbound/inbound-texts.ts';
import { defaultReply } from '../../inbound/opt-outs/default-replies.ts';
import { getKeywordSettings } from '../../inbound/opt-outs/keyword-settings.ts';
import { applyKeyword, isReplyDue, markEssential } from '../../inbound/opt-outs/opt-outs.ts';
import type { OptOutSettings } from '../../inbound/opt-outs/settings.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { checkPhonePermissions, type PhoneNumber, parsePhoneNumber } from '../../recipients/phone-number.ts';
import { getService } from '../../services/services.ts';
import { getOrCreateReplyTemplate } from '../../templates/templates.ts';
import { lanes } from '../notification.ts';
import { findRateOf } from '../rates-abroad.ts';
import { insertNotifications } from './notifications.sql.ts';

type Deps = Platform & { config: { optOuts: OptOutSettings } };

interface ReplyTo {
  service_id: string;
  /** With country code, digits only. */
  user_number: string;
  /** The number that received the text and sends the reply. */
  notify_number: string;
}

/**
 * Confirms STOP and answers HELP, once in 24 hours, with a message of the service. It counts towards no daily limit, because a person who
 * opts out must get the confirmation.
 */
export async function replyToKeyword(
  app: Deps,
  tx: Tx,
  action: 'stop' | 'help',
  to: ReplyTo,
  now: Date,
): Promise<void> {
  const service = await getService(tx, to.service_id);
  const parsed = parsePhoneNumber(app.country.phone, `+${to.user_number}`);
  if (!parsed.ok || !service.permissions.includes('sms')) return;
  const international = service.permissions.includes('international_sms');
  const number = await findRateOf(app.country.phone, parsed.number);
  if (!number || checkPhonePermissions(number, { international, landline: true })) return;
  if (!(await isReplyDue(tx, to, action, now))) return;
  const template = await getOrCreateReplyTemplate(tx, to.service_id, now);
  await markEssential(tx, { template_id: template.id, service_id: to.service_id }, now);
  await insertNotifications(app.country, tx, [
    {
      id: newId(now),
      service_id: to.service_id,
      template_id: template.id,
      template_version: template.version,
      notification_type: 'sms',
      key_type: 'normal',
      api_key_id: null,
      created_by_id: null,
      status: 'created',
      client_reference: null,
      recipient: `+${to.user_number}`,
      normalised_recipient: number.normalised,
      personalisation: { text: await textOf(app, tx, action, service, number) },
      reply_to_text: to.notify_number,
      postage: null,
      international: number.international,
      rate_multiplier: number.multiplier,
      one_click_unsubscribe_url: null,
      scheduled_for: null,
      created_at: timestamp(now),
      lane: lanes.priority,
      due_at: timestamp(now),
    },
  ]);
}

/** Opts a person out as if they had replied STOP, after a member of the team has read a text that only mentions such a word. */
export async function optOutAfterReview(app: Deps, serviceId: string, textId: string): Promise<void> {
  const now = app.clock.now();
  const text = await getInboundText(app, serviceId, textId);
  await inTransaction(app.db, async (tx) => {
    const keyword = await confirmOptOut(tx, text);
    await applyKeyword(app, tx, { action: 'stop', keyword }, text, now);
    // The audit entry does not say whose number it is.
    const after = { keyword, inbound_sms_id: text.id };
    await recordAuditEntry(tx, {
      action: 'create',
      noun: 'sms_opt_out',
      thing_id: text.id,
      service_id: serviceId,
      after,
    });
    await replyToKeyword(app, tx, 'stop', text, now);
  });
}

async function textOf(
  { config, country }: Deps,
  tx: Tx,
  action: 'stop' | 'help',
  { id, name }: { id: string; name: string },
  { region, international }: PhoneNumber,
): Promise<string> {
  const { stop_reply, help_reply, language } = await getKeywordSettings(tx, id);
  const own = action === 'stop' ? stop_reply : help_reply;
  if (own !== null) return own;
  const chosen = language ?? replyLanguage(country, region, !international);
  return defaultReply(country, action, { language: chosen, service: name, help: config.optOuts.helpText });
}
