import { type Static, Type } from 'typebox';
import type { Country } from '../../countries/country.ts';
import type { PhoneRules } from '../../countries/phone-rules.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { channels } from '../../protocol/channels.ts';
import { Datetime, Nullable, OneOf, StoredPostage, Uuid } from '../../protocol/fields.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';
import type { CompiledTemplate } from '../../rendering/template.ts';
import { type CompiledTemplates, getTemplateForDelivery, renderPreview } from '../../templates/compiled-templates.ts';
import { isPrecompiled, Languages, LetterAttachmentRecord, replyToTextOf } from '../../templates/template-record.ts';
import type { TemplateRow } from '../../templates/template-row.ts';
import { findVersionsOfTemplates } from '../../templates/templates.ts';
import { keptHeadersOf } from '../sending/over-smtp.ts';
import { hidden, valuesForAdmin } from '../sending/secret-values.ts';
import { completedAt } from './public-notification.ts';
import type { StoredNotification } from './stored-notifications.sql.ts';

const Types = OneOf(channels);

/** A notification in the admin API. */
export const activityRecordSchema = (country: Country) =>
  Type.Object(
    {
      id: Uuid,
      service: Uuid,
      notification_type: Types,
      status: Type.String(),
      to: Type.String(),
      normalised_to: Type.String({ description: 'Normalised recipient' }),
      phone_prefix: Nullable(Type.String({ description: 'Country calling code, for text messages' })),
      template: Type.Object({
        id: Uuid,
        service: Uuid,
        version: Type.Integer(),
        name: Type.String(),
        template_type: Types,
        subject: Nullable(Type.String()),
        content: Type.String(),
        reply_to_text: Nullable(Type.String()),
        letter_attachment: Nullable(LetterAttachmentRecord),
        letter_languages: Nullable(Languages),
        letter_welsh_subject: Nullable(Type.String()),
        letter_welsh_content: Nullable(Type.String()),
        has_unsubscribe_link: Type.Boolean(),
        redact_personalisation: Type.Boolean(),
        is_precompiled_letter: Type.Boolean(),
      }),
      template_version: Type.Integer(),
      language: Type.Optional(
        Type.String({ description: 'Only of a text in another language than that of the template' }),
      ),
      subject: Nullable(Type.String()),
      body: Type.String(),
      personalisation: Type.Record(Type.String(), Type.Any()),
      job: Nullable(Type.Object({ id: Uuid, original_file_name: Type.String() })),
      job_row_number: Nullable(Type.Integer({ description: 'The row of its file, from 0' })),
      api_key: Nullable(Uuid),
      key_name: Nullable(Type.String()),
      key_type: OneOf(['normal', 'team', 'test']),
      created_via: Type.Optional(
        Type.Unsafe<'smtp'>({ ...OneOf(['smtp']), description: 'Only of an email that arrived over SMTP' }),
      ),
      created_by: Nullable(Type.Object({ id: Uuid, name: Type.String(), email_address: Type.String() })),
      created_by_name: Nullable(Type.String()),
      created_by_email_address: Nullable(Type.String()),
      client_reference: Nullable(Type.String()),
      reference: Nullable(Type.String({ description: 'The reference of the provider' })),
      sent_by: Nullable(Type.String({ description: 'The provider' })),
      reply_to_text: Nullable(Type.String()),
      unsubscribe_link: Nullable(Type.String()),
      document_download_count: Type.Integer({ description: 'Number of linked files' }),
      postage: Nullable(StoredPostage(country)),
      international: Type.Boolean(),
      rate_multiplier: Type.Number(),
      billable_units: Type.Integer(),
      scheduled_for: Nullable(Datetime),
      held_until: Type.Optional(
        Type.String({
          ...Datetime,
          description: 'Only of a message that waits for its sending time: when that begins',
        }),
      ),
      created_at: Datetime,
      sent_at: Nullable(Datetime),
      updated_at: Nullable(Datetime),
      completed_at: Nullable(Datetime),
    },
    { title: 'Message' },
  );

export type ActivityRecord = Static<ReturnType<typeof activityRecordSchema>>;

type Deps = Platform & { compiledTemplates: CompiledTemplates };

export async function activityRecords(app: Deps, stored: StoredNotification[]): Promise<ActivityRecord[]> {
  const templateOf = await templatesOf(app.db, stored);
  return Promise.all(
    stored.map(async (message) => {
      const { compiled } = await getTemplateForDelivery(app, message);
      return activityRecord(app, message, templateOf(message), compiled);
    }),
  );
}

