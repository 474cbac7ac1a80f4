import { type Static, Type } from 'typebox';
import type { Country } from '../countries/country.ts';
import type { PhoneRules } from '../countries/phone-rules.ts';
import { channels } from '../protocol/channels.ts';
import { Datetime, Nullable, OneOf, StoredPostage, Uuid } from '../protocol/fields.ts';
import { formatSmsSender } from '../recipients/phone-number.ts';
import { LanguagesOf, languagesInUse, variantFields, withoutPermission } from './languages/languages.ts';
import type { CurrentTemplateRow, TemplateRow } from './template-row.ts';

/** A template in responses of the admin API. */

export const TemplateTypes = OneOf(channels);
export const ProcessTypes = OneOf(['normal', 'priority', 'bulk']);
export const Languages = OneOf(['english', 'welsh_then_english']);

export const TextsInLanguages = LanguagesOf(Type.Object({ ...variantFields, content: Type.String() }));

export const LetterAttachmentRecord = Type.Object({
  id: Uuid,
  original_filename: Type.String(),
  page_count: Type.Integer(),
  created_by_id: Uuid,
  created_at: Datetime,
  archived_by_id: Nullable(Uuid),
  archived_at: Nullable(Datetime),
});

const versionFields = (country: Country) => ({
  id: Uuid,
  service: Uuid,
  name: Type.String(),
  template_type: TemplateTypes,
  subject: Nullable(Type.String()),
  content: Type.String(),
  version: Type.Integer(),
  archived: Type.Boolean(),
  hidden: Type.Boolean(),
  is_precompiled_letter: Type.Boolean(),
  process_type: ProcessTypes,
  template_category_id: Type.Optional({ ...Uuid, description: 'Only templates that have one' }),
  redact_personalisation: Type.Boolean(),
  postage: Nullable(StoredPostage(country, { home: true })),
  reply_to: Nullable(Uuid),
  reply_to_text: Nullable(Type.String()),
  service_letter_contact: Nullable(Uuid),
  service_letter_contact_id: Nullable(Uuid),
  letter_languages: Nullable(Languages),
  letter_welsh_subject: Nullable(Type.String()),
  letter_welsh_content: Nullable(Type.String()),
  letter_attachment: Nullable(LetterAttachmentRecord),
  has_unsubscribe_link: Type.Boolean(),
  languages: Type.Optional(TextsInLanguages),
  email_files: Type.Array(
    Type.Object({
      id: Uuid,
      filename: Type.String(),
      link_text: Nullable(Type.String()),
      retention_period: Type.Integer(),
      validate_users_email: Type.Boolean(),
      pending: Type.Boolean(),
    }),
  ),
  created_at: Datetime,
  updated_at: Nullable(Datetime),
});

const Author = Type.Object({ id: Uuid, name: Type.String() });

const AuthorWithAddress = Type.Object({ ...Author.properties, email_address: Type.String() });

/** The schemas depend on the country, because they list its postage classes. */
export function templateSchemas(country: Country) {
  const fields = versionFields(country);
  const TemplateRecord = Type.Object({ ...fields, folder: Nullable(Uuid), created_by: Author }, { title: 'Template' });
  return {
    TemplateRecord,
    TemplateVersion: Type.Object({ ...fields, template_redacted: Uuid, created_by: AuthorWithAddress }),
    ListedVersion: Type.Object({ ...fields, created_by: Uuid }),
    /** The fields that the front end of GOV.UK Notify reads. */
    ListedVersionWithAuthor: Type.Object({ ...fields, created_by: AuthorWithAddress }),
    ListedTemplate: Type.Pick(TemplateRecord, [
      'id',
      'name',
      'template_type',
      'version',
      'created_at',
      'updated_at',
      'archived',
      'folder',
      'process_type',
      'is_precompiled_letter',
    ]),
  };
}

type TemplateSchemas = ReturnType<typeof templateSchemas>;

export const precompiledName = 'Pre-compiled PDF';

function versionFieldsOf(phone: PhoneRules, { languages: all, ...row }: TemplateRow) {
  const languages = languagesInUse({ languages: all });
  const letterContact = row.template_type === 'letter' ? row.reply_to : null;
  return {
    ...row,
    reply_to_text: replyToTextOf(phone, row),
    service_letter_contact: letterContact,
    service_letter_contact_id: letterContact,
    is_precompiled_letter: isPrecompiled(row),
    ...(row.category_id === null ? {} : { template_category_id: row.category_id }),
    ...(languages ? { languages: withoutPermission(languages) } : {}),
  };
}

export function templateVersion(phone: PhoneRules, row: TemplateRow): Static<TemplateSchemas['TemplateVersion']> {
  return {
    ...versionFieldsOf(phone, row),
    // The redaction record has the id of its template.
    template_redacted: row.id,
    created_by: { ...authorOf(row), email_address: row.created_by_email_address },
  };
}

export function templateRecord(phone: PhoneRules, row: CurrentTemplateRow): Static<TemplateSchemas['TemplateRecord']> {
  return { ...versionFieldsOf(phone, row), created_by: authorOf(row), folder: row.folder };
}

function authorOf(row: TemplateRow): Static<typeof Author> {
  return { id: row.created_by_id, name: row.created_by_name };
}

export function listedVersion(phone: PhoneRules, row: TemplateRow): Static<TemplateSchemas['ListedVersion']> {
  return { ...versionFieldsOf(phone, row), created_by: row.created_by_id };
}

export function isPrecompiled(row: Pick<TemplateRow, 'hidden' | 'name' | 'template_type'>): boolean {
  return row.hidden && row.name === precompiledName && row.template_type === 'letter';
}

/** Returns the sender, reply-to address or contact block of messages with this template. */
export function replyToTextOf(
  phone: PhoneRules,
  row: Pick<TemplateRow, 'template_type' | 'reply_to_text'>,
): string | null {
  if (row.reply_to_text === null || row.template_type !== 'sms') return row.reply_to_text;
  return formatSmsSender(phone, row.reply_to_text);
}
