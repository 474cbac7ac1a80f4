import { setImmediate } from 'node:timers/promises';

/** The two encodings of RFC 2045 for a text that mail servers must not change. */
interface EncodedText {
  encoding: 'quoted-printable' | 'base64';
  /** Lines of at most 76 characters with CRLF between them. */
  lines: string;
}

/** Encoded at a time: the HTML of the longest emails has ten megabytes. A multiple of the 57 bytes of a line of base64. */
export const pieceBytes = 57 * 1_024;

/** In the shorter of the two, which is quoted-printable until a tenth of the characters are outside ASCII. */
export async function encodeText(text: string): Promise<EncodedText> {
  const bytes = Buffer.from(text);
  const isMostlyAscii = bytes.length - text.length <= text.length / 10;
  const encodePiece = isMostlyAscii ? quotedPrintableEncoder(bytes) : base64Encoder(bytes);
  let lines = '';
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    if (from > 0) await setImmediate();
    lines += encodePiece(from, Math.min(from + pieceBytes, bytes.length));
  }
  return { encoding: isMostlyAscii ? 'quoted-printable' : 'base64', lines };
}

type Encoder = (from: number, to: number) => string;

function base64Encoder(bytes: Buffer): Encoder {
  return (from, to) => bytes.toString('base64', from, to).replaceAll(/.{76}/g, '$&\r\n');
}

const [tab, lineFeed, carriageReturn, space, equals] = [0x09, 0x0a, 0x0d, 0x20, 0x3d] as const;
const hexDigits = Buffer.from('0123456789ABCDEF');
/** A line has one more character where it is continued: an equals sign. */
const maxLineLength = 75;
/** A byte becomes three characters at most, and every 25th of these a soft line break. */
const scratch = Buffer.allocUnsafe(pieceBytes * 4);

const asItIs = 1;
const unlessLastInLine = 2;
const lineBreak = 3;
const treatment = new Uint8Array(256);
treatment.fill(asItIs, 0x21, 0x7f);
treatment[equals] = 0;
treatment[space] = unlessLastInLine;
treatment[tab] = unlessLastInLine;
treatment[lineFeed] = lineBreak;

/**
 * A line break of the text is one of the message. Characters stay whole at the end of a line: some mail clients decode line by
 * line. This is most of the cost of composing an email, so it works on bytes.
 */
function quotedPrintableEncoder(bytes: Buffer): Encoder {
  let lineLength = 0;
  return (from, to) => {
    let column = lineLength;
    let end = 0;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      const treated = treatment[byte];
      if (treated === asItIs || (treated === unlessLastInLine && !endsLine(bytes, at + 1))) {
        if (column === maxLineLength) {
          end = writeSoftLineBreak(end);
          column = 0;
        }
        scratch[end++] = byte;
        column += 1;
      } else if (treated === lineBreak) {
        scratch[end++] = carriageReturn;
        scratch[end++] = lineFeed;
        column = 0;
      } else if (byte !== carriageReturn || bytes[at + 1] !== lineFeed) {
        if (column + 3 * bytesOfCharacter(byte) > maxLineLength) {
          end = writeSoftLineBreak(end);
          column = 0;
        }
        scratch[end++] = equals;
        scratch[end++] = hexDigits[byte >> 4] as number;
        scratch[end++] = hexDigits[byte & 15] as number;
        column += 3;
      }
    }
    lineLength = column;
    return scratch.toString('latin1', 0, end);
  };
}

function endsLine(bytes: Buffer, at: number): boolean {
  return at === bytes.length || bytes[at] === lineFeed || bytes[at] === carriageReturn;
}

function writeSoftLineBreak(end: number): number {
  scratch[end] = equals;
  scratch[end + 1] = carriageReturn;
  scratch[end + 2] = lineFeed;
  return end + 3;
}

/** By its first byte in UTF-8; a byte inside a character counts alone, because the first one has made room for it. */
function bytesOfCharacter(byte: number): number {
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
