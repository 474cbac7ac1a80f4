import { describe, expect, it } from 'vitest';
import { processorTime_ms } from '../../../test/kit/process/processor-time.ts';
import { keywordSetFor, readKeyword } from './keywords.ts';

const basic = { set: 'basic' as const, languages: [], isStopped: false };
const read = (text: string, rules: Partial<Parameters<typeof readKeyword>[1]> = {}) => {
  const found = readKeyword(text, { ...basic, ...rules });
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
