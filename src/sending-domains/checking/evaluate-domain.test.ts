import { describe, expect, it } from 'vitest';
import type { Check, CheckName, Verdict } from '../checks/check.ts';
import { nextCheck, nextKeyState } from './check-schedule.ts';
import { evaluateDomain } from './evaluate-domain.ts';

const now = new Date('2026-11-15T12:00:00Z');
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString();

function checksOf(verdicts: Partial<Record<CheckName, Verdict>>): Check[] {
  return Object.entries(verdicts).map(([name, verdict]) => ({
    name: name as CheckName,
    verdict,
    reason: verdict === 'pass' ? 'ok' : 'some-reason',
    evidence: { queries: [] },
  }));
}

const needed = ['ownership', 'dkim', 'alignment'];
const good = { ownership: 'pass', dkim: 'pass', alignment: 'pass' } as const;

type State = Parameters<typeof evaluateDomain>[0];
const fresh = { required_failing_since: null, required_failures: 0 };

function evaluate(
  state: Partial<State> & Pick<State, 'state'>,
  verdicts: Partial<Record<CheckName, Verdict>>,
  tokenDiffersSince: string | null = null,
) {
  const checks = checksOf(verdicts);
  const required = checks.filter(({ name }) => needed.includes(name));
  return evaluateDomain({ ...fresh, ...state }, { checks, required, tokenDiffersSince }, now);
}

describe('the state of a domain after a check', () => {
  const failing = (hours: number, required_failures: number) => ({
    required_failing_since: ago(hours),
    required_failures,
  });
  it.each<[string, Partial<State> & Pick<State, 'state'>, Partial<Record<CheckName, Verdict>>, State['state']]>([
    ['all needed pass', { state: 'pending' }, good, 'verified'],
    ['a needed one warns', { state: 'pending' }, { ...good, dkim: 'warn' }, 'verified'],
    ['an advisory one fails', { state: 'pending' }, { ...good, dmarc: 'fail' }, 'warning'],
    ['a needed one fails', { state: 'pending' }, { ...good, dkim: 'fail' }, 'pending'],
    ['a needed one is unknown', { state: 'pending' }, { ...good, dkim: 'unknown' }, 'pending'],
    ['an advisory one is unknown', { state: 'pending' }, { ...good, dmarc: 'unknown' }, 'verified'],
    ['an advisory one fails', { state: 'verified' }, { ...good, mx: 'fail' }, 'warning'],
    ['an advisory one warns', { state: 'verified' }, { ...good, dmarc: 'warn' }, 'verified'],
    ['no advisory one fails any more', { state: 'warning' }, { ...good, mx: 'pass' }, 'verified'],
    ['an advisory one is unknown', { state: 'warning' }, { ...good, mx: 'unknown' }, 'warning'],
    ['name servers do not answer', { state: 'verified' }, { ownership: 'unknown', dkim: 'unknown' }, 'verified'],
    ['name servers do not answer', { state: 'warning' }, { ownership: 'unknown', dkim: 'unknown' }, 'warning'],
    ['name servers do not answer', { state: 'suspended' }, { ownership: 'unknown', dkim: 'unknown' }, 'suspended'],
    ['nobody answers for days', { state: 'verified', ...failing(72, 2) }, { ownership: 'unknown' }, 'verified'],
    ['a needed one fails once', { state: 'verified' }, { ...good, dkim: 'fail' }, 'verified'],
    [
      'it fails three times within a day',
      { state: 'verified', ...failing(23.9, 20) },
      { ...good, dkim: 'fail' },
      'verified',
    ],
    ['it fails twice in a day', { state: 'verified', ...failing(30, 1) }, { ...good, dkim: 'fail' }, 'verified'],
    [
      'it fails three times and for a day',
      { state: 'verified', ...failing(24, 2) },
      { ...good, dkim: 'fail' },
      'suspended',
    ],
    [
      'it fails three times and for a day',
      { state: 'warning', ...failing(24, 2) },
      { ...good, dkim: 'fail' },
      'suspended',
    ],
    [
      'it fails while an advisory one is better',
      { state: 'warning' },
      { ...good, dkim: 'fail', mx: 'pass' },
      'warning',
    ],
    ['all needed pass once', { state: 'suspended', ...failing(99, 99) }, good, 'verified'],
    ['it still fails', { state: 'suspended', ...failing(99, 99) }, { ...good, dkim: 'fail' }, 'suspended'],
    ['it is checked', { state: 'retired' }, good, 'retired'],
  ])('%s: from %j', (_, from, verdicts, to) => {
    expect(evaluate(from, verdicts).state).toBe(to);
  });

  it('is suspended after an hour with the token of somebody else', () => {
    const verdicts = { ...good, ownership: 'fail' } as const;
    expect(evaluate({ state: 'verified' }, verdicts, ago(0.9)).state).toBe('verified');
    expect(evaluate({ state: 'verified' }, verdicts, ago(1)).state).toBe('suspended');
  });

  it('counts failures in a row, which an unclear check neither ends nor adds to', () => {
    const first = evaluate({ state: 'verified' }, { ...good, dkim: 'fail' });
    expect(first).toEqual({ state: 'verified', required_failing_since: now.toISOString(), required_failures: 1 });
    expect(evaluate(first, { ...good, dkim: 'unknown' })).toEqual(first);
    expect(evaluate(first, { ...good, dkim: 'fail' }).required_failures).toBe(2);
    expect(evaluate(first, good)).toEqual({ state: 'verified', ...fresh });
  });
});

