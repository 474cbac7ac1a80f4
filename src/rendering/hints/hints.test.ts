import { describe, expect, it } from 'vitest';
import { inEnglish } from '../../language/text.ts';
import { type HintedText, type HintRule, hintRules } from './hint.ts';
import { findHints } from './hints.ts';

const parking = { name: 'Parking permits', prefix: false, sender: 'PARKING' };
const hintsOf = (channel: HintedText['channel'], content: string, more: Partial<HintedText> = {}) =>
  findHints({ channel, content, english: true, ...more });
const rulesOf = (...args: Parameters<typeof hintsOf>) => hintsOf(...args).map(({ rule }) => rule);
const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

describe('each rule says what to do', () => {
  it.each<[HintRule, HintedText['channel'], string, Partial<HintedText>, string]>([
    [
      'link-shortener',
      'email',
      'See https://bit.ly/3xYz.',
      {},
      'People cannot see where bit.ly leads, and networks block texts with it. Write the address in full.',
    ],
    [
      'vague-link-text',
      'email',
      '[Click here](https://council.example) to renew.',
      {},
      '“Click here” makes no sense on its own. Say what the link does, such as “Renew your permit”.',
    ],
    [
      'ip-link',
      'email',
      'Pay at http://192.0.2.10/x',
      {},
      'A link to 192.0.2.10 looks like fraud. Use a web address with a name.',
    ],
    [
      'ip-link',
      'email',
      'Pay at http://[2001:db8::1]/x',
      {},
      'A link to 2001:db8::1 looks like fraud. Use a web address with a name.',
    ],
    [
      'many-links',
      'email',
      'https://a.example www.b.example https://c.example/?q=1',
      {},
      '3 web addresses in one email are hard to read. Give them link text.',
    ],
    ['many-links', 'sms', 'https://a.example www.b.example', {}, 'Texts with several links look like fraud. Keep one.'],
    [
      'capitals',
      'letter',
      'YOUR PERMIT IS\nREADY now',
      {},
      'Capitals are hard to read and look like spam: “YOUR PERMIT IS READY”.',
    ],
    [
      'no-sender',
      'sms',
      'Your permit is ready.',
      { service: { ...parking, sender: '07700900111' } },
      'This text comes from a number and does not say who you are. Begin with the name of your service, or switch the prefix on.',
    ],
    [
      'long-sentence',
      'letter',
      `Short. ${words(31)}.`,
      {},
      'One sentence has 31 words. Split it: people understand sentences of up to 25.',
    ],
    [
      'hard-to-read',
      'email',
      'Notwithstanding aforementioned regulations, applicants demonstrate eligibility. '.repeat(6),
      {},
      'You need a reading age of about 18 for this. Use shorter words and sentences.',
    ],
    [
      'no-unsubscribe',
      'email',
      'Our news.',
      { sent_to_many: true },
      'People must be able to stop emails that go to many. Switch the unsubscribe link on.',
    ],
    ['dear-characters', 'sms', `ŵ${'a'.repeat(120)}`, {}, '“ŵ” makes this text cost 2 parts instead of 1.'],
    ['dear-characters', 'sms', `ŷŵ${'a'.repeat(120)}`, {}, '“ŷ” and “ŵ” make this text cost 2 parts instead of 1.'],
    ['save-a-part', 'sms', 'a'.repeat(161), {}, 'Remove 1 character to save a part.'],
    ['save-a-part', 'sms', `((name))${'a'.repeat(167)}`, {}, 'Remove about 7 characters to save a part.'],
  ])('%s in %s: %s', (rule, channel, content, more, message) => {
    const found = hintsOf(channel, content, more).filter((hint) => hint.rule === rule);
    expect(found.map((hint) => inEnglish(hint.message))).toEqual([message]);
  });

  it('in the order of the rules, one for each', () => {
    const rules = rulesOf(
      'email',
      `[here](https://t.co/a) [more](https://bit.ly/b) PAY THIS BILL AT ONCE ${words(30)}.`,
      {
        sent_to_many: true,
      },
    );
    expect(rules).toEqual(hintRules.filter((rule) => rules.includes(rule)));
    expect(new Set(rules).size).toBe(rules.length);
    expect(rules).toContain('no-unsubscribe');
  });
});

describe('says nothing about', () => {
  it.each<[string, HintedText['channel'], string, Partial<HintedText>]>([
    ['a domain that ends alike', 'email', 'See https://notbit.ly/x', {}],
    ['a shortener that is named', 'email', 'We do not use bit.ly for links.', {}],
    ['links of letters', 'letter', 'See https://bit.ly/x', {}],
    ['a version', 'email', 'Version 1.2.3.4 is out.', {}],
    ['links with link text', 'email', '[a](https://a.example) [b](https://b.example) [c](https://c.example)', {}],
    ['abbreviations', 'email', 'Ask the NHS, the DVLA or HMRC.', {}],
    ['an address in capitals', 'email', 'See HTTPS://COUNCIL.EXAMPLE/PERMITS/NEW/2026/NOW', {}],
    ['a text that names its service', 'sms', 'Your PARKING  permits.', { service: { ...parking, sender: '66777' } }],
    ['a text from a name', 'sms', 'Ready.', { service: parking }],
    ['items of a list', 'email', `* ${words(20)}\n* ${words(20)}`, {}],
    ['an address as a word', 'letter', `${words(25)} https://council.example/a.`, {}],
    ['an email to one person', 'email', 'Ready.', { sent_to_many: false }],
    ['Welsh letters within one part', 'sms', `ŵ${'a'.repeat(69)}`, {}],
    ['31 characters too many', 'sms', 'a'.repeat(191), {}],
  ])('%s', (_, channel, content, more) => {
    expect(hintsOf(channel, content, more)).toEqual([]);
  });

  it('what needs English, in another language', () => {
    const text = `[here](https://bit.ly/a) ${words(40)}`;
    expect(rulesOf('email', text)).toContain('long-sentence');
    expect(rulesOf('email', text, { english: false })).toEqual(['link-shortener']);
  });
});

describe('the place', () => {
  const shown = (content: string, more?: Partial<HintedText>) =>
    hintsOf('email', content, more).map(({ field, start, end }) =>
      (field === 'subject' ? (more?.subject ?? '') : content).slice(start ?? 0, end ?? 0),
    );

  it.each([
    ['Hello ((first name)), see https://bit.ly/a.', 'https://bit.ly/a'],
    ['((late??Come on)) [more](https://a.example)', 'more'],
    ['((late??See https://bit.ly/a now))', 'https://bit.ly/a'],
    ['Dear ((name)), YOUR PERMIT IS READY.', 'YOUR PERMIT IS READY'],
    ['See https://bit.ly/((code)) now', 'https://bit.ly/((code))'],
  ])('in %s is %s', (content, place) => {
    expect(shown(content)).toEqual([place]);
  });

  it('can be in the subject', () => {
    expect(shown('Fine.', { subject: 'Hi ((name)), PAY THIS BILL NOW' })).toEqual(['PAY THIS BILL NOW']);
  });

  it('of a sentence is the sentence', () => {
    const sentence = `Now ${words(15)} ((day)) ${words(15)}.`;
    expect(shown(`Fine. ${sentence} Fine.`)).toContain(sentence.slice(0, -1));
  });
});
