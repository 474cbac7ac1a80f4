import { Fragment } from 'preact';
import { english, englishForPrograms, type Language, type ListKind } from './language.ts';
import { isolated, type Value, type Values, writeMessage } from './message.ts';

declare const brand: unique symbol;

/**
 * A text for people. It is formatted when its page is rendered, in the reader's language. Code can treat it as a string: all string methods
 * use the formatted text. But `===` and `typeof` do not work, so compare ids, never texts.
 */
export type Text = string & { readonly [brand]: true };

let reader: Language = english;

/** Returns the language to format in: English, except while a page or a message to a person is rendered. */
export function currentReader(): Language {
  return reader;
}

/** Runs `write` with this language. It must be synchronous, because another page could be rendered in between. */
export function inLanguage<Result>(language: Language, write: () => Result): Result {
  const before = reader;
  reader = language;
  try {
    const result = write();
    if (result instanceof Promise) throw new Error('What is written in a language cannot wait for something');
    return result;
  } finally {
    reader = before;
  }
}

/** A message with its values, to be stored until somebody reads it. Without values, it is a text that may have a translation. */
export interface StoredText {
  text: string;
  values?: Values;
}

/** Formatted when it is read. For Preact it is a fragment, so it can be used wherever a text can. */
class LazyText {
  private readonly write: () => string;
  /** Undefined if the text is not a single message, such as a list. */
  readonly message: StoredText | undefined;

  constructor(write: () => string, message?: StoredText) {
    this.write = write;
    this.message = message;
  }

  get type() {
    return Fragment;
  }

  get props() {
    return { children: this.toString() };
  }

  /** Preact's renderer stores a node's parent here. Stored in a constant, it would keep the last page in memory. */
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

// Preact treats an object as a node only if it has no constructor.
Object.defineProperty(LazyText.prototype, 'constructor', { value: undefined });
Object.setPrototypeOf(LazyText.prototype, String.prototype);

/** Creates a text that depends on the language in another way than a message, such as a list or a date. */
export function formatted(write: (language: Language) => string): Text {
  return lazy(write);
}

function lazy(write: (language: Language) => string, message?: StoredText): Text {
  return new LazyText(() => write(reader), message) as unknown as Text;
}

const noValues: Values = {};

/**
 * Marks an English text for translation. The text is the key of its translations and an ICU message: `{name}` is a value, `{count, plural,
 * one {# part} other {# parts}}` a number. It is formatted when it is read, so constants can contain texts.
 */
export function t(text: string, values: Values = noValues): Text {
  return lazy((language) => writeMessage(language, text, values), { text, values });
}

/** Creates a text that is declared as data, such as one of a country. It is shown as it is if there is no translation. */
export function declared(text: string): Text {
  return formatted((language) => (/[{}<]/.test(text) ? text : writeMessage(language, text, noValues)));
}

/** Creates a text that is a fixed sentence of the API contract for programs, and another one for people. */
export function forApi(sentence: string, forPeople: string): Text {
  const write = (language: Language) => (language === englishForPrograms ? sentence : String(forPeople));
  return lazy(write, (forPeople as unknown as LazyText).message);
}

/** Returns a text as it is stored. Values that are not messages, such as lists and dates, are stored in English. */
export function storedText(text: string): StoredText {
  const message = (text as unknown as LazyText).message;
  if (!message) return { text: inLanguage(english, () => String(text)) };
  const { values = noValues } = message;
  const plain = (value: Value) => (typeof value === 'number' ? value : inLanguage(english, () => String(value)));
  return {
    text: message.text,
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plain(value)])),
  };
}

export function fromStored({ text, values }: StoredText): Text {
  return values === undefined ? declared(text) : formatted((language) => writeMessage(language, text, values));
}

/** Marks a text that needs no translation: something that a person has typed, a name, a code. */
export function asIs(text: string): Text {
  return text as Text;
}

/** Returns "a, b and c", or "a, b or c". */
export function list(parts: readonly string[], kind?: ListKind): Text {
  return formatted((language) =>
    language.list(
      parts.map((part) => isolated(language, part)),
      kind,
    ),
  );
}

/** Joins texts, such as the sentences of a paragraph. */
export function joined(texts: readonly string[], separator = ' '): Text {
  return formatted(() => texts.join(separator));
}

/** Unlike `typeof`, also recognises a text that is formatted later. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' || value instanceof String;
}

/** Returns a label for use within a sentence: in English in lower case, in other languages unchanged. */
export function within(label: string): Text {
  return formatted(({ tag }) => (tag === 'en' ? label.toLowerCase() : String(label)));
}

/** Returns a text for the start of a sentence. */
export function capitalised(text: string): Text {
  return formatted(({ tag }) => `${text.charAt(0).toLocaleUpperCase(tag)}${text.slice(1)}`);
}

/** Formats a text for programs, logs and others that are not one reader. */
export function inEnglish(text: string): string {
  return typeof text === 'string' ? text : inLanguage(englishForPrograms, () => String(text));
}
