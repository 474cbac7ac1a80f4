import type { Found } from './hint.ts';
import type { Place, Writing } from './plain-writing.ts';

/** Rules about words and sentences. */

const minCapitals = 4;

/** A single letter neither counts nor ends the run; a word with a lower-case letter ends it. */
export function findCapitals({ words }: Writing): Found | undefined {
  let count = 0;
  let start = 0;
  let end = 0;
  for (const { 0: word, index } of words.matchAll(/\p{L}[\p{L}\p{M}]*/gu)) {
    if (word !== word.toUpperCase() || word === word.toLowerCase()) {
      if (count >= minCapitals) break;
      count = 0;
    } else if ([...word].length >= 2) {
      if (count === 0) start = index;
      count += 1;
      end = index + word.length;
    }
  }
  if (count < minCapitals) return undefined;
  return { found: words.slice(start, end).replace(/\s+/g, ' '), place: { start, end } };
}

const wordPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu;
/** Readers see each line break, so list items and headings count as sentences. */
const sentencePattern = /[^.!?\n]+(?:[.!?]+(?!\s|$)[^.!?\n]*)*/g;

interface Sentence extends Place {
  words: number;
  letters: number;
}

export function listSentences({ words }: Writing): Sentence[] {
  return Array.from(words.matchAll(sentencePattern), ({ 0: text, index }) => {
    const found = text.match(wordPattern) ?? [];
    const letters = found.reduce((sum, word) => sum + (word.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
    const start = index + text.search(/\S|$/);
    return { start, end: index + text.length, words: found.length, letters };
  }).filter((sentence) => sentence.words > 0);
}

const maxWords = 25;

export function findLongSentence(sentences: readonly Sentence[]): Found | undefined {
  const sentence = sentences.find(({ words }) => words > maxWords);
  return sentence && { found: null, place: sentence, count: sentence.words };
}

const minWordsToEvaluate = 30;
const hardAbove = 9;
const oldestAge = 18;

/**
 * The automated readability index does not need syllables. It is converted to a rough age, because people understand an age better than an
 * index.
 */
export function findHardReading(sentences: readonly Sentence[]): Found | undefined {
  const sum = (of: 'words' | 'letters') => sentences.reduce((total, sentence) => total + sentence[of], 0);
  const words = sum('words');
  if (words < minWordsToEvaluate) return undefined;
  const index = 4.71 * (sum('letters') / words) + 0.5 * (words / sentences.length) - 21.43;
  if (index <= hardAbove) return undefined;
  return { found: null, place: null, count: Math.min(oldestAge, Math.ceil(index) + 5) };
}
