import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser';
import type { Language } from './language.ts';

/** What a part of a message stands for. */
export type Value = string | number;

/** Values by name. `context` tells apart equal English texts, such as a verb and a noun, and is not shown. */
export type Values = Readonly<Record<string, Value>>;

/** The text of a message in a language. */
export function writeMessage(language: Language, text: string, values: Values): string {
  const parts = language.read(text, values.context);
  if (typeof parts === 'string') return parts;
  const write = (value: Value) => isolated(language, value);
  return writeParts(language, parts, { values, write, wrap: (_, inner) => inner.join('') }).join('');
}

interface Writer<Given, Piece> {
  values: Readonly<Record<string, Given>>;
  write(value: Given): Piece;
  /** What stands between the tags of a name. */
  wrap(tag: string, inner: (Piece | string)[]): Piece | string;
}

/** Every piece of a message in its order; numbers are written as in the language. */
export function writeParts<Given, Piece>(
  language: Language,
  parts: readonly MessageFormatElement[],
  writer: Writer<Given, Piece>,
  amount = 0,
): (Piece | string)[] {
  const numberOf = (name: string) => Number(writer.values[name]);
  return parts.flatMap((part): (Piece | string)[] => {
    switch (part.type) {
      case TYPE.literal:
        return [part.value];
      case TYPE.pound:
        return [language.count(amount)];
      case TYPE.argument: {
        const value = writer.values[part.value];
        if (value === undefined) throw new Error(`A message lacks the value ${part.value}`);
        return [writer.write(value)];
      }
      case TYPE.number:
        return [language.count(numberOf(part.value))];
      case TYPE.plural: {
        const value = numberOf(part.value);
        const category = language.plural(value - part.offset, part.pluralType);
        const chosen = part.options[`=${value}`] ?? part.options[category] ?? part.options.other;
        return writeParts(language, chosen?.value ?? [], writer, value - part.offset);
      }
      case TYPE.select: {
        const chosen = part.options[String(writer.values[part.value])] ?? part.options.other;
        return writeParts(language, chosen?.value ?? [], writer, amount);
      }
      case TYPE.tag:
        return [writer.wrap(part.value, writeParts(language, part.children, writer, amount))];
      default:
        throw new Error('A message formats a date or time itself: give it a text');
    }
  });
}

/** A value in another script must not turn the sentence around it, so in languages from right to left each stands apart. */
function isolated({ direction }: Language, value: Value): string {
  return direction === 'rtl' ? `\u2068${value}\u2069` : String(value);
}
