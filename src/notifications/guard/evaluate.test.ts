import { describe, expect, it } from 'vitest';
import { evaluate, percentOf } from './evaluate.ts';

const now = new Date('2026-11-17T12:30:00Z');
const rules = {
  minSent: 1_000,
  bounceWarn: 0.05,
  bouncePause: 0.1,
  complaintWarn: 0.001,
  complaintPause: 0.003,
  mayPause: true,
};
const fresh = { state: 'ok' as const, because: null, last_warning_at: null, lifted_at: null };

const anHour = (hour: string, sent: number, hard_bounces = 0, complaints = 0) => ({
  ...{ hour: new Date(hour), sent, hard_bounces, complaints },
});

describe('evaluating a service by its emails', () => {
  it.each([
    ['nothing was sent', 0, 0, 0, 'ok', null],
    ['one bounce less than 5%', 10_000, 499, 0, 'ok', null],
    ['exactly 5% bounced', 10_000, 500, 0, 'warned', 'bounces'],
    ['one bounce less than 10%', 10_000, 999, 0, 'warned', 'bounces'],
    ['exactly 10% bounced', 10_000, 1_000, 0, 'paused', 'bounces'],
    ['too few emails to pause for', 999, 500, 0, 'warned', 'bounces-small'],
    ['too few emails to warn for', 99, 99, 0, 'ok', null],
    ['19% of a few', 100, 19, 0, 'ok', null],
    ['exactly 0.1% complained', 10_000, 0, 10, 'warned', 'complaints'],
    ['exactly 0.3% complained', 10_000, 0, 30, 'paused', 'complaints'],
    ['two complaints are too few', 1_000, 0, 2, 'ok', null],
    ['both: the pause counts', 10_000, 600, 30, 'paused', 'complaints'],
  ] as const)('%s', (_why, sent, bounces, complaints, state, because) => {
    const evaluated = evaluate(fresh, [anHour('2026-11-17T11:00:00Z', sent, bounces, complaints)], rules, now);
    expect([evaluated.state, evaluated.because]).toEqual([state, because]);
  });

  it('counts bounces of 24 hours and complaints of 7 days, each with the hour in which the window begins', () => {
    const bounces = (hour: string) => evaluate(fresh, [anHour(hour, 1_000, 500)], rules, now).state;
    expect([bounces('2026-11-16T12:00:00Z'), bounces('2026-11-16T11:00:00Z')]).toEqual(['paused', 'ok']);
    const complaints = (hour: string) => evaluate(fresh, [anHour(hour, 1_000, 0, 500)], rules, now).state;
    expect([complaints('2026-11-10T12:00:00Z'), complaints('2026-11-10T11:00:00Z')]).toEqual(['paused', 'ok']);
  });

  it('stays paused until it is lifted, and then counts hours that begin later', () => {
    const paused = { ...fresh, state: 'paused' as const, because: 'bounces' as const };
    expect(evaluate(paused, [], rules, now)).toMatchObject({ state: 'paused', because: 'bounces', notice: null });
    const lifted = { ...fresh, lifted_at: new Date('2026-11-17T09:20:00Z') };
    expect(evaluate(lifted, [anHour('2026-11-17T09:00:00Z', 1_000, 500)], rules, now).state).toBe('ok');
    expect(evaluate(lifted, [anHour('2026-11-17T10:00:00Z', 1_000, 500)], rules, now).state).toBe('paused');
  });

  it('only warns a service that may not be paused, whatever it was before', () => {
    const hours = [anHour('2026-11-17T11:00:00Z', 1_000, 500)];
    const evaluated = evaluate(
      { ...fresh, state: 'paused', because: 'bounces' },
      hours,
      { ...rules, mayPause: false },
      now,
    );
    expect(evaluated).toMatchObject({ state: 'warned', because: 'bounces', notice: 'warning' });
  });

  it('warns once in 24 hours, and always tells of a pause', () => {
    const warned = (last_warning_at: string, bounces: number) =>
      evaluate(
        { ...fresh, state: 'warned', because: 'bounces', last_warning_at: new Date(last_warning_at) },
        [anHour('2026-11-17T11:00:00Z', 1_000, bounces)],
        rules,
        now,
      ).notice;
    expect(warned('2026-11-16T12:31:00Z', 60)).toBeNull();
    expect(warned('2026-11-16T12:30:00Z', 60)).toBe('warning');
    expect(warned('2026-11-17T12:29:00Z', 100)).toBe('paused');
  });

  it.each([
    [0, 0, 2, '0.00'],
    [199, 999, 2, '19.92'],
    [500, 999, 2, '50.05'],
    [1, 1_000, 3, '0.100'],
    [124, 1_000, 1, '12.4'],
    [1, 8, 1, '12.5'],
    [999_999, 1_000_000, 1, '100.0'],
  ])('%d of %d with %d decimals is %s per cent', (part, of, decimals, text) => {
    expect(percentOf({ part, of }, decimals)).toBe(text);
  });
});
