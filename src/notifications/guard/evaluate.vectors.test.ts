import { describe, expect, it } from 'vitest';
import { readVectors } from '../../../test/kit/vectors.ts';
import { evaluate, type GuardReason, type GuardState, percentOf } from './evaluate.ts';

interface Case {
  id: string;
  why: string;
  now: string;
  hours: { hour: string; sent: number; hard_bounces?: number; complaints?: number }[];
  state?: GuardState;
  paused_because?: GuardReason;
  last_warning_at?: string;
  lifted_at?: string;
  settings?: Partial<
    Record<'min_sent' | 'bounce_warn' | 'bounce_pause' | 'complaint_warn' | 'complaint_pause', unknown>
  >;
  expect: Record<string, unknown>;
}

const vectors = readVectors<{ tables: Record<string, unknown>; cases: Case[] }>('sender/guard.json');

const date = (text: string | undefined) => (text === undefined ? null : new Date(text));

describe('services and their emails', () => {
  it.each(vectors.cases.map((one) => [one.id, one.why, one] as const))('%s: %s', (_id, _why, one) => {
    const settings = { ...vectors.tables, ...one.settings };
    const rules = {
      minSent: Number(settings.min_sent),
      bounceWarn: Number(settings.bounce_warn),
      bouncePause: Number(settings.bounce_pause),
      complaintWarn: Number(settings.complaint_warn),
      complaintPause: Number(settings.complaint_pause),
      mayPause: true,
    };
    const hours = one.hours.map(({ hour, sent, hard_bounces = 0, complaints = 0 }) => ({
      ...{ hour: new Date(hour), sent, hard_bounces, complaints },
    }));
    const known = {
      state: one.state ?? 'ok',
      because: one.paused_because ?? null,
      last_warning_at: date(one.last_warning_at),
      lifted_at: date(one.lifted_at),
    };
    const { rates, ...evaluated } = evaluate(known, hours, rules, new Date(one.now));
    expect({
      ...evaluated,
      bounce_rate: percentOf(rates.bounces, 2),
      complaint_rate: percentOf(rates.complaints, 3),
    }).toEqual(one.expect);
  });
});
