import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigurationError } from '../platform/setting-groups.ts';
import { describeCountry } from './country.ts';
import { readCountry } from './read-config.ts';

it('shows every value with its source', () => {
  const lines = describeCountry(readCountry({ COUNTRY: 'au', TIME_ZONE: 'Australia/Perth' }));
  const line = (path: string) => lines.find((text) => text.startsWith(`${path} `))?.split(/ {2,}/);
  expect(lines[0]).toBe('Australia (au)');
  expect(line('calendar.zone')).toEqual(['calendar.zone', 'Australia/Perth', 'TIME_ZONE']);
  expect(line('calendar.weekend')).toEqual(['calendar.weekend', '[6,7]', 'au']);
  expect(line('signIn.emailCheckDays')).toEqual(['signIn.emailCheckDays', '30', 'au']);
  expect(Math.max(...lines.map((text) => text.length))).toBeLessThan(200);
});

it('refuses what a start would refuse', () => {
  expect(() => readCountry({ COUNTRY: 'au', LETTER_CUT_OFF: 'noon' })).toThrow(
    new ConfigurationError(['LETTER_CUT_OFF must be a time as HH:MM, or continuous (letter.cutOff)']),
  );
});

describe('docs/guides/your-country.md', () => {
  const guide = readFileSync('docs/guides/your-country.md', 'utf8');
  const blocks = (language: string) =>
    [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

  const own = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-guide-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'country.json');
    writeFileSync(file, text);
    return readCountry({ COUNTRY_FILE: file });
  };

  it('has settings with which a start works', () => {
    const lines = blocks('sh').flatMap((text) => text.trim().split('\n'));
    const environments = lines.map((line) =>
      Object.fromEntries([...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value])),
    );
    const chosen = environments
      .filter(({ COUNTRY }) => COUNTRY !== undefined)
      .map((each) => readCountry(each).profile.code);
    expect(chosen).toEqual(['nl', 'au', 'us', 'se']);
  });

  it('has files with which a start works', () => {
    const [ofWords, ofPrinter, wholeCountry] = blocks('json').map((text) => own(text).profile);
    expect(ofWords).toMatchObject({ code: 'x-sweden', answers: { words: { sv: { yes: ['ja'], stop: ['STOPP'] } } } });
    expect(ofPrinter).toMatchObject({ code: 'nl', letter: { cutOff: '15:00', window: 'nl-c5' } });
    expect(wholeCountry).toMatchObject({
      code: 'x-kathmandu',
      calendar: { zone: 'Asia/Kathmandu', weekend: [5, 6] },
      phone: { regions: ['NP'] },
      words: { notHomeMobile: 'Not a Nepali mobile number', noTown: 'The postcode must be beside a town' },
    });
  });
});
