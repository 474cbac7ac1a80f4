import { describe, expect, it } from 'vitest';
import { casesOf } from '../../../test/kit/vectors.ts';
import { nextOccurrences, parseRule } from '../../countries/timing/recurrence.ts';
import type { SendWindow, Weekday } from '../../countries/timing/send-windows.ts';
import { sendingTime } from './sending-time.ts';

interface WindowOfCase {
  days: Weekday[];
  from: string;
  until: string;
  closed_days?: string[];
}

interface Case {
  id: string;
  kind: string;
  why: string;
  expect: unknown;
  now: string;
  channel: string;
  installation_zone: string;
  service_zone?: string;
  recipient_zone?: string;
  country_zones?: string[];
  service_window?: WindowOfCase;
  template_window?: WindowOfCase | 'none' | 'inherit';
  process_type?: string;
  key_type?: string;
  scheduled_for?: string;
  rule: string;
  starts_on: string;
  at: string;
  zone: string;
  after: string;
  next: number;
}

const cases = casesOf<Case>('sender/windows.json');
const named = (recurring: boolean) =>
  cases.filter(({ kind }) => (kind === 'recurrence') === recurring).map((one) => [one.id, one.why, one] as const);

const inSeconds = (moment: Date) => moment.toISOString().replace('.000Z', 'Z');

function readWindow({ days, from, until, closed_days = [] }: WindowOfCase): SendWindow {
  return { days, from_time: from, until_time: until, closed_days };
}

describe('when a message goes out', () => {
  it.each(named(false))('%s: %s', (_id, _why, one) => {
    const { template_window: own } = one;
    const { at, ...result } = sendingTime({
      channel: one.channel,
      key_type: one.key_type ?? 'normal',
      process_type: one.process_type ?? 'normal',
      template_window: typeof own === 'object' ? readWindow(own) : own === 'none' ? own : undefined,
      service_window: one.service_window && readWindow(one.service_window),
      zones: {
        recipient: one.recipient_zone,
        country: one.country_zones ?? [],
        service: one.service_zone ?? one.installation_zone,
      },
      start: new Date(Math.max(Date.parse(one.now), Date.parse(one.scheduled_for ?? one.now))),
    });
    expect({ send_at: at ? inSeconds(at) : null, ...result }).toEqual(one.expect);
  });
});

describe('when a recurring send happens', () => {
  it.each(named(true))('%s: %s', (_id, _why, one) => {
    const rule = parseRule(one.rule);
    if (!rule) throw new Error(`Not a rule: ${one.rule}`);
    const { starts_on, at: at_time, zone: time_zone } = one;
    const found = nextOccurrences(
      { rule, starts_on, at_time, time_zone, isWorkingDay: () => true },
      new Date(one.after),
      one.next,
    );
    expect(found.map(inSeconds)).toEqual(one.expect);
  });
});
