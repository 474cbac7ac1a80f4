import type { Country } from '../countries/country.ts';
import { t } from '../language/text.ts';
import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import { type Db, inTransaction } from '../platform/db/database.ts';
import { notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Channel } from '../protocol/channels.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import { maxEmailBytes } from '../rendering/email/email.ts';
import { splitAtPlaceholders } from '../rendering/placeholders.ts';
import { smsAlphabet } from '../rendering/sms/gsm.ts';
import { isTooLong, maxSmsLength } from '../rendering/sms/sms.ts';
import { type CompiledTemplate, compileTemplate, type TemplateSource } from '../rendering/template.ts';
import type { ReadyTemplate } from './compiled-templates.ts';
import type { FixedTexts } from './languages/fixed-texts.ts';
import {
  type DraftRow,
  deleteDraft,
  deleteDraftsBefore,
  deleteDraftsBeyond,
  selectDraft,
  selectDraftsOf,
  upsertDraft,
} from './template-drafts.sql.ts';
import { replyToTextOf } from './template-record.ts';
import { compileRow, type EmailFile, type LetterLanguages } from './template-row.ts';
import { selectTemplateById } from './template-rows.sql.ts';
import { insertTemplate, selectTestTemplateId, updateTemplates } from './templates.sql.ts';

/** A template's texts that are not stored, or differ from the stored ones. */
export interface TemplateDraft {
  template_type: Channel;
  content: string;
  subject: string | null;
  has_unsubscribe_link: boolean;
  letter_languages: LetterLanguages | null;
  letter_welsh_subject: string | null;
  letter_welsh_content: string | null;
  /** BCP 47 tag, for a template in several languages. */
  language?: string;
}

/** The placeholders are the same with any alphabet. */
export function compileDraft(
  draft: TemplateDraft,
  contactBlock: string | null,
  alphabet?: Country['sms']['alphabet'],
  dialect?: ApiDialect,
  fixed: FixedTexts & Pick<TemplateSource, 'condition_words'> = {},
): CompiledTemplate {
  const { template_type, subject, content, letter_welsh_subject, letter_welsh_content } = draft;
  const welsh = draft.letter_languages === 'welsh_then_english' ? { letter_welsh_subject, letter_welsh_content } : {};
  const texts = { template_type, subject, content, ...welsh, contact_block: contactBlock };
  return compileTemplate({
    ...texts,
    ...fixed,
    alphabet,
    dialect,
    ...(draft.language ? { language: draft.language } : {}),
  });
}

/** Returns problems to correct before saving, by field. The API would accept some of them. */
export function problemsOfDraft(
  alphabet: Country['sms']['alphabet'],
  draft: TemplateDraft,
  dialect: ApiDialect = 'govuk',
): Record<string, string> {
  const texts = textsOf(draft);
  const problems = texts.flatMap(([field, text, empty]): [string, string][] => {
    if (text.trim() === '') return [[field, empty]];
    const comma = splitAtPlaceholders(text).find((part) => typeof part !== 'string' && part.name.includes(','));
    if (comma) return [[field, t('Placeholders cannot contain commas: take them out of the double brackets.')]];
    return [];
  });
  const size = sizeProblem(alphabet, draft, dialect);
  return Object.fromEntries(size && !problems.some(([field]) => field === 'content') ? [...problems, size] : problems);
}

function textsOf(draft: TemplateDraft): [field: string, text: string, empty: string][] {
  const { template_type, subject, content } = draft;
  if (template_type === 'sms') return [['content', content, t('Enter the message.')]];
  const english: [string, string, string][] = [
    ['subject', subject ?? '', template_type === 'email' ? t('Enter the subject.') : t('Enter the heading.')],
    ['content', content, t('Enter the message.')],
  ];
  if (draft.letter_languages !== 'welsh_then_english') return english;
  return [
    ['letter_welsh_subject', draft.letter_welsh_subject ?? '', t('Enter the heading in Welsh.')],
    ['letter_welsh_content', draft.letter_welsh_content ?? '', t('Enter the message in Welsh.')],
    ...english,
  ];
}

