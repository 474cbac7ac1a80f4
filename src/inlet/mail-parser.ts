import { isUtf8 } from 'node:buffer';
import PostalMime, { type Email, type PostalMimeOptions } from 'postal-mime';
import { maxEmailBytes } from '../rendering/email/email.ts';

const maxParts = 100;
const maxDepth = 10;
const maxHeaders_bytes = 256 * 1024;
/** The limit applies to text and HTML before decoding: longer ones exceed the length of an email, or are mostly markup. */
const maxText_bytes = 3 * maxEmailBytes;

/** The email has too many parts, or its text is longer than `maxText_bytes`. */
export class MailTooLarge extends Error {
  readonly problem: 'parts' | 'text';

  constructor(problem: 'parts' | 'text') {
    super(problem);
    this.problem = problem;
  }
}

interface Decoder {
  update(line: Uint8Array): void;
  finalize(): Promise<ArrayBuffer>;
}

type Header = Email['headers'][number];

interface MimeNode {
  headers: Header[];
  state: 'header' | 'body' | 'finished';
  contentType: { multipart: string | false; parsed: { params: Record<string, string> } };
  contentTransferEncoding: { encoding: string };
  contentDecoder: Decoder | null;
}

/** Internals of the library, whose version is pinned. */
interface LineParser {
  root: MimeNode;
  currentNode: MimeNode;
  isInlineTextNode(node: MimeNode): boolean;
  processLine(line: Uint8Array, isLast: boolean): Promise<void>;
  buildMessage(): Email;
  parse(source: Uint8Array): Promise<Email>;
}

const LineParser = PostalMime as unknown as new (options: PostalMimeOptions) => LineParser;

/** Parses an email with limits. Skips the contents of attachments unless they are needed. */
export class MailParser extends LineParser {
  private readonly withContents: boolean;
  private text_bytes = 0;
  private lastPart: MimeNode;
  private partCount = 0;

  constructor(withContents: boolean) {
    super({ maxNestingDepth: maxDepth, maxRfc822NestingDepth: 0, maxHeadersSize: maxHeaders_bytes });
    this.withContents = withContents;
    this.lastPart = this.currentNode;
  }

  override processLine(line: Uint8Array, isLast: boolean): Promise<void> {
    const { currentNode } = this;
    if (currentNode.state === 'header' && currentNode !== this.lastPart) this.beginPart(currentNode);
    if (currentNode.state === 'header') return super.processLine(inUtf8(line), isLast);
    if (currentNode.state !== 'body') return super.processLine(line, isLast);
    const isText = this.isInlineTextNode(currentNode);
    if (isText) this.countText(line);
    useSmallDecoder(currentNode);
    if (isLast || isBoundary(line)) return super.processLine(line, isLast);
    if (isText || this.needsContentOf(currentNode)) currentNode.contentDecoder?.update(line);
    return done;
  }

  /** Does not parse the addresses of headers that we do not use: of a list of 30 kB this can take seconds. */
  override buildMessage(): Email {
    const { headers } = this.root;
    this.root.headers = headers.filter(({ key }) => key === 'subject');
    return { ...super.buildMessage(), headers };
  }

  private beginPart(part: MimeNode): void {
    this.lastPart = part;
    this.partCount += 1;
    if (this.partCount > maxParts) throw new MailTooLarge('parts');
  }

  private countText(line: Uint8Array): void {
    this.text_bytes += line.length + lineEnd_bytes;
    if (this.text_bytes > maxText_bytes) throw new MailTooLarge('text');
  }

  private needsContentOf({ contentType }: MimeNode): boolean {
    return this.withContents && !contentType.multipart;
  }
}

const done = Promise.resolve();
const lineEnd_bytes = 2;
const [dash, equals, carriageReturn, newline] = [45, 61, 13, 10];

function isBoundary(line: Uint8Array): boolean {
  return line[0] === dash && line[1] === dash;
}

/** The decoders of the library keep an object for each line or base64 unit: 10 MB of empty lines would take 600 MB. */
function useSmallDecoder(node: MimeNode): void {
  if (node.contentDecoder instanceof SmallDecoder) return;
  const { encoding } = node.contentTransferEncoding;
  if (/base64/.test(encoding)) node.contentDecoder = new SmallDecoder(node, decodeBase64);
  else if (!/quoted-printable/.test(encoding)) node.contentDecoder = new SmallDecoder(node, decodePlain);
}

/** Old software sends the letters of Windows and does not say so. */
const windows = 'windows-1252';
const windowsDecoder = new TextDecoder(windows);

function inUtf8(line: Uint8Array): Uint8Array {
  return isUtf8(line) ? line : Buffer.from(windowsDecoder.decode(line));
}

/** The lines of a part follow each other in the source, so their range is enough. */
class SmallDecoder implements Decoder {
  private readonly node: MimeNode;
  private readonly decode: (source: Uint8Array) => Uint8Array<ArrayBuffer>;
  private source: ArrayBufferLike | undefined;
  private from = 0;
  private until = 0;

  constructor(node: MimeNode, decode: (source: Uint8Array) => Uint8Array<ArrayBuffer>) {
    this.node = node;
    this.decode = decode;
  }

  update(line: Uint8Array): void {
    if (!this.source) {
      this.source = line.buffer;
      this.from = line.byteOffset;
    }
    this.until = line.byteOffset + line.length;
  }

  async finalize(): Promise<ArrayBuffer> {
    if (!this.source) return new ArrayBuffer(0);
    const content = this.decode(new Uint8Array(this.source, this.from, this.until - this.from));
    const { params } = this.node.contentType.parsed;
    if (params.charset === undefined || /^(?:us-)?ascii$/i.test(params.charset))
      params.charset = isUtf8(content) ? 'utf-8' : windows;
    const { buffer, byteLength } = content;
    return byteLength === buffer.byteLength ? buffer : buffer.slice(0, byteLength);
  }
}

/** With the line ends of a text. The source has no CR elsewhere. */
function decodePlain(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(source.length + 1);
  let size = 0;
  for (let at = 0; at < source.length; at += 1)
    if (source[at] !== carriageReturn) content[size++] = source[at] as number;
  content[size++] = newline;
  return content.subarray(0, size);
}

const base64Values = new Int8Array(256).fill(-1);
for (const [value, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  base64Values[character.charCodeAt(0)] = value;

/** Some software pads every line, so padding does not end the content. */
function decodeBase64(source: Uint8Array): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(Math.ceil((source.length * 3) / 4));
  let size = 0;
  let bits = 0;
  let bitCount = 0;
  for (let at = 0; at < source.length; at += 1) {
    const byte = source[at] as number;
    const value = base64Values[byte] as number;
    if (value >= 0) {
      bits = ((bits << 6) | value) & 0xffff;
      bitCount += 6;
      if (bitCount >= 8) {
        bitCount -= 8;
        content[size++] = bits >> bitCount;
      }
    } else if (byte === equals) bitCount = 0;
  }
  return content.subarray(0, size);
}
