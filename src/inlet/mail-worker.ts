import PostalMime, {
  type Attachment,
  addressParser,
  decodeWords,
  type Email,
  type PostalMimeOptions,
} from 'postal-mime';
import { type KeptHeaders, ownMailHeader } from '../notifications/sending/over-smtp.ts';
import { maxEmailBytes } from '../rendering/email/email.ts';
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
  /** What it says to be recognised if it is our own. */
  mark: string | undefined;
  headers: KeptHeaders;
  files: MailFile[];
}

export interface MailFile {
  /** Null if the email does not name it. */
  name: string | null;
  bytes: number;
  /** In base64. Empty, with 0 bytes, unless it is needed. */
  content: string;
}

export type MailProblem = 'line-ends' | 'loop' | 'parts' | 'broken' | 'text';

const maxParts = 100;
const maxDepth = 10;
const maxHeaders_bytes = 256 * 1024;
const maxReceived = 25;
/** So much is searched at once, because a text of all would be another copy. */
const window_bytes = 64 * 1024;
/** More than a boundary with its name takes. */
const maxBoundary = 300;
/** As it is written, with its HTML: what is longer has more text than an email may have, or is hardly anything but markup. */
const maxText_bytes = 3 * maxEmailBytes;

/** Returns a problem instead of throwing, so that a thread can return it. */
export async function readMail(source: Uint8Array, withContents: boolean): Promise<ReadMail | MailProblem> {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  if (hasBareLineEnds(bytes)) return 'line-ends';
  if (countParts(bytes) > maxParts) return 'parts';
  let email: Email;
  try {
    email = await new MailParser(withContents).parse(bytes);
  } catch (error) {
    // The other errors of the parser are its limits.
    return error instanceof TooMuchText ? 'text' : 'broken';
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
    mark: header(ownMailHeader.toLowerCase()),
    headers: headersToKeep(email),
    files: email.attachments.map((file) => fileOf(file, withContents)),
  };
}

/** Of each header. What is longer loses emails in the middle of the conversation. */
const maxHeader = 870;
/** Printable ASCII only, so that a value can end no line; with one @, so that searching takes no longer than reading. */
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

class TooMuchText extends Error {}

/** What the library does with each line, which is not its public surface. Its version is pinned. */
interface LineParser {
  currentNode: { state: 'header' | 'body' | 'finished' };
  isInlineTextNode(node: object): boolean;
  processLine(line: Uint8Array, isLast: boolean): Promise<void>;
  parse(source: Uint8Array): Promise<Email>;
}

const LineParser = PostalMime as unknown as new (options: PostalMimeOptions) => LineParser;

/** Reads no more than an email may have, and files only where they are needed: each line it keeps takes several times its length. */
class MailParser extends LineParser {
  private readonly withContents: boolean;
  private text_bytes = 0;

  constructor(withContents: boolean) {
    super({ maxNestingDepth: maxDepth, maxRfc822NestingDepth: 0, maxHeadersSize: maxHeaders_bytes });
    this.withContents = withContents;
  }

  override processLine(line: Uint8Array, isLast: boolean): Promise<void> {
    const { currentNode } = this;
    if (currentNode.state === 'body') {
      if (this.isInlineTextNode(currentNode)) {
        this.text_bytes += line.length;
        if (this.text_bytes > maxText_bytes) throw new TooMuchText();
      } else if (!this.withContents && !isLast && !isBoundary(line)) return done;
    }
    return super.processLine(line, isLast);
  }
}

const done = Promise.resolve();
const dash = 45;

function isBoundary(line: Uint8Array): boolean {
  return line[0] === dash && line[1] === dash;
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
  for (let at = 0; at < bytes.length; at += window_bytes) {
    const text = bytes.toString('latin1', at, at + window_bytes + maxBoundary);
    for (const [, quoted, bare] of text.matchAll(/\bboundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/gi)) {
      boundaries.add(`--${quoted ?? bare}`);
      if (boundaries.size > maxParts) return boundaries.size;
    }
  }
  if (boundaries.size === 0) return 0;
  let count = 0;
  for (let at = bytes.indexOf('\n--'); at >= 0; at = bytes.indexOf('\n--', at + 1)) {
    const [line = ''] = bytes.toString('latin1', at + 1, at + 204).split('\r');
    if (boundaries.has(line.trimEnd())) count += 1;
  }
  return count;
}
