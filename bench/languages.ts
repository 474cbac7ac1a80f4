import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Field } from '../src/console/parts/field.tsx';
import { Summary } from '../src/console/parts/table.tsx';
import { english, type Language, textOfKey } from '../src/language/language.ts';
import { loadLanguages } from '../src/language/load-languages.ts';
import type { Values } from '../src/language/message.ts';
import { readPo } from '../src/language/po.ts';
import { asIs, inLanguage, type Text, t } from '../src/language/text.ts';
import type { Measurement, Progress } from './measurement.ts';

/**
 * A page with 150 texts of the console in French, beside the same in English, and with strings that were written before. And what the
 * shipped languages keep in memory once every text was shown in each.
 */
export const name = 'languages';

const tags = ['fr', 'nl', 'cy'];
const textsOfPage = 150;
const rounds = 40;
const slice_ms = 25;

interface Message {
  text: string;
  values: Values;
}

export async function run(progress: Progress): Promise<Measurement> {
  const messages = readMessages();
  progress(`${messages.length} texts`);
  const before = heapBytes();
  const { languages, problems } = loadLanguages({ tags, isNamed: true, locale: 'en-GB' });
  if (problems.length > 0 || languages.offered.length !== tags.length) throw new Error(problems.join('\n'));
  const loaded = heapBytes() - before;
  for (const language of languages.offered) inLanguage(language, () => messages.map(write).join(''));
  const read = heapBytes() - before;
  const [french] = languages.offered;
  if (!french) throw new Error('French is missing');
  const cost = processorTimes(contenders(messages, french));
  const figures = {
    strings_us: round(cost.strings, 0),
    french_against_english: round(cost.french / cost.english, 2),
    french_against_strings: round(cost.french / cost.strings, 2),
    languages_loaded_mb: round(loaded / 1e6, 1),
    languages_read_mb: round(read / 1e6, 1),
  };
  return {
    figures,
    targets: { french_against_english: '<= 1.1', french_against_strings: '<= 1.1', languages_read_mb: '<= 5' },
  };
}

function readMessages(): Message[] {
  const { entries } = readPo(readFileSync('languages/messages.pot', 'utf8'));
  return entries.map(({ key }) => {
    const text = textOfKey(key);
    const context: Values = text === key ? {} : { context: key.slice(0, -text.length - 1) };
    // Every placeholder of a message accepts a number.
    const names = [...text.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, found = '']) => found);
    return { text, values: { ...Object.fromEntries(names.map((found) => [found, 3])), ...context } };
  });
}

const noFormState = { typed: new Map<string, string>(), problems: new Map<string, Text>() };

const write = ({ text, values }: Message) => String(t(text, values));

/** The same page with English or French messages, or with strings: each is rendered from nothing, as for a request. */
function contenders(messages: Message[], french: Language): Record<'strings' | 'english' | 'french', () => string> {
  const between = Math.floor(messages.length / textsOfPage);
  const shown = messages.filter((_, index) => index % between === 0).slice(0, textsOfPage);
  const asWritten = shown.map((message) => asIs(write(message)));
  const render = (language: Language, texts: () => Text[]) => () =>
    inLanguage(language, () => renderToString(page(texts())));
  const marked = () => shown.map(({ text, values }) => t(text, values));
  return {
    strings: render(english, () => asWritten),
    english: render(english, marked),
    french: render(french, marked),
  };
}

/** Two thirds are settings with their values, the others labels and hints of fields. */
function page(texts: readonly Text[]) {
  const pairs = texts.flatMap((text, index) =>
    index % 2 === 0 ? [{ label: text, more: texts[index + 1] ?? text }] : [],
  );
  const rows = pairs
    .slice(0, 50)
    .map(({ label, more }, index) => ({ label, value: more, change: `/settings/${index}` }));
  const fields = pairs
    .slice(50)
    .map(({ label, more }, index) => h(Field, { formState: noFormState, name: `field${index}`, label, hint: more }));
  return h('main', null, h(Summary, { rows }), h('form', { method: 'post' }, fields));
}

/** Microseconds of processor time for each page: the best of many short slices in turns, so that other load affects both equally. */
function processorTimes<Name extends string>(renders: Record<Name, () => string>): Record<Name, number> {
  const names = Object.keys(renders) as Name[];
  const best = Object.fromEntries(names.map((each) => [each, Number.POSITIVE_INFINITY])) as Record<Name, number>;
  for (let round = 0; round < rounds; round++) {
    for (const each of names) best[each] = Math.min(best[each], timeSlice(renders[each]));
  }
  return best;
}

function timeSlice(render: () => string): number {
  const start = process.cpuUsage();
  const began = performance.now();
  let count = 0;
  while (performance.now() - began < slice_ms) {
    render();
    count += 1;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

function heapBytes(): number {
  setFlagsFromString('--expose_gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
