import { randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '../../documents/document-links.ts';
import { type SentFile, typeOfSentFile } from '../../documents/sent-files.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { newId, nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { refuseIfInfected, type VirusScanner } from '../../platform/storage/virus-scan.ts';
import type { Status } from '../notification.ts';
import {
  deleteAttachments,
  insertAttachments,
  selectAttachmentsOf,
  selectUnneededAttachments,
} from './attachments.sql.ts';

/** A file attached to an email. */
interface Attachment {
  filename: string;
  mime_type: string;
  content: Buffer;
}

/** A file's entry among the secret values of its message. */
export interface StoredAttachment {
  id: string;
  filename: string;
  mime_type: string;
  size_in_bytes: number;
  /** The key that encrypts the file, in base64url. */
  key: string;
}

interface Message {
  id: string;
  service_id: string;
  now: Date;
}

function attachmentPath({ id, service_id }: { id: string; service_id: string }): string {
  return `attachments/${service_id}/${id}`;
}

/** Checks the files of an email and encrypts each with its own key. Returns them in the order of the request. */
export async function prepareAttachments(
  app: Platform & { virusScanner: VirusScanner },
  message: Message,
  files: readonly SentFile[],
) {
  const stored: StoredAttachment[] = [];
  const encrypted = new Map<string, Buffer>();
  for (const file of files) {
    const { mime_type } = typeOfSentFile(file);
    await refuseIfInfected(app.virusScanner, file.content);
    const id = newId(message.now);
    const key = randomBytes(32);
    stored.push({
      id,
      filename: safeName(file.filename ?? file.name),
      mime_type,
      size_in_bytes: file.content.length,
      key: key.toString('base64url'),
    });
    encrypted.set(attachmentPath({ id, service_id: message.service_id }), encrypt(key, file.content));
  }
  return {
    stored,
    paths: [...encrypted.keys()],
    async put() {
      for (const [path, content] of encrypted) await app.files.put(path, content);
    },
    async record(tx: Tx) {
      const rows = stored.map(({ id }) => ({ id, service_id: message.service_id, notification_id: message.id }));
      if (rows.length > 0) await insertAttachments(tx, rows);
    },
  };
}

/** Mail clients save the file under this name, so it must not contain a folder or start a new header. */
function safeName(filename: string): string {
  return filename.replaceAll(/[\p{Cc}\p{Cs}/\\\u2028\u2029]/gu, '_');
}

export async function readAttachments(
  { files }: Platform,
  service_id: string,
  attachments: readonly StoredAttachment[],
): Promise<Attachment[]> {
  const read: Attachment[] = [];
  for (const { id, filename, mime_type, key } of attachments) {
    const encrypted = await files.get(attachmentPath({ id, service_id }));
    const content = encrypted && decrypt(Buffer.from(key, 'base64url'), encrypted);
    if (!content) throw new Error(`The attachment ${id} of a message is missing, or cannot be decrypted`);
    read.push({ filename, mime_type, content });
  }
  return read;
}

/** A message in these statuses may still be sent, or sent again. */
const openStatuses: Status[] = ['created', 'sending', 'pending', 'pending-virus-check'];
const batchSize = 1_000;

/** Deletes the files of messages that are final or no longer stored. */
export async function deleteUnneededAttachments(app: Platform): Promise<void> {
  for (let after: string | undefined = nilId; after !== undefined; ) {
    const { unneeded, last } = await selectUnneededAttachments(app.db, after, batchSize, openStatuses);
    await remove(app, unneeded);
    after = last;
  }
}

/** Returns the number of deleted files. */
export async function eraseAttachments(app: Platform, notificationIds: string[]): Promise<number> {
  let erased = 0;
  for (let from = 0; from < notificationIds.length; from += batchSize) {
    const found = await selectAttachmentsOf(app.db, notificationIds.slice(from, from + batchSize));
    await remove(app, found);
    erased += found.length;
  }
  return erased;
}

/** Deletes the row last, because it is needed to find the file again after an interruption. */
async function remove(
  { db, files }: { db: Db; files: Platform['files'] },
  attachments: { id: string; service_id: string }[],
): Promise<void> {
  if (attachments.length === 0) return;
  for (const attachment of attachments) await files.remove(attachmentPath(attachment));
  await deleteAttachments(
    db,
    attachments.map(({ id }) => id),
  );
}