/** Hides the values of a template with redaction, both on their own and in the rendered message. */
function activityRecord(
  app: Deps,
  stored: StoredNotification,
  row: TemplateRow,
  compiled: CompiledTemplate,
): ActivityRecord {
  const values = valuesForAdmin(app, stored, compiled.placeholders);
  const personalisation = stored.redact_personalisation ? hidden(Object.keys(values)) : values;
  const { subject, body } = renderPreview(compiled, personalisation);
  // List the fields: spreading the row took a seventh of the time of a page with 5,000 messages.
  return {
    id: stored.shown_id,
    service: stored.service_id,
    notification_type: stored.notification_type,
    status: stored.status,
    to: stored.recipient,
    normalised_to: normalisedTo(stored),
    phone_prefix: phonePrefix(app.country.phone, stored),
    template: {
      id: row.id,
      service: row.service,
      version: row.version,
      name: row.name,
      template_type: row.template_type,
      subject: row.subject,
      content: row.content,
      reply_to_text: replyToTextOf(app.country.phone, row),
      letter_attachment: row.letter_attachment,
      letter_languages: row.letter_languages,
      letter_welsh_subject: row.letter_welsh_subject,
      letter_welsh_content: row.letter_welsh_content,
      has_unsubscribe_link: row.has_unsubscribe_link,
      redact_personalisation: stored.redact_personalisation,
      is_precompiled_letter: isPrecompiled(row),
    },
    template_version: stored.template_version,
    ...(stored.language === null ? {} : { language: stored.language }),
    subject,
    body,
    personalisation,
    job: stored.job_id === null ? null : { id: stored.job_id, original_file_name: stored.job_name ?? '' },
    job_row_number: stored.job_row_number,
    api_key: stored.api_key_id,
    key_name: stored.key_name,
    key_type: stored.key_type,
    ...(keptHeadersOf(stored.personalisation) ? { created_via: 'smtp' } : {}),
    created_by: stored.created_by_id
      ? {
          id: stored.created_by_id,
          name: stored.created_by_name ?? '',
          email_address: stored.created_by_email_address ?? '',
        }
      : null,
    created_by_name: stored.created_by_name,
    created_by_email_address: stored.created_by_email_address,
    client_reference: stored.client_reference,
    // Most providers use the message id as their reference.
    reference: stored.provider_reference ?? (stored.provider === null ? null : stored.id),
    sent_by: stored.provider,
    reply_to_text: stored.reply_to_text,
    unsubscribe_link: stored.one_click_unsubscribe_url,
    document_download_count: stored.document_download_count ?? 0,
    postage: stored.postage,
    international: stored.international,
    rate_multiplier: stored.rate_multiplier,
    billable_units: stored.billable_units,
    scheduled_for: stored.scheduled_for,
    ...(stored.held_until === null ? {} : { held_until: stored.held_until }),
    created_at: stored.created_at,
    sent_at: stored.sent_at,
    updated_at: stored.updated_at,
    completed_at: completedAt(stored.status, stored.updated_at),
  };
}

function normalisedTo({ notification_type, recipient, normalised_recipient }: StoredNotification): string {
  if (normalised_recipient !== null) return normalised_recipient;
  return notification_type === 'letter' ? recipient.toLowerCase().replaceAll(/\s/g, '') : recipient;
}

function phonePrefix(
  phone: PhoneRules,
  { notification_type, normalised_recipient }: StoredNotification,
): string | null {
  if (notification_type !== 'sms' || normalised_recipient === null) return null;
  const parsed = parsePhoneNumber(phone, `+${normalised_recipient}`);
  return parsed.ok ? parsed.number.countryPrefix : null;
}

interface TemplateReference {
  template_id: string;
  template_version: number;
}

/** Loads the template version of each message in one query. Not cached, because senders and attachments can change. */
export async function templatesOf(
  db: Db,
  messages: TemplateReference[],
): Promise<(message: TemplateReference) => TemplateRow> {
  const versions = new Map(
    messages.map((message) => [keyOf(message), { id: message.template_id, version: message.template_version }]),
  );
  const rows = await findVersionsOfTemplates(db, [...versions.values()]);
  const found = new Map(rows.map((row) => [keyOf({ template_id: row.id, template_version: row.version }), row]));
  return (message) => {
    const row = found.get(keyOf(message));
    if (!row) throw new Error(`Template ${message.template_id} has no version ${message.template_version}`);
    return row;
  };
}

function keyOf({ template_id, template_version }: TemplateReference): string {
  return `${template_id} ${template_version}`;
}
