import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { placeholder } from './check-translation.ts';
import { type Catalogue, Language, textOfKey } from './language.ts';

/**
 * Pseudolanguages for tests: text without brackets on a page is not translated, and `ar-XB` is right to left. Only offered if LANGUAGES
 * names them.
 */
export const pseudoTags = ['en-XA', 'ar-XB'] as const;

export function pseudoLanguage(tag: (typeof pseudoTags)[number]): Language {
  const change = tag === 'en-XA' ? accented : reversed;
  return new Language({ tag, catalogue: new PseudoCatalogue(change), ...(tag === 'en-XA' ? { change } : {}) });
}

class PseudoCatalogue implements Catalogue {
  private readonly change: (text: string) => string;

  constructor(change: (text: string) => string) {
    this.change = change;
  }

  get(key: string): string {
    const parts = parse(textOfKey(key));
    // Adds words no longer than real ones, so that lines still break.
    const grown = '~'.repeat(Math.ceil(lengthOf(parts) * 0.35)).replaceAll(/~{12}(?=~)/g, '$& ');
    return `[${this.print(parts)} ${grown}]`;
  }

  private print(parts: readonly MessageFormatElement[]): string {
    return parts.map((part) => this.printPart(part)).join('');
  }

  private printPart(part: MessageFormatElement): string {
    switch (part.type) {
      case TYPE.literal:
        return this.changeWords(part.value).replaceAll(/[<{}#]/g, "'$&'");
      case TYPE.argument:
        return `{${part.value}}`;
      case TYPE.number:
        return `{${part.value}, number}`;
      case TYPE.pound:
        return '#';
      case TYPE.tag:
        return `<${part.value}>${this.print(part.children)}</${part.value}>`;
      case TYPE.plural: {
        const kind = part.pluralType === 'ordinal' ? 'selectordinal' : 'plural';
        return `{${part.value}, ${kind}, ${this.printOptions(part.options)}}`;
      }
      case TYPE.select:
        return `{${part.value}, select, ${this.printOptions(part.options)}}`;
      default:
        throw new Error('A message formats a date or time itself: give it a text');
    }
  }

  /** Keeps the names of template placeholders. */
  private changeWords(text: string): string {
    const pieces = text.split(new RegExp(`(${placeholder.source})`));
    return pieces.map((piece, index) => (index % 2 === 1 ? piece : this.change(piece))).join('');
  }

  private printOptions(options: Record<string, { value: MessageFormatElement[] }>): string {
    return Object.entries(options)
      .map(([name, { value }]) => `${name} {${this.print(value)}}`)
      .join(' ');
  }
}

/** Counts the characters of a message that a translator writes. */
function lengthOf(parts: readonly MessageFormatElement[]): number {
  return parts.reduce((length, part) => {
    if (part.type === TYPE.literal) return length + part.value.length;
    if (part.type === TYPE.tag) return length + lengthOf(part.children);
    return length;
  }, 0);
}

const plain = 'ABCDEGHIJKLNORSTUWYZabcdeghijklnorstuwyz';
const withAccents = 'ÅƁÇÐÉĜĤÎĴĶĻÑÖŔŠŢÛŴÝŽåƀçðéĝĥîĵķļñöŕšţûŵýž';

function accented(text: string): string {
  return [...text].map((character) => withAccents[plain.indexOf(character)] ?? character).join('');
}

/** Reverses each word, so that values between them keep their own direction. */
function reversed(text: string): string {
  return text.replaceAll(/\S+/g, '\u202E$&\u202C');
}
