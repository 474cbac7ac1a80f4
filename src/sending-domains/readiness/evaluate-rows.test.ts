import { describe, expect, it } from 'vitest';
import { asIs } from '../../language/text.ts';
import type { CheckName } from '../checks/check.ts';
import { evaluateRows, overallVerdict } from './evaluate-rows.ts';
import { mailboxOf } from './mailboxes.ts';
import { isAboutSender, policyCodeIn, sentenceOfRefusal } from './policy-refusals.ts';
import { type CheckResult, type ReadinessFacts, type RowName, rowNames } from './rows.ts';

type Checks = { [name in CheckName]?: [CheckResult['verdict'], string?, CheckResult['evidence']?] };

/** Everything is right, and nothing was sent. */
const good: Checks = {
  dkim: ['pass'],
  spf: ['pass'],
  alignment: ['pass', 'ok', { dkim_aligned: true, spf_aligned: true }],
  dmarc: ['pass'],
  tls: ['pass'],
  ptr: ['pass'],
  'from-domain': ['pass'],
};

function facts(checks: Checks, changes: Partial<ReadinessFacts> = {}): ReadinessFacts {
  const all = Object.entries({ ...good, ...checks }).map(([name, [verdict, reason = 'ok', evidence = {}]]) => {
    return [name as CheckName, { verdict, reason, evidence }] as const;
  });
  return {
    domain: 'notify.council.example',
    isAdded: true,
    isOfProvider: false,
    isOfMailboxProvider: false,
    checks: new Map(all),
    templates: [],
    complaints: { part: 0, of: 0 },
    bounces: { part: 0, of: 0 },
    best_days: [],
    refusals: [],
    ...changes,
  };
}

function verdictOf(row: RowName, checks: Checks, changes: Partial<ReadinessFacts> = {}): string | undefined {
  return evaluateRows(facts(checks, changes)).find((one) => one.row === row)?.verdict;
}

describe('a domain that is set up', () => {
  it('passes every row before it has sent anything, but for what too few emails cannot say', () => {
    const rows = evaluateRows(facts({}));
    expect(rows.filter(({ verdict }) => verdict !== 'pass').map(({ row, verdict }) => `${row} ${verdict}`)).toEqual([
      'complaints unknown',
      'bounces unknown',
    ]);
    expect(overallVerdict(rows)).toBe('pass');
  });

  it('is unknown before its first check', () => {
    const rows = evaluateRows({ ...facts({}), checks: new Map() });
    expect(rows.filter(({ verdict }) => verdict === 'unknown')).toHaveLength(8);
    expect(overallVerdict(rows)).toBe('pass');
    const [row] = evaluateRows({ ...facts({}), checks: new Map(), isAdded: false });
    expect(row?.verdict).toBe('unknown');
    expect(String(row?.advice)).toBe('Ask an operator to add the domain.');
  });

  it('shows the worst row first, and says what to do about everything that is wrong', () => {
    const rows = evaluateRows(facts({ dmarc: ['fail', 'record-missing'], ptr: ['warn', 'ptr-generic'] }));
    expect(rows.map(({ row }) => row).slice(0, 2)).toEqual(['dmarc', 'server-name']);
    expect(rows.map(({ row }) => row).toSorted()).toEqual([...rowNames].toSorted());
    for (const { verdict, advice } of rows) if (verdict === 'warn' || verdict === 'fail') expect(advice).not.toBeNull();
    expect(overallVerdict(rows)).toBe('fail');
    expect(rows[0]?.sources.map(({ name }) => name)).toEqual(['Gmail', 'Yahoo', 'Outlook']);
  });
});

describe('set-up', () => {
  it.each<[RowName, Checks, string]>([
    ['authentication', { spf: ['fail'] }, 'warn'],
    ['authentication', { spf: ['unknown', 'not-checked'] }, 'warn'],
    ['authentication', { dkim: ['fail'] }, 'warn'],
    ['authentication', { dkim: ['fail'], spf: ['fail'] }, 'fail'],
    ['authentication', { dkim: ['warn', 'short-key'] }, 'pass'],
    ['authentication', { dkim: ['unknown', 'dns-error'] }, 'unknown'],
    ['alignment', { alignment: ['warn', 'spf-only', { dkim_aligned: false, spf_aligned: true }] }, 'warn'],
    ['alignment', { alignment: ['fail', 'not-aligned', { dkim_aligned: false, spf_aligned: false }] }, 'fail'],
    ['alignment', { alignment: ['unknown', 'dns-error'] }, 'unknown'],
    ['dmarc', { dmarc: ['warn', 'policy-none'] }, 'warn'],
    ['dmarc', { dmarc: ['warn', 'policy-invalid'] }, 'fail'],
    ['dmarc', { dmarc: ['fail', 'record-missing'] }, 'fail'],
    ['dmarc', { dmarc: ['fail', 'several-records'] }, 'fail'],
    ['encryption', { tls: ['warn', 'no-tls'] }, 'warn'],
    ['encryption', { tls: ['fail', 'no-tls'] }, 'fail'],
    ['encryption', { tls: ['unknown', 'not-checked'] }, 'unknown'],
    ['server-name', { ptr: ['unknown', 'not-checked'] }, 'warn'],
    ['server-name', { ptr: ['unknown', 'dns-error'] }, 'unknown'],
    ['server-name', { ptr: ['warn', 'helo-differs'] }, 'warn'],
    ['server-name', { ptr: ['fail', 'ptr-missing'] }, 'fail'],
    ['from', { 'from-domain': ['warn', 'no-replies'] }, 'warn'],
    ['from', { 'from-domain': ['fail', 'not-found'] }, 'fail'],
  ])('%s with %j: %s', (row, checks, expected) => {
    expect(verdictOf(row, checks)).toBe(expected);
  });

  it('a provider has its own servers and return path', () => {
    const provider = { isOfProvider: true };
    const checks: Checks = { 'provider-records': ['pass'], spf: ['unknown', 'not-checked'] };
    expect(verdictOf('authentication', checks, provider)).toBe('pass');
    expect(verdictOf('authentication', { ...checks, 'provider-records': ['fail'] }, provider)).toBe('fail');
    expect(verdictOf('encryption', { tls: ['unknown', 'not-checked'] }, provider)).toBe('pass');
    expect(verdictOf('server-name', { ptr: ['unknown', 'not-checked'] }, provider)).toBe('unknown');
  });

  it('From must not be an address of a mailbox provider', () => {
    expect(verdictOf('from', {}, { domain: 'gmail.com', isOfMailboxProvider: true })).toBe('fail');
  });
});

