import type { ReadyTemplate } from '../templates/compiled-templates.ts';
import { maxFileBytes } from '../templates/files/file-types.ts';
import { maxMailFiles } from '../templates/mail-template.ts';
import { plainMarkdown } from './html-text.ts';
import type { MailFile, ReadMail } from './mail-worker.ts';
import { Reply } from './replies.ts';
import type { InletSettings } from './settings.ts';

const maxFilename = 100;
/** For all recipients, each of whom gets a copy: the client waits until all are scanned and stored. */
const maxFiles_bytes = 100 * 1024 * 1024;

/** Values for the placeholders of files, for an email without them. */
const noFiles = Object.fromEntries<unknown>(
  Array.from({ length: maxMailFiles }, (_, index) => index + 1).flatMap((place) => [
    [`name_${place}`, ''],
    [`file_${place}`, ''],
  ]),
);

/** Values for the template: the body of an email, and its attachments as its service wants them. */
export function bodyAndFiles({ body, files }: ReadMail, mode: InletSettings['files'], recipientCount: number) {
  if (files.length === 0) return { body, ...noFiles };
  if (mode === 'refuse') throw new Reply(554, '5.7.1 Attachments are not accepted');
  if (mode === 'drop') {
    const removed = plainMarkdown(`Attachments removed: ${files.map(shownNameOf).join(', ')}`);
    return { body: `${body}\n\n${removed}`, ...noFiles };
  }
  if (files.length > maxMailFiles) throw new Reply(554, `5.7.1 At most ${maxMailFiles} attachments are accepted`);
  if (files.some(({ bytes }) => bytes > maxFileBytes)) throw new Reply(552, '5.3.4 An attachment is larger than 2 MB');
  if (recipientCount * files.reduce((sum, { bytes }) => sum + bytes, 0) > maxFiles_bytes)
    throw new Reply(552, '5.3.4 The attachments are too large for so many recipients');
  const values = files.flatMap((file, index) => [
    [`name_${index + 1}`, `${plainMarkdown(shownNameOf(file, index))}: `],
    [`file_${index + 1}`, fileValueOf(file)],
  ]);
  return { body, ...noFiles, ...Object.fromEntries(values) };
}

export function refuseUnlessFilesHavePlaces({ compiled }: ReadyTemplate, { files }: ReadMail): void {
  const places = compiled.missing({});
  const without = files.findIndex((_, index) => !places.includes(`file_${index + 1}`));
  if (without >= 0)
    throw new Reply(554, `5.6.0 The template has no place for attachments: add ((file_${without + 1}))`);
}

/** Returns the file in the form that requests to the API have. If it has no name, its content decides its type. */
function fileValueOf(file: MailFile): { file: string; filename?: string } {
  const filename = nameOf(file);
  return filename.includes('.') ? { file: file.content, filename } : { file: file.content };
}

function shownNameOf(file: MailFile, index: number): string {
  return nameOf(file) || `file-${index + 1}`;
}

/** Removes folders and control characters from the name. */
function nameOf({ name }: MailFile): string {
  const [last = ''] = /[^/\\]*$/.exec(name ?? '') ?? [];
  return last
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(-maxFilename)
    .replace(/^\p{Cs}/u, '');
}
