import { answerWords } from '../../countries/answers/answer-words.ts';
import { answerLanguages } from '../../countries/answers/answers.ts';
import type { Country } from '../../countries/country.ts';

/** The action that a received text requests. `review`: it may be an opt-out, so a person decides. */
export type KeywordAction = 'stop' | 'start' | 'help' | 'review';
export interface KeywordRequest {
  action: KeywordAction;
  /** In capitals without accents. */
  keyword: string;
}

/** Texts from +1 numbers are also read by the rules of the US regulator. */
export type KeywordSet = 'basic' | 'us';

export type KeywordLanguage = keyof typeof answerWords;
export const keywordLanguages = Object.keys(answerWords) as KeywordLanguage[];

/** Words on the FCC's list, only as whole messages. They are not in the basic set because patients reply CANCEL to an appointment. */
const wholeInUs = {
  stop: ['END', 'QUIT', 'CANCEL', 'REVOKE', 'REMOVE'],
  help: ['INFO'],
  /** Only counts from a number that has opted out. */
  start: ['YES'],
};

/** Words that may surround an opt-out word: "please stop texting me". */
const filler = new Set(
  (
    'PLEASE PLS PLZ THANKS THANK YOU NOW ALL IT THIS THESE TEXT TEXTS TEXTING MESSAGE MESSAGES MESSAGING SENDING ME MY NUMBER ' +
    'SVP MERCI BITTE DANKE'
  ).split(' '),
);
const maxPoliteWords = 6;

/** A service's words in addition to the built-in ones. They only count as whole messages. */
export interface OwnWords {
  stop: string[];
  start: string[];
  help: string[];
}

export const noWords: OwnWords = { stop: [], start: [], help: [] };

interface KeywordRules {
  set: KeywordSet;
  /** The words that count for every service. */
  known: OwnWords;
  /** Whether the number has opted out before. */
  isStopped: boolean;
  own?: OwnWords;
}

/** Returns undefined for a text without a keyword. */
export function readKeyword(
  text: string,
  { set, known, isStopped, own = noWords }: KeywordRules,
): KeywordRequest | undefined {
  const said = wordsOf(text);
  const stop = new Set(known.stop);
  const isWord = (action: keyof OwnWords, word: string) => known[action].includes(word) || own[action].includes(word);
  const inUs = (list: string[]) => (set === 'us' ? list : []);
  const [first] = said;
  const whole = first !== undefined && said.every((word) => word === first) ? first : undefined;
  if (whole !== undefined) {
    if (isWord('stop', whole) || inUs(wholeInUs.stop).includes(whole)) return { action: 'stop', keyword: whole };
    if (isWord('start', whole)) return { action: 'start', keyword: whole };
    if (isStopped && inUs(wholeInUs.start).includes(whole)) return { action: 'start', keyword: whole };
    if (isWord('help', whole) || inUs(wholeInUs.help).includes(whole)) return { action: 'help', keyword: whole };
  }
  const [keyword, ...others] = said.filter((word) => stop.has(word));
  if (keyword === undefined) return undefined;
  const isPolite = said.length <= maxPoliteWords && said.every((word) => word === keyword || filler.has(word));
  return { action: isPolite && others.length === 0 ? 'stop' : 'review', keyword };
}

type WithAnswers = Pick<Country, 'answers' | 'languages' | 'locale'>;

/** Lists the words that count for every service: in English, in the languages of the country, and in those of OPT_OUT_LANGUAGES. */
export function listKnownWords(country: WithAnswers, others: readonly string[]): OwnWords {
  return wordsOfLanguages(country, ['en', ...answerLanguages(country), ...others]);
}

function wordsOfLanguages({ answers }: Pick<Country, 'answers'>, languages: readonly string[]): OwnWords {
  const all = [...new Set(languages)].flatMap((language) => answers.words[language] ?? []);
  const of = (action: keyof OwnWords) => all.flatMap((words) => words[action].flatMap(wordsOf));
  return { stop: of('stop'), start: of('start'), help: of('help') };
}

/** Returns the meaning of a word in any language, or in texts from +1 numbers. */
export function builtInAction(country: Pick<Country, 'answers'>, word: string): keyof OwnWords | undefined {
  const known = wordsOfLanguages(country, Object.keys(country.answers.words));
  return (['stop', 'start', 'help'] as const).find((action) => [...known[action], ...wholeInUs[action]].includes(word));
}

/** Returns runs of letters and digits, in capitals without accents. "opt out" is one word. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/['’‘ʼ`´]/g, '')
    .toUpperCase();
  const found = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return found.flatMap((word, index) => {
    if (word === 'OUT' && found[index - 1] === 'OPT') return [];
    return word === 'OPT' && found[index + 1] === 'OUT' ? 'OPTOUT' : word;
  });
}

/** Returns the keyword set for a number, given as digits with country code. */
export function keywordSetFor(userNumber: string): KeywordSet {
  return /^1\d{10}$/.test(userNumber) ? 'us' : 'basic';
}