describe('sending', () => {
  const template = { name: 'Bins', service_name: 'Waste', sent: 500, has_unsubscribe_link: true };
  const without = { ...template, has_unsubscribe_link: false };

  it.each<[RowName, Partial<ReadinessFacts>, string]>([
    ['complaints', { complaints: { part: 999, of: 999 } }, 'unknown'],
    ['complaints', { complaints: { part: 0, of: 1_000 } }, 'pass'],
    ['complaints', { complaints: { part: 9, of: 10_000 } }, 'pass'],
    ['complaints', { complaints: { part: 1, of: 1_000 } }, 'warn'],
    ['complaints', { complaints: { part: 29, of: 10_000 } }, 'warn'],
    ['complaints', { complaints: { part: 3, of: 1_000 } }, 'fail'],
    ['bounces', { bounces: { part: 999, of: 999 } }, 'unknown'],
    ['bounces', { bounces: { part: 49, of: 1_000 } }, 'pass'],
    ['bounces', { bounces: { part: 50, of: 1_000 } }, 'warn'],
    ['bounces', { bounces: { part: 99, of: 1_000 } }, 'warn'],
    ['bounces', { bounces: { part: 100, of: 1_000 } }, 'fail'],
    ['volume', { best_days: [{ mailbox: 'google', count: 3_999 }] }, 'pass'],
    ['volume', { best_days: [{ mailbox: 'google', count: 4_000 }] }, 'warn'],
    ['volume', { best_days: [{ mailbox: 'yahoo', count: 4_999 }] }, 'warn'],
    ['volume', { best_days: [{ mailbox: 'google', count: 5_000 }] }, 'pass'],
    ['volume', { best_days: [{ mailbox: 'other', count: 4_500 }] }, 'pass'],
    ['refusals', { refusals: [{ sentence: asIs('Why.'), count: 9 }] }, 'warn'],
    ['refusals', { refusals: [5, 5].map((count) => ({ sentence: asIs('Why.'), count })) }, 'fail'],
    ['unsubscribe', { templates: [template] }, 'pass'],
    ['unsubscribe', { templates: [template, without] }, 'warn'],
    ['unsubscribe', { templates: [without, without] }, 'fail'],
  ])('%s with %j: %s', (row, changes, expected) => {
    expect(verdictOf(row, {}, changes)).toBe(expected);
  });

  it('names the templates that lack a link', () => {
    const rows = evaluateRows(
      facts({}, { templates: [template, without, ...Array.from({ length: 5 }, () => without)] }),
    );
    expect(String(rows[0]?.evidence)).toBe(
      `Sent to many without an unsubscribe link: ${'Bins (Waste), '.repeat(4)}Bins (Waste) and 1 more.`,
    );
  });
});

describe('who has a mailbox', () => {
  it.each([
    ['a@gmail.com', 'google'],
    ['A@GoogleMail.com', 'google'],
    ['a@yahoo.co.uk', 'yahoo'],
    ['a@yahoo.fr', 'yahoo'],
    ['a@ymail.com', 'yahoo'],
    ['a@aol.com', 'yahoo'],
    ['a@outlook.com', 'microsoft'],
    ['a@hotmail.co.uk', 'microsoft'],
    ['a@live.nl', 'microsoft'],
    ['a@msn.com', 'microsoft'],
    ['a@gmail.com.council.example', 'other'],
    ['a@live.council.example', 'other'],
    ['a@notyahoo.com', 'other'],
    ['"a@gmail.com"@council.example', 'other'],
  ])('%s: %s', (address, mailbox) => {
    expect(mailboxOf(address)).toBe(mailbox);
  });
});

describe('why a receiver refuses', () => {
  it.each([
    ['550 5.7.515 to the message', '7.515'],
    ['550 5.7.26 to the message', '7.26'],
    ['421 4.7.30 to the message', '7.30'],
    ['451 4.7.31 to the message', '7.31'],
    ['554 5.7.9 to the message', '7.9'],
    ['535 5.7.9 to AUTH PLAIN', undefined],
    ['550 5.7.1 to the recipient', undefined],
    ['550 5.1.1 to the recipient', undefined],
    ['no provider in use can take it', undefined],
    ['10.5.7.26 is no code', undefined],
  ])('%s: %s', (reason, code) => {
    expect(policyCodeIn(reason)).toBe(code);
    if (code !== undefined) expect(String(sentenceOfRefusal(code))).not.toContain(code);
  });

  it.each([
    ['550 5.7.1 Service unavailable; client [192.0.2.10] blocked', true],
    ['550-5.7.26 This mail is unauthenticated. 550 5.7.26 gsmtp', true],
    ['550 5.1.1 no such user', false],
    ['5.1.1 550 5.7.1 rejected', false],
    ['550 no such user', false],
    ['10.5.7.26 is no code', false],
  ])('%s blames the sender: %s', (reason, expected) => expect(isAboutSender(reason)).toBe(expected));
});
