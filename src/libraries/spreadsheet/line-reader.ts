import { SpreadsheetError } from './spreadsheet-error.ts';

interface Line {
  /** Counted from 1. */
  line: number;
  text: string;
}

const lineFeed = 0x0a;
/** Bounds the text that exists at once, even if the whole file arrives as one chunk. */
const pieceLength = 65_536;
/** Max UTF-8 bytes per UTF-16 unit. */
const maxBytesOfCharacter = 3;

/** Splits UTF-8 into lines. In UTF-8, a line feed byte is never part of another character. */
export class LineReader {
  private readonly maxCharacters: number;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  /** The beginning of a line whose end has not arrived. */
  private held: Uint8Array[] = [];
  private heldLength = 0;
  private lineCount = 0;

  constructor(maxCharacters: number) {
    this.maxCharacters = maxCharacters;
  }

  *read(chunk: Uint8Array): Generator<Line> {
    for (let at = 0; at < chunk.length; at += pieceLength) yield* this.readPiece(chunk.subarray(at, at + pieceLength));
  }

  /** Yields the last line if the text does not end with a line feed. */
  *end(): Generator<Line> {
    if (this.heldLength > 0) yield* this.split(this.takeHeld(new Uint8Array(0)));
  }

  private *readPiece(piece: Uint8Array): Generator<Line> {
    const end = piece.lastIndexOf(lineFeed);
    if (end !== -1) yield* this.split(this.takeHeld(piece.subarray(0, end)));
    const rest = piece.subarray(end + 1);
    if (rest.length === 0) return;
    this.held.push(rest);
    this.heldLength += rest.length;
    if (this.heldLength > this.maxCharacters * maxBytesOfCharacter) throw this.tooLong();
  }

  private takeHeld(piece: Uint8Array): Uint8Array {
    if (this.heldLength === 0) return piece;
    const joined = new Uint8Array(this.heldLength + piece.length);
    let at = 0;
    for (const part of [...this.held, piece]) {
      joined.set(part, at);
      at += part.length;
    }
    this.held = [];
    this.heldLength = 0;
    return joined;
  }

  private *split(bytes: Uint8Array): Generator<Line> {
    for (const text of this.decode(bytes).split('\n')) {
      if (text.length > this.maxCharacters) throw this.tooLong();
      this.lineCount++;
      yield { line: this.lineCount, text };
    }
  }

  /** Drops a byte order mark. */
  private decode(bytes: Uint8Array): string {
    try {
      return this.decoder.decode(bytes);
    } catch (cause) {
      throw new SpreadsheetError('line-not-utf-8', { line: this.findInvalidLine(bytes) }, { cause });
    }
  }

  private findInvalidLine(bytes: Uint8Array): number {
    let line = this.lineCount + 1;
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      try {
        this.decoder.decode(bytes.subarray(start, end));
      } catch {
        return line;
      }
      line++;
      start = end + 1;
    }
    return line;
  }

  private tooLong(): SpreadsheetError {
    return new SpreadsheetError('line-too-long', { line: this.lineCount + 1, limit: this.maxCharacters });
  }
}
