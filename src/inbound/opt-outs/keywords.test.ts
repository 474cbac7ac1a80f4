import { describe, expect, it } from 'vitest';
import { processorTime_ms } from '../../../test/kit/process/processor-time.ts';
import { fr } from '../../countries/fr.ts';
import { gb } from '../../countries/gb.ts';
import { nl } from '../../countries/nl.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import { keywordSetFor, listKnownWords, readKeyword } from './keywords.ts';

const basic = { set: 'basic' as const, isStopped: false };
type Rules = Partial<Parameters<typeof readKeyword>[1]> & { country?: CountryProfile; languages?: string[] };
const read = (text: string, { country = gb, languages = [], ...rules }: Rules = {}) => {
  const found = readKeyword(text, { ...basic, known: listKnownWords(country, languages), ...rules });
  return found ? `${found.action} ${found.keyword}` : 'none';
};

describe('reading a received text', () => {
  it.each([
    ['stop', 'stop STOP'],
    [' “Stop”. ', 'stop STOP'],
    ['ＳＴＯＰ', 'stop STOP'],
    ['STOP STOP', 'stop STOP'],
    ['opt-out', 'stop OPTOUT'],
    ['Opt  Out', 'stop OPTOUT'],
    ['please stop texting me', 'stop STOP'],
    ['please stop all of these texts now', 'review STOP'],
    ["Don't stop", 'review STOP'],
    ['stop or unsubscribe', 'review STOP'],
    ['Unstop', 'start UNSTOP'],
    ['start now', 'none'],
    ['Help?', 'help HELP'],
    ['HELP ME', 'none'],
    ['CANCEL', 'none'],
    ['nonstop', 'none'],
    ['', 'none'],
    ['👍', 'none'],
  ])('%j: %s', (text, expected) => expect(read(text)).toBe(expected));

  it('knows the words of the languages, without their accents', () => {
    expect(read('Arrêt')).toBe('none');
    expect(read('Arrêt', { languages: ['fr'] })).toBe('stop ARRET');
    expect(read('stopp bitte', { languages: ['de'] })).toBe('stop STOPP');
    expect(read('STOP', { languages: ['fr'] })).toBe('stop STOP');
  });

  it('knows the words of the country, except in the United Kingdom', () => {
    expect(['Afmelden', 'STOP', 'hulp', 'arrêt'].map((text) => read(text, { country: nl }))).toEqual([
      'stop AFMELDEN',
      'stop STOP',
      'help HULP',
      'none',
    ]);
    expect(read('Arrêt', { country: fr })).toBe('stop ARRET');
    expect(read('Stopio')).toBe('none');
    const words = { ...gb.answers.words, fi: { ...gb.answers.words.en, stop: ['Lopetä'] } };
    const own = { ...nl, locale: 'fi-FI', answers: { ...nl.answers, words } } as CountryProfile;
    expect(read('lopetä', { country: own })).toBe('stop LOPETA');
  });

  it('knows further words of numbers of +1, as whole messages', () => {
    expect(['END', 'Cancel.', 'the end', 'info', 'yes'].map((text) => read(text, { set: 'us' }))).toEqual([
      'stop END',
      'stop CANCEL',
      'none',
      'help INFO',
      'none',
    ]);
    expect(read('yes', { set: 'us', isStopped: true })).toBe('start YES');
    expect(read('yes', { isStopped: true })).toBe('none');
    expect(['12025550123', '447700900123', '1202555'].map(keywordSetFor)).toEqual(['us', 'basic', 'basic']);
  });

  it('takes milliseconds for a text as long as a provider allows', () => {
    const text = `stop ${'opt '.repeat(50_000)}`;
    expect(processorTime_ms(() => expect(read(text)).toBe('review STOP'))).toBeLessThan(1_000);
  });
});
