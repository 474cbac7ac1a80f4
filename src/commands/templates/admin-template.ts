import type { Channel } from '../../protocol/channels.ts';
import type { ProcessType, TemplatePostage } from '../../templates/template-row.ts';
import { type FieldName, type TemplateFields, textOf, withLineFeeds } from './template.ts';

/** The record of the admin API, as far as files have it. Some servers leave fields out. */
export interface AdminTemplate {
  id: string;
  version: number;
  name: string;
  template_type: Channel;
  subject: string | null;
  content: string;
  folder?: string | null;
  postage: TemplatePostage | null;
  reply_to?: string | null;
  process_type?: ProcessType;
  has_unsubscribe_link?: boolean | null;
  letter_welsh_subject?: string | null;
  letter_welsh_content?: string | null;
  archived?: boolean;
}

export function fieldsOf(record: AdminTemplate, folder: string[]): TemplateFields {
  const { template_type: channel, letter_welsh_subject, letter_welsh_content } = record;
  return {
    name: textOf(record.name, `name of template ${record.id}`),
    channel,
    subject: channel === 'sms' ? null : withLineFeeds(record.subject ?? ''),
    content: textOf(record.content, `text of template ${record.id}`),
    folder,
    postage: channel === 'letter' ? (record.postage ?? 'second') : null,
    sender: record.reply_to ?? null,
    process_type: record.process_type ?? 'normal',
    has_unsubscribe_link: record.has_unsubscribe_link ?? false,
    welsh_subject: typeof letter_welsh_subject === 'string' ? withLineFeeds(letter_welsh_subject) : null,
    welsh_content: typeof letter_welsh_content === 'string' ? withLineFeeds(letter_welsh_content) : null,
    archived: record.archived ?? false,
  };
}

/** Leaves out what has its default, because not every server knows every field. */
export function bodyOfNew(fields: TemplateFields): object {
  const { name, channel, subject, content, postage, sender } = fields;
  const names: FieldName[] = [
    ...(fields.process_type === 'normal' ? [] : ['process_type' as const]),
    ...(fields.has_unsubscribe_link ? ['has_unsubscribe_link' as const] : []),
    ...(fields.welsh_content === null ? [] : ['welsh_content' as const]),
  ];
  return {
    name,
    template_type: channel,
    content,
    ...(subject === null ? {} : { subject }),
    ...(postage === null ? {} : { postage }),
    ...(sender === null ? {} : { reply_to: sender }),
    ...bodyOfChange(fields, names),
  };
}

/** Without the folder and the sender, which have requests of their own. */
export function bodyOfChange(fields: TemplateFields, names: FieldName[]): object {
  const isWelsh = fields.welsh_content !== null;
  const { name, subject, content, postage, process_type, has_unsubscribe_link, archived } = fields;
  const sent = { name, subject, content, postage, process_type, has_unsubscribe_link, archived };
  const changed = Object.entries(sent).filter(([field]) => (names as string[]).includes(field));
  const languages = {
    letter_languages: isWelsh ? 'welsh_then_english' : 'english',
    letter_welsh_subject: fields.welsh_subject,
    letter_welsh_content: fields.welsh_content,
  };
  const hasWelsh = names.includes('welsh_subject') || names.includes('welsh_content');
  return { ...Object.fromEntries(changed), ...(hasWelsh ? languages : {}) };
}
