import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser';
import type { Language } from './language.ts';

/** The value of a part of a message. */
export type Value = string | number;

/** Values by name. `context` distinguishes equal English texts, such as a verb and a noun, and is not shown. */
export type Values = Readonly<Record<string, Value>>;

export function writeMessage(language: Language, text: string, values: Values): string {
  const parts = language.read(text, values.context);
  if (typeof parts === 'string') return parts;
  const write = (value: Value) => isolated(language, value);
  return writeParts(language, parts, { values, write, wrap: (_, inner) => inner.join('') }).join('');
}

interface Writer<Given, Piece> {
  values: Readonly<Record<string, Given>>;
  write(value: Given): Piece;
  /** Wraps the parts between two tags. */
  wrap(tag: string, inner: (Piece | string)[]): Piece | string;
}

/** Adds every part of a message in order, with numbers formatted for the language. */
export function writeParts<Given, Piece>(
  language: Language,
  parts: readonly MessageFormatElement[],
  writer: Writer<Given, Piece>,
  pieces: (Piece | string)[] = [],
  amount = 0,
): (Piece | string)[] {
  for (const part of parts) {
    switch (part.type) {
      case TYPE.literal:
        pieces.push(part.value);
        break;
      case TYPE.pound:
        pieces.push(language.count(amount));
        break;
      case TYPE.argument: {
        const value = writer.values[part.value];
        if (value === undefined) throw new Error(`A message lacks the value ${part.value}`);
        pieces.push(writer.write(value));
        break;
      }
      case TYPE.number:
        pieces.push(language.count(Number(writer.values[part.value])));
        break;
      case TYPE.plural: {
        const value = Number(writer.values[part.value]);
        const category = language.plural(value - part.offset, part.pluralType);
        const chosen = part.options[`=${value}`] ?? part.options[category] ?? part.options.other;
        writeParts(language, chosen?.value ?? [], writer, pieces, value - part.offset);
        break;
      }
      case TYPE.select: {
        const chosen = part.options[String(writer.values[part.value])] ?? part.options.other;
        writeParts(language, chosen?.value ?? [], writer, pieces, amount);
        break;
      }
      case TYPE.tag:
        pieces.push(writer.wrap(part.value, writeParts(language, part.children, writer, [], amount)));
        break;
      default:
        throw new Error('A message formats a date or time itself: give it a text');
    }
  }
  return pieces;
}

/** In right-to-left languages, isolates each value, so that a value in another script does not reverse the sentence around it. */
export function isolated({ direction }: Language, value: Value): string {
  return direction === 'rtl' ? `\u2068${value}\u2069` : String(value);
}
