import type { Country } from '../../countries/country.ts';
import { t } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { selectKeywordSettings, upsertKeywordSettings } from './keyword-settings.sql.ts';
import { builtInAction, noWords, type OwnWords, wordsOf } from './keywords.ts';

/** A service's changes to STOP, START and HELP. Null: the installation's setting. */
export interface KeywordSettings {
  words: OwnWords;
  /** The whole replies to STOP and to HELP. */
  stop_reply: string | null;
  help_reply: string | null;
  /** The language of the replies that the service has not written. Null: that of the recipient's country. */
  language: string | null;
  /** Whose texts STOP stops: all of the service, or only those from the number that got the reply. */
  scope: 'service' | 'sender' | null;
}

const unchanged: KeywordSettings = { words: noWords, stop_reply: null, help_reply: null, language: null, scope: null };

export async function getKeywordSettings(db: Db | Tx, serviceId: string): Promise<KeywordSettings> {
  const row = await selectKeywordSettings(db, serviceId);
  if (!row) return unchanged;
  const { stop_words: stop, start_words: start, help_words: help, stop_reply, help_reply, language, scope } = row;
  return { words: { stop, start, help }, stop_reply, help_reply, language, scope };
}

/** Accepts words in any spelling. */
export async function setKeywordSettings(
  { db, clock, country }: Platform,
  service_id: string,
  { words, ...replies }: KeywordSettings,
): Promise<void> {
  const { stop, start, help } = readOwnWords(country, words);
  const row = { service_id, stop_words: stop, start_words: start, help_words: help, ...replies };
  await upsertKeywordSettings(db, { ...row, updated_at: timestamp(clock.now()) });
}

const maxWords = 10;
const maxLength = 20;

/** Normalises words for comparison: capitals without accents. Reports every problem, by field. */
function readOwnWords(country: Country, typed: OwnWords): OwnWords {
  const found: OwnWords = { stop: [], start: [], help: [] };
  const problems: Record<string, string[]> = {};
  for (const action of ['stop', 'start', 'help'] as const) {
    const taken = [...found.stop, ...found.start];
    const lists = [...new Set(typed[action])].map(wordsOf);
    const words = lists.flat();
    const problem = problemOf(country, action, lists, taken);
    if (problem) problems[`${action}_words`] = [problem];
    found[action] = [...new Set(words)];
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return found;
}

function problemOf(
  country: Country,
  action: keyof OwnWords,
  lists: string[][],
  taken: readonly string[],
): string | undefined {
  const words = lists.flat();
  if (lists.some(({ length }) => length !== 1)) return t('Enter single words of letters and digits, such as ENOUGH.');
  if (words.length > maxWords) return t('Enter up to {maxWords} words.', { maxWords });
  if (words.some(({ length }) => length > maxLength)) {
    return t('Enter words of at most {maxLength} characters.', { maxLength });
  }
  const other = words.find(
    (word) => taken.includes(word) || ![undefined, action].includes(builtInAction(country, word)),
  );
  return other && t('Remove “{other}”: the word already means something else.', { other });
}
