/** What a received text asks for. `review`: perhaps an opt-out, which a person decides. */
export type KeywordAction = 'stop' | 'start' | 'help' | 'review';
export interface AskedFor {
  action: KeywordAction;
  /** In capitals, without accents. */
  keyword: string;
}

/** Texts from numbers of +1 are read by the rules of its regulator, too. */
export type KeywordSet = 'basic' | 'us';

const words = {
  stop: {
    en: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'OPTOUT'],
    fr: ['ARRET', 'ARRETE', 'ARRETER', 'DESABONNER'],
    de: ['STOPP', 'ABMELDEN'],
    nl: ['AFMELDEN', 'UITSCHRIJVEN'],
    es: ['ALTO', 'BAJA'],
    cy: ['STOPIO'],
  },
  start: {
    en: ['START', 'UNSTOP'],
    fr: ['DEBUT'],
    de: ['STARTEN'],
    nl: ['AANMELDEN'],
    es: ['INICIAR'],
    cy: ['DECHRAU'],
  },
  help: { en: ['HELP'], fr: ['AIDE'], de: ['HILFE'], nl: [], es: ['AYUDA'], cy: ['CYMORTH'] },
} satisfies Record<string, Record<KeywordLanguage, string[]>>;

export const keywordLanguages = ['en', 'fr', 'de', 'nl', 'es', 'cy'] as const;
export type KeywordLanguage = (typeof keywordLanguages)[number];

/**
 * Words that the FCC lists, as whole messages only. They are not in the basic set: patients reply CANCEL to an appointment.
 */
const wholeInUs = {
  stop: ['END', 'QUIT', 'CANCEL', 'REVOKE', 'REMOVE'],
  help: ['INFO'],
  /** Only from a number that opted out. */
  start: ['YES'],
};

/** What may stand around a word that stops texts: "please stop texting me". */
const filler = new Set(
  (
    'PLEASE PLS PLZ THANKS THANK YOU NOW ALL IT THIS THESE TEXT TEXTS TEXTING MESSAGE MESSAGES MESSAGING SENDING ME MY NUMBER ' +
    'SVP MERCI BITTE DANKE'
  ).split(' '),
);
const maxPoliteWords = 6;

/** Words of a service besides those that everybody has, as whole messages only. */
export interface OwnWords {
  stop: string[];
  start: string[];
  help: string[];
}

export const noWords: OwnWords = { stop: [], start: [], help: [] };

interface KeywordRules {
  set: KeywordSet;
  /** English always counts. */
  languages: readonly KeywordLanguage[];
  /** The number has opted out before. */
  isStopped: boolean;
  own?: OwnWords;
}

/** Undefined for a text that asks for nothing of this kind. */
export function readKeyword(
  text: string,
  { set, languages, isStopped, own = noWords }: KeywordRules,
): AskedFor | undefined {
  const said = wordsOf(text);
  const known = listBuiltInWords(languages);
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

/** Those that count for everybody. English always does. */
export function listBuiltInWords(languages: readonly KeywordLanguage[]): OwnWords {
  const all = [...new Set<KeywordLanguage>(['en', ...languages])];
  const of = (action: keyof OwnWords) => all.flatMap((language): string[] => words[action][language]);
  return { stop: of('stop'), start: of('start'), help: of('help') };
}

/** What a word asks for in any language, or in texts from numbers of +1. */
export function builtInAction(word: string): keyof OwnWords | undefined {
  const known = listBuiltInWords(keywordLanguages);
  return (['stop', 'start', 'help'] as const).find((action) => [...known[action], ...wholeInUs[action]].includes(word));
}

/** Runs of letters and digits, in capitals and without accents; "opt out" is one word. */
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

/** The set for a number with country code, digits only. */
export function keywordSetFor(userNumber: string): KeywordSet {
  return /^1\d{10}$/.test(userNumber) ? 'us' : 'basic';
}
