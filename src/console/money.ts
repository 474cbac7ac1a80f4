import type { Money } from '../countries/money.ts';
import { formatted, type Text, t } from '../language/text.ts';

/** "1,204" */
export function count(amount: number): Text {
  return formatted((language) => language.count(amount));
}

/** "820 bytes", "12 kB" */
export function dataSize(bytes: number): Text {
  return bytes < 1_000 ? several(bytes, 'byte') : t('{size, number} kB', { size: Math.round(bytes / 1_000) });
}

/** The currency within a sentence: pounds, euros. */
export function unitOf({ currency, unit }: Pick<Money, 'currency' | 'unit'>): Text {
  return formatted((language) => (language.tag === 'en' ? unit : language.nameOf('currency', currency)));
}

const amounts = {
  attempt: (count: number) => t('{count, plural, one {# attempt} other {# attempts}}', { count }),
  byte: (count: number) => t('{count, plural, one {# byte} other {# bytes}}', { count }),
  character: (count: number) => t('{count, plural, one {# character} other {# characters}}', { count }),
  file: (count: number) => t('{count, plural, one {# file} other {# files}}', { count }),
  folder: (count: number) => t('{count, plural, one {# folder} other {# folders}}', { count }),
  hint: (count: number) => t('{count, plural, one {# hint} other {# hints}}', { count }),
  letter: (count: number) => t('{count, plural, one {# letter} other {# letters}}', { count }),
  link: (count: number) => t('{count, plural, one {# link} other {# links}}', { count }),
  message: (count: number) => t('{count, plural, one {# message} other {# messages}}', { count }),
  page: (count: number) => t('{count, plural, one {# page} other {# pages}}', { count }),
  part: (count: number) => t('{count, plural, one {# part} other {# parts}}', { count }),
  row: (count: number) => t('{count, plural, one {# row} other {# rows}}', { count }),
  sheet: (count: number) => t('{count, plural, one {# sheet} other {# sheets}}', { count }),
  template: (count: number) => t('{count, plural, one {# template} other {# templates}}', { count }),
  text: (count: number) => t('{count, plural, one {# text} other {# texts}}', { count }),
};

/** "1 part", "1,204 parts" */
export function several(amount: number, noun: keyof typeof amounts): Text {
  return amounts[noun](amount);
}
