import { type Attachment, addressParser, decodeWords, type Email } from 'postal-mime';
import { type KeptHeaders, ownMailHeader } from '../notifications/sending/over-smtp.ts';
import { markdownOfHtml, plainMarkdown } from './html-text.ts';
import { MailParser, MailTooLarge } from './mail-parser.ts';

/** The task of the threads that parse large emails, which would block the event loop. */

/** What we use of an email. */
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
  /** The header by which we recognise our own emails. */
  mark: string | undefined;
  headers: KeptHeaders;
  files: MailFile[];
}

export interface MailFile {
  /** Null if it has none. */
  name: string | null;
  bytes: number;
  /** In base64. Empty, with 0 bytes, if attachments do not become links. */
  content: string;
}

export type MailProblem = 'line-ends' | 'loop' | 'parts' | 'broken' | 'text';

const maxReceived = 25;

/** Returns a problem instead of throwing, so that a thread can return it. */
export async function readMail(source: Uint8Array, withContents: boolean): Promise<ReadMail | MailProblem> {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (hasBareLineEnds(bytes)) return 'line-ends';
  let email: Email;
  try {
    email = await new MailParser(withContents).parse(bytes);
  } catch (error) {
    // The library throws at its own limits: nesting and length of headers.
    return error instanceof MailTooLarge ? error.problem : 'broken';
  }
  if (email.headers.filter(({ key }) => key === 'received').length > maxReceived) return 'loop';
  const header = (name: string) =>
    cleaned(decodeWords(email.headers.find(({ key }) => key === name)?.value ?? '')).trim() || undefined;
  const [text, html] = [cleaned(email.text ?? ''), cleaned(email.html ?? '')];
  return {
    subject: cleaned(email.subject ?? ''),
    body: text.trim() === '' ? markdownOfHtml(html) : plainMarkdown(text),
    message_id: header('message-id'),
    from: addressOf(header('from')),
    reference: header('x-pennypost-reference'),
    template_name: header('x-pennypost-template'),
    mark: header(ownMailHeader.toLowerCase()),
    headers: headersToKeep(email),
    files: email.attachments.map((file) => fileOf(file, withContents)),
  };
}

const maxFrom = 1_000;

/** The first address. A long header is not parsed: it can take seconds. */
function addressOf(from = ''): string | undefined {
  return from.length > maxFrom ? undefined : addressParser(from, { flatten: true })[0]?.address;
}

/** For each header. A longer one loses ids in the middle of the conversation. */
const maxHeader = 870;
/** Printable ASCII only, so that no value can end a line; exactly one @, so that the search takes linear time. */
const messageIds = /<[!-;=?A-~]{1,125}@[!-;=?A-~]{1,125}>/g;

function headersToKeep({ headers }: Email): KeptHeaders {
  const written = (name: string) => headers.find(({ key }) => key === name)?.value ?? '';
  const idsIn = (value: string) => shortened([...value.matchAll(messageIds)].map(([id]) => id));
  const [keyword = ''] = /^[a-z-]{1,40}(?=\s*(?:[;(]|$))/i.exec(written('auto-submitted').trim()) ?? [];
  const kept: Required<KeptHeaders> = {
    'In-Reply-To': idsIn(written('in-reply-to')),
    References: idsIn(written('references')),
    'Auto-Submitted': keyword,
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== ''));
}

/** As RFC 5536 advises: the first, which began the conversation, and the last that there is room for. */
function shortened(ids: string[]): string {
  const [first, ...others] = ids;
  if (first === undefined) return '';
  const last: string[] = [];
  let length = first.length;
  for (const id of others.reverse()) {
    length += 1 + id.length;
    if (length > maxHeader) break;
    last.unshift(id);
  }
  return [first, ...last].join(' ');
}

function fileOf({ filename, content }: Attachment, withContents: boolean): MailFile {
  const bytes = Buffer.from(content as ArrayBuffer);
  return { name: filename, bytes: bytes.length, content: withContents ? bytes.toString('base64') : '' };
}

/** For the bytes 80 to 9F, which the decoder of some versions of Node leaves as control characters. */
const windowsLetters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Some software sends NUL, which PostgreSQL cannot store. */
function cleaned(text: string): string {
  return text
    .replaceAll('\0', '')
    .replaceAll(/[\x80-\x9f]/g, (character) => windowsLetters[character.charCodeAt(0) - 0x80] ?? '');
}

const [lf, cr] = [10, 13];

/** A server that accepts one of them as the end of a line could be made to see a second email in this one: SMTP smuggling. */
function hasBareLineEnds(bytes: Buffer): boolean {
  // Several times faster than bytes.some().
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === lf ? bytes[at - 1] !== cr : bytes[at] === cr && bytes[at + 1] !== lf) return true;
  }
  return false;
}
