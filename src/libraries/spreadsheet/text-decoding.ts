import { SpreadsheetError } from './spreadsheet-error.ts';

type Decoder = InstanceType<typeof TextDecoder>;

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

const marks: readonly [TextEncoding, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
const longestMark = 3;

/** No text file has these; U+0080 to U+009F are the bytes that Windows-1252 does not define. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const notWindowsText = /[\0-\x08\x0e-\x1f\x7f\x80-\x9f]/;

/**
 * Decodes a file piece by piece. UTF-8 and Windows-1252 are identical until the first byte above 127, so the sequence that starts there
 * decides. Deciding later would require keeping the file.
 */
export class TextDecoding {
  /** Final when the whole file has been decoded. */
  encoding: TextEncoding = 'utf-8';
  private held = new Uint8Array(0);
  private started = false;
  private decoder: Decoder | undefined;
  private binary = false;

  decode(chunk: Uint8Array): string {
    const bytes = this.takeHeld(chunk);
    if (!this.started && !this.start(bytes, false)) return '';
    return this.decodeStarted(bytes, false);
  }

  end(): string {
    const bytes = this.takeHeld(new Uint8Array(0));
    if (!this.started) this.start(bytes, true);
    return this.decodeStarted(bytes, true);
  }

  private takeHeld(chunk: Uint8Array): Uint8Array {
    if (this.held.length === 0) return chunk;
    const joined = new Uint8Array(this.held.length + chunk.length);
    joined.set(this.held);
    joined.set(chunk, this.held.length);
    this.held = new Uint8Array(0);
    return joined;
  }

  /** The byte order mark stays in the text; reading strips it like spaces. */
  private start(bytes: Uint8Array, last: boolean): boolean {
    if (bytes.length < longestMark && !last) {
      this.held = bytes.slice();
      return false;
    }
    const found = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
    if (found) this.use(found[0]);
    this.started = true;
    return true;
  }

  private decodeStarted(bytes: Uint8Array, last: boolean): string {
    if (this.decoder) return this.decodeWith(this.decoder, bytes, last);
    const at = findNonAscii(bytes);
    if (at === -1) return this.ascii(bytes);
    const before = this.ascii(bytes.subarray(0, at));
    const rest = bytes.subarray(at);
    const length = sequenceLength(rest[0] ?? 0);
    if (rest.length < length && !last) {
      this.held = rest.slice();
      return before;
    }
    const decoder = this.use(isUtf8(rest.subarray(0, length)) ? 'utf-8' : 'windows-1252');
    if (this.binary && this.encoding === 'windows-1252') throw new SpreadsheetError('not-text');
    return before + this.decodeWith(decoder, rest, last);
  }

  private use(encoding: TextEncoding): Decoder {
    this.encoding = encoding;
    this.decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    return this.decoder;
  }

  private ascii(bytes: Uint8Array): string {
    const text = new TextDecoder().decode(bytes);
    this.binary ||= notWindowsText.test(text);
    return text;
  }

  private decodeWith(decoder: Decoder, bytes: Uint8Array, last: boolean): string {
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: !last });
    } catch (cause) {
      throw new SpreadsheetError(this.encoding === 'utf-8' ? 'mixed-encodings' : 'not-text', {}, { cause });
    }
    if (this.encoding === 'windows-1252' && notWindowsText.test(text)) throw new SpreadsheetError('not-text');
    return text;
  }
}

// Not findIndex: a function call per byte takes as long as reading the rows.
function findNonAscii(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) > 127) return at;
  return -1;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
