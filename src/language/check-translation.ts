import { type MessageFormatElement, TYPE } from '@formatjs/icu-messageformat-parser';
import { type Language, parseMessage } from './language.ts';

/** A placeholder in a template text: `((name))`, or the beginning of `((name??text))`. */
export const placeholder = /\(\([^()?]+(?:\?\?|\)\))/;

/** Returns the problems that a translation would cause on pages, worded for its translator. */
export function problemsOfTranslation(
  language: Pick<Language, 'categories'>,
  text: string,
  translation: string,
): string[] {
  let parts: Collected;
  try {
    parts = collect(parseMessage(translation));
  } catch (error) {
    return [`has a wrong syntax: ${error instanceof Error ? error.message : String(error)}`];
  }
  const expected = collect(parseMessage(text));
  return [
    ...differences(expected.values, parts.values).map(({ is, name }) => `${is} the value {${name}}`),
    ...differences(expected.tags, parts.tags).map(({ is, name }) => `${is} the tag <${name}>`),
    ...differences(placeholdersIn(text), placeholdersIn(translation)).map(
      ({ is, name }) => `${is} the placeholder ${name}`,
    ),
    ...parts.plurals.flatMap((forms) =>
      language.categories.filter((form) => !forms.includes(form)).map((form) => `lacks the plural form ${form}`),
    ),
    ...(parts.hasDate ? ['formats a date or a time, which messages do not'] : []),
  ];
}

interface Collected {
  values: Set<string>;
  tags: Set<string>;
  /** The forms in each plural. */
  plurals: string[][];
  hasDate: boolean;
}

function collect(
  parts: string | readonly MessageFormatElement[],
  found: Collected = { values: new Set(), tags: new Set(), plurals: [], hasDate: false },
): Collected {
  for (const part of typeof parts === 'string' ? [] : parts) {
    if (part.type === TYPE.literal || part.type === TYPE.pound) continue;
    if (part.type === TYPE.tag) {
      found.tags.add(part.value);
      collect(part.children, found);
      continue;
    }
    found.values.add(part.value);
    if (part.type === TYPE.date || part.type === TYPE.time) found.hasDate = true;
    if (part.type !== TYPE.plural && part.type !== TYPE.select) continue;
    if (part.type === TYPE.plural && part.pluralType !== 'ordinal') found.plurals.push(Object.keys(part.options));
    for (const { value } of Object.values(part.options)) collect(value, found);
  }
  return found;
}

function placeholdersIn(text: string): Set<string> {
  return new Set(text.match(new RegExp(placeholder, 'g')));
}

function differences(expected: ReadonlySet<string>, given: ReadonlySet<string>) {
  return [
    ...[...expected].filter((name) => !given.has(name)).map((name) => ({ is: 'lacks', name })),
    ...[...given].filter((name) => !expected.has(name)).map((name) => ({ is: 'invents', name })),
  ];
}
