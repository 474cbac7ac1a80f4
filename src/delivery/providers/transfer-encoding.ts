import { setImmediate } from 'node:timers/promises';

/** The two encodings of RFC 2045 for a text that mail servers must not change. */
interface EncodedText {
  encoding: 'quoted-printable' | 'base64';
  /** Lines of at most 76 characters, separated by CRLF. */
  lines: string;
}

/** Bytes to encode at a time, because the HTML of the longest emails has ten megabytes. A multiple of 57, the bytes in a line of base64. */
export const pieceBytes = 57 * 1_024;

/** Uses the shorter encoding: quoted-printable until a tenth of the characters are outside ASCII. */
export async function encodeText(text: string): Promise<EncodedText> {
  const bytes = Buffer.from(text);
  const isMostlyAscii = bytes.length - text.length <= text.length / 10;
  const encodePiece = isMostlyAscii ? quotedPrintable : base64;
  let lines = '';
  let column = 0;
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    if (from > 0) await setImmediate();
    const piece = encodePiece(bytes, from, Math.min(from + pieceBytes, bytes.length), column);
    // A whole piece contains many lines, so it has a line break.
    column = piece.length - 1 - piece.lastIndexOf('\n');
    lines += piece;
  }
  return { encoding: isMostlyAscii ? 'quoted-printable' : 'base64', lines };
}

/** Encodes a file as lines of base64. */
export async function encodeFile(content: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let from = 0; from < content.length; from += pieceBytes) {
    if (from > 0) await setImmediate();
    pieces.push(Buffer.from(base64(content, from, Math.min(from + pieceBytes, content.length)), 'latin1'));
  }
  return Buffer.concat(pieces);
}

function base64(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('base64', from, to).replaceAll(/.{76}/g, '$&\r\n');
}

const [tab, lineFeed, carriageReturn, space, equals] = [0x09, 0x0a, 0x0d, 0x20, 0x3d] as const;
const hexDigits = Uint8Array.from(Buffer.from('0123456789ABCDEF'));
/** A continued line ends with one more character, an equals sign. */
const maxLineLength = 75;
/** A byte takes at most three characters, and a soft line break follows about 25 bytes. */
const written = new Uint8Array(pieceBytes * 4);
const writtenBuffer = Buffer.from(written.buffer);

const asItIs = 1;
const unlessLastInLine = 2;
const lineBreak = 3;
const treatments = new Uint8Array(256);
treatments.fill(asItIs, 0x21, 0x7f);
treatments[equals] = 0;
treatments[space] = unlessLastInLine;
treatments[tab] = unlessLastInLine;
treatments[lineFeed] = lineBreak;

/**
 * Line breaks of the text stay line breaks. A character is never split across lines, because some mail clients decode line by line. This is
 * half of the cost of composing an email, so the loop makes no function calls for ordinary characters.
 */
function quotedPrintable(bytes: Buffer, from: number, to: number, startColumn: number): string {
  let column = startColumn;
  let end = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    const treatment = treatments[byte];
    let isLiteral = treatment === asItIs;
    if (treatment === unlessLastInLine) {
      const next = at + 1 < bytes.length ? bytes[at + 1] : lineFeed;
      isLiteral = next !== lineFeed && next !== carriageReturn;
    }
    if (isLiteral) {
      if (column === maxLineLength) {
        end = writeSoftLineBreak(end);
        column = 0;
      }
      written[end++] = byte;
      column += 1;
    } else if (treatment === lineBreak) {
      written[end++] = carriageReturn;
      written[end++] = lineFeed;
      column = 0;
    } else if (byte !== carriageReturn || bytes[at + 1] !== lineFeed) {
      if (column + 3 * bytesOfCharacter(byte) > maxLineLength) {
        end = writeSoftLineBreak(end);
        column = 0;
      }
      written[end++] = equals;
      written[end++] = hexDigits[byte >> 4] as number;
      written[end++] = hexDigits[byte & 15] as number;
      column += 3;
    }
  }
  return writtenBuffer.toString('latin1', 0, end);
}

function writeSoftLineBreak(end: number): number {
  written[end] = equals;
  written[end + 1] = carriageReturn;
  written[end + 2] = lineFeed;
  return end + 3;
}

/**
 * Returns the length of a character from its first UTF-8 byte. A continuation byte counts as one, because the first byte has made room for
 * it.
 */
function bytesOfCharacter(byte: number): number {
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
