import { SpreadsheetError } from '../spreadsheet-error.ts';
import type { XmlHandlers } from './xml-reader.ts';

/** Bounds the memory of the table: characters, and about as many bytes for each string itself. */
const maxCharacters = 100_000_000;
const charactersOfEntry = 32;

/** Characters that XML cannot contain are written as `_x000D_`. */
const escaped = /_x([0-9A-Fa-f]{4})_/g;

export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(escaped, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The texts that cells refer to by number. */
export class SharedStrings {
  private readonly strings: string[] = [];
  private characters = 0;
  private text = '';
  private inText = false;
  private inPhonetic = false;

  get(index: number): string {
    const text = this.strings[index];
    if (text === undefined) throw new SpreadsheetError('unreadable');
    return text;
  }

  readonly handlers: XmlHandlers = {
    open: (name) => {
      if (name === 'si') this.text = '';
      else if (name === 'rPh') this.inPhonetic = true;
      else if (name === 't') this.inText = !this.inPhonetic;
    },
    close: (name) => {
      if (name === 't') this.inText = false;
      else if (name === 'rPh') this.inPhonetic = false;
      else if (name === 'si') this.add(unescapeText(this.text));
    },
    text: (text) => {
      if (this.inText) this.text += text;
    },
  };

  private add(text: string): void {
    this.characters += text.length + charactersOfEntry;
    if (this.characters > maxCharacters) throw new SpreadsheetError('too-large-unpacked');
    // A slice keeps the text that it was cut from, here the whole part, in memory: hence the copy.
    this.strings.push(Buffer.from(text).toString());
  }
}