describe('the next check', () => {
  const minutesUntil = (moment: Date | undefined) => moment && (moment.getTime() - now.getTime()) / 60_000;
  const next = (
    state: State['state'],
    verdicts: Partial<Record<CheckName, Verdict>>,
    more: { age_h?: number; changed?: CheckName[]; keys?: 'waiting'[]; random?: number } = {},
  ) => {
    const checks = checksOf(verdicts);
    const required = checks.filter(({ name }) => needed.includes(name));
    const changed = checks.filter(({ name }) => more.changed?.includes(name));
    const keys = (more.keys ?? []).map((one) => ({ state: one, retire_at: null }));
    const domain = { state, created_at: ago(more.age_h ?? 0) };
    return minutesUntil(nextCheck({ domain, checks, required, changed, keys }, now, more.random ?? 0.5));
  };

  it.each([
    [0, 1],
    [1 / 60, 1],
    [2 / 60, 3],
    [5 / 60, 5],
    [10 / 60, 20],
    [0.5, 30],
    [1, 60],
    [71.9, 60],
    [72, 24 * 60],
    [29.9 * 24, 24 * 60],
    [30 * 24, undefined],
  ])('of a pending domain of %d hours is in %d minutes', (age_h, minutes) => {
    const found = next('pending', { dkim: 'fail' }, { age_h });
    if (minutes === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(minutes, 3);
  });

  it('of one in use is in 6 hours ± 20%, and soon after something was wrong or unclear', () => {
    expect(next('verified', good)).toBe(360);
    expect(next('verified', good, { random: 0 })).toBe(288);
    expect(next('verified', good, { random: 1 })).toBeCloseTo(432);
    expect(next('verified', { ...good, dkim: 'fail' })).toBe(15);
    expect(next('warning', { ...good, ownership: 'unknown' })).toBe(15);
    expect(next('suspended', { ...good, dkim: 'fail' })).toBe(15);
    expect(next('verified', { ...good, mx: 'fail' }, { changed: ['mx'] })).toBe(15);
    expect(next('warning', { ...good, mx: 'fail' })).toBe(360);
    expect(next('verified', good, { keys: ['waiting'] })).toBe(15);
    expect(next('retired', good)).toBeUndefined();
  });
});

describe('a key that waits', () => {
  it.each([
    [null, 'pass', { state: 'waiting', isDue: false }],
    [ago(0.9), 'pass', { state: 'waiting', isDue: false }],
    [ago(1), 'pass', { state: 'ready', isDue: false }],
    [ago(24.9), 'warn', { state: 'ready', isDue: false }],
    [ago(25), 'pass', { state: 'ready', isDue: true }],
    [ago(25), 'fail', { state: 'waiting', passed_since: null, isDue: false }],
    [ago(25), 'unknown', undefined],
  ] as const)('since %s, %s', (passed_since, verdict, expected) => {
    const found = nextKeyState({ state: 'ready', passed_since }, { verdict }, now);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });
});
