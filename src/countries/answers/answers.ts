import { builtInCountries } from '../built-in.ts';
import type { AnswerWords } from '../profile/answers.ts';
import type { CountryProfile } from '../profile.ts';

type Of = Pick<CountryProfile, 'answers' | 'languages' | 'locale'>;

const languageOf = (tag: string) => tag.split('-')[0]?.toLowerCase() ?? '';

/** The country's languages, in which people answer; none where only English counts. */
export function answerLanguages({ answers, locale, languages }: Of): string[] {
  return answers.rules === 'gb' ? [] : [...new Set([locale, ...languages].map(languageOf))];
}

/** Returns the words for yes and no of the country's and these languages, or undefined where only those of the protocol count. */
export function conditionWords(country: Of, languages: readonly string[]): Pick<AnswerWords, 'yes' | 'no'> | undefined {
  if (country.answers.rules === 'gb') return undefined;
  const all = [...new Set([...answerLanguages(country), ...languages.map(languageOf)])];
  const words = all.flatMap((language) => country.answers.words[language] ?? []);
  return { yes: words.flatMap(({ yes }) => yes), no: words.flatMap(({ no }) => no) };
}

/** An example of a value that shows optional text. */
export function exampleOfYes(country: Of): string {
  const [language = ''] = answerLanguages(country);
  return country.answers.words[language]?.yes[0] ?? 'yes';
}

/** Returns the words of a language, or those of English. */
export function wordsIn({ answers }: Pick<Of, 'answers'>, language: string): AnswerWords {
  const words = answers.words[languageOf(language)] ?? answers.words.en;
  if (!words) throw new Error('The country has no answers in English');
  return words;
}

/** Returns the language of replies to a number: that of its country, as far as one is known. */
export function replyLanguage(country: Of & Pick<CountryProfile, 'code'>, region: string, isHome: boolean): string {
  if (country.answers.rules === 'gb') return 'en';
  const other = Object.values(builtInCountries).find(({ phone }) => phone.regions.includes(region));
  return languageOf((isHome ? country : (other ?? country)).locale);
}
