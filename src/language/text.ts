import { Fragment } from 'preact';
import { english, englishForPrograms, type Language, type ListKind } from './language.ts';
import { type Values, writeMessage } from './message.ts';

declare const brand: unique symbol;

/**
 * A text for people. It is a message until its page is rendered, and only then written in the language of whoever reads it. To code
 * it is a string, and every method of strings works with what is written, but `===` and `typeof` do not: compare ids, never texts.
 */
export type Text = string & { readonly [brand]: true };

let reader: Language = english;

/** Whoever reads what is written at this moment: English unless a page or a message to a person is rendered. */
export function currentReader(): Language {
  return reader;
}

/** Everything that `write` writes is in this language. It must not wait: another page could be rendered in between. */
export function inLanguage<Written>(language: Language, write: () => Written): Written {
  const before = reader;
  reader = language;
  try {
    const written = write();
    if (written instanceof Promise) throw new Error('What is written in a language cannot wait for something');
    return written;
  } finally {
    reader = before;
  }
}

/** Written when it is read. For Preact it is a fragment, so it may stand wherever a text may. */
class Written {
  private readonly write: () => string;

  constructor(write: () => string) {
    this.write = write;
  }

  get type() {
    return Fragment;
  }

  get props() {
    return { children: this.toString() };
  }

  /** The renderer notes the parent of a node here: a constant would keep the last page that it was part of. */
  get __() {
    return undefined;
  }

  set __(_: unknown) {}

  toString(): string {
    return this.write();
  }

  valueOf(): string {
    return this.toString();
  }

  toJSON(): string {
    return this.toString();
  }
}

// Preact takes an object for a node only if it has no constructor.
Object.defineProperty(Written.prototype, 'constructor', { value: undefined });
Object.setPrototypeOf(Written.prototype, String.prototype);

/** A text that depends on the language in another way than a message does, such as a list or a date. */
export function written(write: (language: Language) => string): Text {
  return new Written(() => write(reader)) as unknown as Text;
}

const noValues: Values = {};

/**
 * Marks an English text for translation; it is the key of its translations, and an ICU message: `{name}` is a value,
 * `{count, plural, one {# part} other {# parts}}` a number. It is written when it is read, so constants may have texts.
 */
export function t(text: string, values: Values = noValues): Text {
  return written((language) => writeMessage(language, text, values));
}

/** A text that is declared as data, such as that of a country: what has no translation is shown as it is. */
export function declared(text: string): Text {
  return written((language) => (/[{}<]/.test(text) ? text : writeMessage(language, text, noValues)));
}

/** A sentence that the contract fixes for programs, and what it says to people. */
export function forApi(sentence: string, forPeople: string): Text {
  return written((language) => (language === englishForPrograms ? sentence : String(forPeople)));
}

/** Says that a text needs no translation: what people have typed, a name, a code. */
export function asIs(text: string): Text {
  return text as Text;
}

/** "a, b and c", or with "or" */
export function list(parts: readonly string[], kind?: ListKind): Text {
  return written((language) => language.list(parts.map(String), kind));
}

/** Texts one after the other, such as the sentences of a passage. */
export function joined(texts: readonly string[], separator = ' '): Text {
  return written(() => texts.join(separator));
}

/** Unlike `typeof`, it knows a text that is written later. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' || value instanceof String;
}

/** A label within a sentence: in English without its capitals, in other languages as it is written. */
export function within(label: string): Text {
  return written(({ tag }) => (tag === 'en' ? label.toLowerCase() : String(label)));
}

/** A text at the start of a sentence. */
export function capitalised(text: string): Text {
  return written(({ tag }) => `${text.charAt(0).toLocaleUpperCase(tag)}${text.slice(1)}`);
}

/** For programs, logs and everything else that is not for one reader. */
export function inEnglish(text: string): string {
  return typeof text === 'string' ? text : inLanguage(englishForPrograms, () => String(text));
}