function sizeProblem(
  alphabet: Country['sms']['alphabet'],
  draft: TemplateDraft,
  dialect: ApiDialect,
): [string, string] | undefined {
  const compiled = compileDraft(draft, null, alphabet, dialect);
  switch (compiled.template_type) {
    case 'sms': {
      const { lost } = smsAlphabet(alphabet, dialect).notable(draft.content);
      if (lost.length > 0)
        return [
          'content',
          t(
            '{count, plural, one {Texts cannot include {characters}. Remove it to save.} other {Texts cannot include {characters}. Remove them to save.}}',
            { count: lost.length, characters: lost.join(' ') },
          ),
        ];
      if (!isTooLong(compiled.render(), dialect)) return undefined;
      return [
        'content',
        t('The message is too long: text messages have at most {max} characters.', {
          max: String(maxSmsLength(dialect)),
        }),
      ];
    }
    case 'email':
      if (Buffer.byteLength(draft.content) <= maxEmailBytes) return undefined;
      return ['content', t('The message is too long: emails have at most 2 MB of text.')];
    case 'letter': {
      if (compiled.longQrCodes({}).length === 0) return undefined;
      return ['content', t('A QR code has too much data: use a shorter link.')];
    }
  }
}

export type StoredDraft = DraftRow;

const maxDraftsOfPerson = 20;
const retentionDays = 7;

/** Only its author can change a draft. */
export async function keepDraft(app: Platform, draft: Omit<DraftRow, 'updated_at'>): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const isStored = await upsertDraft(tx, { ...draft, updated_at: timestamp(app.clock.now()) });
    if (!isStored) throw notFound();
    await deleteDraftsBeyond(tx, draft.user_id, maxDraftsOfPerson);
  });
}

interface OwnDraft {
  id: string;
  service_id: string;
  user_id: string;
}

/** Only its author can see a draft. */
export function findDraft(db: Db, which: OwnDraft): Promise<StoredDraft | undefined> {
  return selectDraft(db, which);
}

export async function getDraft(db: Db, which: OwnDraft): Promise<StoredDraft> {
  const draft = await findDraft(db, which);
  if (!draft) throw notFound();
  return draft;
}

/** Returns a person's drafts of a template, newest first; null for those of new templates. */
export function listDraftsOf(db: Db, which: { service_id: string; user_id: string; template_id: string | null }) {
  return selectDraftsOf(db, which);
}

export async function discardDraft({ db }: Platform, which: { id: string; user_id: string }): Promise<void> {
  await deleteDraft(db, which);
}

export async function deleteOldDrafts({ db, clock }: Platform): Promise<void> {
  await deleteDraftsBefore(db, timestamp(earlier(clock.now(), retentionDays * day_ms)));
}

/** The name in lists of messages and statistics. */
const testTemplateName = 'Test from the editor';

interface TestedDraft extends TemplateDraft {
  reply_to: string | null;
  email_files: EmailFile[];
}

/**
 * Stores a draft so that it can be sent as a test, because messages are rendered from stored versions. It becomes the next version of a
 * hidden template, one for each author and channel.
 */
export async function storeTestTemplate(
  app: Platform,
  serviceId: string,
  userId: string,
  draft: TestedDraft,
): Promise<ReadyTemplate> {
  const now = app.clock.now();
  const { template_type, subject, content, has_unsubscribe_link, reply_to } = draft;
  const texts = { subject, content, has_unsubscribe_link, reply_to };
  const row = await inTransaction(app.db, async (tx) => {
    const which = { service_id: serviceId, template_type, created_by_id: userId, name: testTemplateName };
    const existing = await selectTestTemplateId(tx, which);
    const id = existing ?? newId(now);
    if (existing) await updateTemplates(tx, { id }, texts, timestamp(now));
    else {
      await insertTemplate(tx, {
        ...which,
        ...texts,
        id,
        hidden: true,
        folder: null,
        process_type: 'normal',
        postage: null,
        letter_languages: null,
        letter_welsh_subject: null,
        letter_welsh_content: null,
        created_at: timestamp(now),
      });
    }
    const stored = await selectTemplateById(tx, id);
    if (!stored) throw notFound();
    return stored;
  });
  const withFiles = { ...row, reply_to_text: replyToTextOf(app.country.phone, row), email_files: draft.email_files };
  return { row: withFiles, compiled: compileRow(row, row.reply_to_text, app.country), language: null };
}
