import { t } from '../language/text.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { conflict, invalidField } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { compileTemplate } from '../rendering/template.ts';
import { platformUserId } from '../users/platform-user.ts';
import { selectTemplateById } from './template-rows.sql.ts';
import { changedFields } from './template-update.ts';
import { insertTemplate, lockHiddenTemplates, selectHiddenTemplate, updateTemplates } from './templates.sql.ts';

/** The hidden template of emails from other software. Their values stay redacted: they may contain links that sign in. */

/** Shown in lists of messages and statistics. */
const name = 'Email from other software';
/** Files of one email that can be linked to. */
export const maxMailFiles = 10;
const [subject, body] = ['((subject))', '((body))'];
/** What people write as ((body)): the places for links to files always follow the text of the email. */
const bodyAndFiles = [
  body,
  ...Array.from({ length: maxMailFiles }, (_, index) => `((name_${index + 1}))((file_${index + 1}))`),
].join('\n\n');

/** What people can change. */
interface MailTexts {
  subject: string;
  content: string;
  has_unsubscribe_link: boolean;
}

interface MailTemplate extends MailTexts {
  version: number;
}

const first: MailTemplate = { subject, content: body, has_unsubscribe_link: false, version: 1 };

interface Stored {
  id: string;
  version: number;
}

function find(db: Db | Tx, serviceId: string): Promise<Stored | undefined> {
  const which = { service_id: serviceId, template_type: 'email' as const, created_by_id: platformUserId, name };
  return selectHiddenTemplate(db, which);
}

export async function getOrCreateMailTemplate({ db, clock }: Platform, serviceId: string): Promise<Stored> {
  return (await find(db, serviceId)) ?? inTransaction(db, (tx) => findOrCreate(tx, serviceId, clock.now()));
}

async function findOrCreate(tx: Tx, serviceId: string, now: Date): Promise<Stored> {
  await lockHiddenTemplates(tx, serviceId);
  const existing = await find(tx, serviceId);
  if (existing) return existing;
  const id = newId(now);
  await insertTemplate(tx, {
    ...{ id, service_id: serviceId, name, template_type: 'email', hidden: true, redact_personalisation: true },
    ...{ subject, content: bodyAndFiles, has_unsubscribe_link: false, reply_to: null, folder: null },
    ...{ process_type: 'priority', postage: null, letter_languages: null },
    ...{ letter_welsh_subject: null, letter_welsh_content: null },
    ...{ created_by_id: platformUserId, created_at: timestamp(now) },
  });
  return { id, version: 1 };
}

/** As it will be if the service has received no email yet. */
export async function getMailTemplate(db: Db | Tx, serviceId: string): Promise<MailTemplate> {
  const found = await find(db, serviceId);
  const row = found && (await selectTemplateById(db, found.id));
  if (!row) return first;
  return {
    subject: row.subject ?? subject,
    content: row.content.replace(bodyAndFiles, () => body),
    has_unsubscribe_link: row.has_unsubscribe_link,
    version: row.version,
  };
}

/** Makes the next version, unless nothing differs from the version that was changed. */
export async function changeMailTemplate(
  { db, clock }: Platform,
  serviceId: string,
  { version, ...texts }: MailTemplate,
): Promise<void> {
  refuseUnlessItKeepsTheEmail(texts);
  await inTransaction(db, async (tx) => {
    const now = clock.now();
    const { id } = await findOrCreate(tx, serviceId, now);
    const current = await getMailTemplate(tx, serviceId);
    if (current.version !== version) {
      throw conflict(
        t('Somebody has changed the template in the meantime: version {version} is the newest', {
          version: String(current.version),
        }),
      );
    }
    const { content, ...change } = changedFields<MailTexts>(current, texts);
    const ofContent = content === undefined ? {} : { content: content.replace(body, () => bodyAndFiles) };
    if (content === undefined && Object.keys(change).length === 0) return;
    await updateTemplates(tx, { id }, { ...change, ...ofContent }, timestamp(now));
  });
}

function refuseUnlessItKeepsTheEmail({ subject: changed, content }: MailTexts): void {
  if (!changed.includes(subject)) {
    throw invalidField('subject', t('Keep ((subject)): it stands for the subject of the email.'));
  }
  const ownLines = content.split('\n').filter((line) => line.trim() === body).length;
  if (ownLines !== 1 || content.split(body).length !== 2) {
    throw invalidField('content', t('Keep ((body)) once, on a line of its own: it stands for the text of the email.'));
  }
  refuseOthers('subject', changed, ['subject']);
  refuseOthers('content', content, ['subject', 'body']);
}

/** Software gives no other values, so each of its emails would be refused. */
function refuseOthers(field: keyof MailTexts, text: string, known: readonly string[]): void {
  const { placeholders } = compileTemplate({ template_type: 'email', subject: '', content: text });
  const other = placeholders.find((placeholder) => !known.includes(placeholder));
  if (other === undefined) return;
  throw invalidField(field, t('Remove (({name})): it has no value here.', { name: other }));
}
