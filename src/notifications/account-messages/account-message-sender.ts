import { english } from '../../language/language.ts';
import { inLanguage } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { checkPhonePermissions, parsePhoneNumber } from '../../recipients/phone-number.ts';
import { phoneNumberText, refusedEmailAddress } from '../../recipients/recipient-texts.ts';
import { cleanRecipient } from '../../recipients/whitespace.ts';
import { chooseLanguage } from '../../templates/languages/languages.ts';
import type { AccountMessage, AccountMessageSender } from '../../users/account-messages/account-messages.ts';
import { platformServiceId } from '../../users/platform-user.ts';
import { lanes, type NewNotification } from '../notification.ts';
import { findRateOf } from '../rates-abroad.ts';
import { insertNotifications, updateSecretValues } from '../sending/notifications.sql.ts';
import { encryptValues } from '../sending/secret-values.ts';
import { selectAccountTemplate, selectLanguageOf } from './account-message-sender.sql.ts';

/**
 * Sends messages to users as notifications of the platform service: delivered, listed and counted like any other, in the priority lane.
 * Their values are encrypted, and deleted after delivery.
 */
export function accountMessageSender(app: Platform): AccountMessageSender {
  return {
    async send(tx, message) {
      const template = await selectAccountTemplate(tx, platformServiceId, message.template_id);
      if (!template) throw new Error(`The platform service has no template ${message.template_id}`);
      const now = app.clock.now();
      const id = newId(now);
      const language = await languageFor(app, tx, message, template);
      const values = inLanguage(app.languages.find(language ?? english.tag) ?? english, () =>
        withoutLinks(message.personalisation, template.template_type),
      );
      const secret = encryptValues(app, id, values);
      const recipient =
        template.template_type === 'sms' ? await phoneRecipient(app, message.to) : emailRecipient(message.to);
      await insertNotifications(app.country, tx, [
        {
          id,
          service_id: platformServiceId,
          template_id: message.template_id,
          template_version: template.version,
          notification_type: template.template_type,
          key_type: 'normal',
          api_key_id: null,
          created_by_id: null,
          status: 'created',
          client_reference: null,
          personalisation: {},
          language,
          reply_to_text:
            message.reply_to ?? (template.template_type === 'sms' ? template.sms_sender : template.email_reply_to),
          postage: null,
          one_click_unsubscribe_url: null,
          scheduled_for: null,
          created_at: timestamp(now),
          lane: lanes.priority,
          due_at: timestamp(now),
          ...recipient,
        },
      ]);
      await updateSecretValues(tx, id, secret);
      return { id };
    },
  };
}

type AccountTemplate = NonNullable<Awaited<ReturnType<typeof selectAccountTemplate>>>;

/**
 * Returns the language of the template to send: that of the recipient's account, or else the one in the message. Null for the template's
 * own text.
 */
async function languageFor(
  { languages }: Platform,
  tx: Tx,
  { to, language: asked }: AccountMessage,
  { template_type, language, variants }: AccountTemplate,
): Promise<string | null> {
  if (language === null) return null;
  const ofAccount = template_type === 'email' ? await selectLanguageOf(tx, to) : undefined;
  const known = [ofAccount, asked].flatMap((tag) => languages.find(tag ?? '') ?? []);
  const { tag } = known[0] ?? languages.default;
  return chooseLanguage({ default: language, variants }, tag).language;
}

/**
 * People choose names that the platform then sends to others, so mail clients and phones must not turn a name into a link. Inserts a space
 * wherever an address could continue, in emails a zero-width space. See docs/decisions/0055-messages-on-request.md.
 */
function withoutLinks(values: AccountMessage['personalisation'], type: 'sms' | 'email' | 'letter') {
  const space = type === 'sms' ? ' ' : '\u200b';
  const plain = Object.entries(values).map(([key, value]) => {
    const isName = key.endsWith('name') && typeof value === 'string';
    const text = Array.isArray(value) ? value.map(String) : String(value);
    return [key, isName ? value.replaceAll(/(?<=[.:/@\]])(?=\S)/g, space) : text];
  });
  return Object.fromEntries(plain) as AccountMessage['personalisation'];
}

type Recipient = Pick<NewNotification, 'recipient' | 'normalised_recipient' | 'international' | 'rate_multiplier'>;

async function phoneRecipient({ country }: Platform, to: string): Promise<Recipient> {
  const parsed = parsePhoneNumber(country.phone, to);
  if (!parsed.ok) throw invalid(phoneNumberText(country.words, parsed.reason));
  const reason = checkPhonePermissions(parsed.number, { international: true, landline: false });
  if (reason) throw invalid(phoneNumberText(country.words, reason));
  const number = await findRateOf(country.phone, parsed.number);
  if (!number) throw invalid(phoneNumberText(country.words, 'unsupported_country_code'));
  const { normalised, international, multiplier } = number;
  return {
    recipient: cleanRecipient(to),
    normalised_recipient: normalised,
    international,
    rate_multiplier: multiplier,
  };
}

function emailRecipient(to: string): Recipient {
  const parsed = parseEmailAddress(to);
  if (!parsed.ok) throw invalid(refusedEmailAddress);
  return {
    recipient: parsed.cleaned,
    normalised_recipient: parsed.address,
    international: false,
    rate_multiplier: 1,
  };
}
