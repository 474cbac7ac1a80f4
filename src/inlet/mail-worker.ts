import PostalMime, { type Attachment, addressParser, decodeWords, type Email } from 'postal-mime';
import { markdownOfHtml, plainMarkdown } from './html-text.ts';

/** The task of the mail threads: a large email would block the event loop. A small one is read without a thread. */

/** What we take of an email. */
export interface ReadMail {
  /** Of any length; empty if there is none. */
  subject: string;
  /** In our Markdown. */
  body: string;
  message_id: string | undefined;
  /** The address in From, as written. */
  from: string | undefined;
  reference: string | undefined;
  template_name: string | undefined;
  files: MailFile[];
}

export interface MailFile {
  /** Null if the email does not name it. */
  name: string | null;
  bytes: number;
  /** In base64; empty unless it is needed. */
  content: string;
}

export type MailProblem = 'line-ends' | 'loop' | 'parts' | 'broken';

const maxParts = 100;
const maxDepth = 10;
const maxHeaders_bytes = 256 * 1024;
const maxReceived = 25;

/** Returns a problem instead of throwing, so that a thread can return it. */
export async function readMail(source: Uint8Array, withContents: boolean): Promise<ReadMail | MailProblem> {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (hasBareLineEnds(bytes)) return 'line-ends';
  if (countParts(bytes) > maxParts) return 'parts';
  let email: Email;
  try {
    email = await PostalMime.parse(bytes, {
      maxNestingDepth: maxDepth,
      maxRfc822NestingDepth: 0,
      maxHeadersSize: maxHeaders_bytes,
    });
  } catch {
    // The limits of the parser are its only errors.
    return 'broken';
  }
  if (email.headers.filter(({ key }) => key === 'received').length > maxReceived) return 'loop';
  const header = (name: string) =>
    decodeWords(email.headers.find(({ key }) => key === name)?.value ?? '').trim() || undefined;
  const { text = '', html = '' } = email;
  return {
    subject: email.subject ?? '',
    body: text.trim() === '' ? markdownOfHtml(html) : plainMarkdown(text),
    message_id: header('message-id'),
    from: addressParser(header('from') ?? '', { flatten: true })[0]?.address,
    reference: header('x-pennypost-reference'),
    template_name: header('x-pennypost-template'),
    files: email.attachments.map((file) => fileOf(file, withContents)),
  };
}

function fileOf({ filename, content }: Attachment, withContents: boolean): MailFile {
  const bytes = Buffer.from(content as ArrayBuffer);
  return { name: filename, bytes: bytes.length, content: withContents ? bytes.toString('base64') : '' };
}

/** A server that takes one of them for the end of a line could be made to see another message in this one. */
function hasBareLineEnds(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) if (bytes[at - 1] !== 13) return true;
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1)) if (bytes[at + 1] !== 10) return true;
  return false;
}

/** Lines that separate parts, before anything is made of them. */
function countParts(bytes: Buffer): number {
  const boundaries = new Set<string>();
  const text = bytes.toString('latin1');
  for (const [, quoted, bare] of text.matchAll(/\bboundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/gi)) {
    boundaries.add(`--${quoted ?? bare}`);
    if (boundaries.size > maxParts) return boundaries.size;
  }
  if (boundaries.size === 0) return 0;
  let count = 0;
  for (let at = text.indexOf('\n--'); at >= 0; at = text.indexOf('\n--', at + 1)) {
    const end = text.indexOf('\r', at + 1);
    if (boundaries.has(text.slice(at + 1, Math.min(end < 0 ? text.length : end, at + 204)).trimEnd())) count += 1;
  }
  return count;
}
