import { describe, expect, it } from 'vitest';
import { Random } from '../../test/kit/fakes/random.ts';
import { isLongRun } from '../../test/kit/process/process-environment.ts';
import type { Status } from '../notifications/notification.ts';
import { hour_ms, later, timestamp } from '../platform/clock.ts';
import type { Channel } from '../protocol/channels.ts';
import { type MessageStatus, type Step, type StepNotification, settle } from './plan-rules.ts';

const began = new Date('2026-11-16T12:00:00Z');
const hoursLater = (hours: number) => later(began, hours * hour_ms);
const at = (hours: number) => timestamp(hoursLater(hours));

function steps(...channels: Channel[]): Step[] {
  return channels.map((channel, index) => ({
    number: index + 1,
    channel,
    wait_h: index < channels.length - 1 ? 24 : null,
    only_if_missing: false,
    state: 'waiting',
    reason: null,
    notification_id: null,
    handed_over_at: null,
    ended_at: null,
  }));
}

/** A message whose steps are started as the rules say, and whose notifications are told what happens to them. */
function aMessage(all: Step[]) {
  let message: { status: MessageStatus; how: Channel | null; steps: readonly Step[] } = {
    status: 'created',
    how: null,
    steps: all,
  };
  const facts = new Map<number, StepNotification>();
  const starts: number[] = [];
  const run = (now: Date) => {
    for (;;) {
      const { status, how, steps, start, deadline, withdraw } = settle(message, facts, now);
      message = { status, how, steps };
      for (const { number } of withdraw) tell(number, 'cancelled', now);
      if (!start) return { status, how, deadline, states: steps.map(({ state }) => state), starts };
      starts.push(start.number);
      facts.set(start.number, { status: 'created', sent_at: null, updated_at: null });
      message = {
        ...message,
        steps: steps.map((step) =>
          step.number === start.number ? { ...step, state: 'sent', notification_id: `${start.number}` } : step,
        ),
      };
    }
  };
  const tell = (number: number, status: Status, now: Date) => {
    const sent_at = facts.get(number)?.sent_at ?? (status === 'cancelled' ? null : timestamp(now));
    facts.set(number, { status, sent_at, updated_at: timestamp(now) });
  };
  return { run, tell, facts, starts };
}

describe('a message with a plan', () => {
  it('ends with the step that is delivered, and starts no other', () => {
    const { run, tell } = aMessage(steps('email', 'sms', 'letter'));
    expect(run(began)).toMatchObject({ status: 'in-progress', states: ['sent', 'waiting', 'waiting'], deadline: null });
    tell(1, 'sending', hoursLater(1));
    expect(run(hoursLater(1)).deadline).toBe(at(25));
    tell(1, 'delivered', hoursLater(2));
    expect(run(hoursLater(2))).toMatchObject({
      ...{ status: 'delivered', how: 'email', states: ['delivered', 'cancelled', 'cancelled'] },
      ...{ starts: [1], deadline: null },
    });
  });

  it('goes on at once after a failure, and when time is up; without a step left it has failed', () => {
    const { run, tell } = aMessage(steps('email', 'sms', 'sms'));
    run(began);
    tell(1, 'permanent-failure', hoursLater(1));
    expect(run(hoursLater(1))).toMatchObject({ states: ['failed', 'sent', 'waiting'], starts: [1, 2] });
    tell(2, 'sending', hoursLater(2));
    expect(run(hoursLater(25.9)).starts).toEqual([1, 2]);
    expect(run(hoursLater(26))).toMatchObject({ states: ['failed', 'expired', 'sent'], starts: [1, 2, 3] });
    tell(3, 'technical-failure', hoursLater(27));
    expect(run(hoursLater(27))).toMatchObject({ status: 'failed', how: null, states: ['failed', 'expired', 'failed'] });
  });

  it('does not count the time before the hand-over', () => {
    const { run, tell } = aMessage(steps('email', 'sms'));
    run(began);
    expect(run(hoursLater(60)).starts).toEqual([1]);
    tell(1, 'sending', hoursLater(60));
    expect(run(hoursLater(61)).deadline).toBe(at(84));
  });

  it('goes on when an email that counted as delivered bounces while its step would have waited, and not later', () => {
    const { run, tell } = aMessage(steps('email', 'sms', 'letter'));
    run(began);
    tell(1, 'delivered', began);
    expect(run(hoursLater(1)).states).toEqual(['delivered', 'cancelled', 'cancelled']);
    tell(1, 'permanent-failure', hoursLater(23));
    expect(run(hoursLater(23))).toMatchObject({ status: 'in-progress', states: ['failed', 'sent', 'waiting'] });
    const late = aMessage(steps('email', 'sms'));
    late.run(began);
    late.tell(1, 'delivered', began);
    late.run(hoursLater(1));
    late.tell(1, 'permanent-failure', hoursLater(24));
    expect(late.run(hoursLater(24))).toMatchObject({ status: 'delivered', how: 'email', starts: [1] });
  });

  it('withdraws a later step that was not handed over when an earlier one is delivered late; others stay', () => {
    const { run, tell } = aMessage(steps('email', 'sms', 'letter'));
    run(began);
    tell(1, 'sending', began);
    expect(run(hoursLater(24)).states).toEqual(['expired', 'sent', 'waiting']);
    tell(1, 'delivered', hoursLater(25));
    run(hoursLater(25));
    expect(run(hoursLater(25))).toMatchObject({ status: 'delivered', states: ['delivered', 'cancelled', 'cancelled'] });
    const handedOver = aMessage(steps('email', 'sms', 'letter'));
    handedOver.run(began);
    handedOver.tell(1, 'sending', began);
    handedOver.run(hoursLater(24));
    handedOver.tell(2, 'sending', hoursLater(24));
    handedOver.tell(1, 'delivered', hoursLater(25));
    expect(handedOver.run(hoursLater(25)).states).toEqual(['delivered', 'sent', 'cancelled']);
    handedOver.tell(2, 'permanent-failure', hoursLater(26));
    expect(handedOver.run(hoursLater(26))).toMatchObject({
      status: 'delivered',
      states: ['delivered', 'failed', 'cancelled'],
    });
  });

  it('ends with a letter that is printed, also if it is returned', () => {
    const { run, tell } = aMessage(steps('email', 'letter'));
    run(began);
    tell(1, 'temporary-failure', hoursLater(1));
    run(hoursLater(1));
    tell(2, 'sending', hoursLater(6));
    expect(run(hoursLater(6))).toMatchObject({ status: 'delivered', how: 'letter', states: ['failed', 'delivered'] });
    tell(2, 'returned-letter', hoursLater(200));
    expect(run(hoursLater(200))).toMatchObject({ status: 'delivered', how: 'letter' });
  });

  it('ends with a text abroad that is its last step, because its receipt may never come', () => {
    const { run, tell } = aMessage(steps('email', 'sms'));
    run(began);
    tell(1, 'permanent-failure', hoursLater(1));
    run(hoursLater(1));
    tell(2, 'sent', hoursLater(2));
    expect(run(hoursLater(2))).toMatchObject({ status: 'delivered', how: 'sms', states: ['failed', 'delivered'] });
    tell(2, 'permanent-failure', hoursLater(90));
    expect(run(hoursLater(90))).toMatchObject({ status: 'failed', how: null, states: ['failed', 'failed'] });
    const earlier = aMessage(steps('sms', 'letter'));
    earlier.run(began);
    earlier.tell(1, 'sent', began);
    expect(earlier.run(hoursLater(23))).toMatchObject({ status: 'in-progress', deadline: at(24) });
    expect(earlier.run(hoursLater(24)).states).toEqual(['expired', 'sent']);
  });

  it('stays delivered by the step that reached the recipient first, whichever other is delivered later', () => {
    const { run, tell } = aMessage(steps('email', 'sms', 'letter'));
    run(began);
    tell(1, 'sending', began);
    run(hoursLater(24));
    tell(2, 'sending', hoursLater(24));
    tell(2, 'delivered', hoursLater(25));
    expect(run(hoursLater(25))).toMatchObject({ status: 'delivered', how: 'sms' });
    tell(1, 'delivered', hoursLater(26));
    expect(run(hoursLater(26))).toMatchObject({
      ...{ status: 'delivered', how: 'sms', states: ['delivered', 'delivered', 'cancelled'] },
    });
  });

  it('uses a step that is only for others if every earlier one was skipped', () => {
    const [email, letter] = steps('email', 'letter') as [Step, Step];
    const fallback = { ...letter, only_if_missing: true };
    const used = aMessage([{ ...email, state: 'skipped' }, fallback]);
    expect(used.run(began).starts).toEqual([2]);
    const unused = aMessage([email, fallback]);
    unused.run(began);
    unused.tell(1, 'permanent-failure', hoursLater(1));
    expect(unused.run(hoursLater(1))).toMatchObject({ status: 'failed', states: ['failed', 'skipped'], starts: [1] });
  });

  it('of which everything was skipped has failed', () => {
    const skipped = steps('email', 'sms').map((step): Step => ({ ...step, state: 'skipped' }));
    expect(aMessage(skipped).run(began)).toMatchObject({ status: 'failed', starts: [] });
  });
});

describe('whatever happens, and in whatever order it is heard', () => {
  it('no step starts twice, none without need, and every message ends', { timeout: 60_000 }, () => {
    for (let seed = 1; seed <= (isLongRun ? 3_000 : 150); seed += 1) {
      const random = new Random(seed);
      const next = () => random.next();
      const pick = <T>(list: readonly T[]): T => random.pick(list);
      const channels = Array.from({ length: 2 + Math.floor(next() * 4) }, () => pick(['email', 'sms'] as const));
      const all: Channel[] = next() < 0.5 ? [...channels.slice(0, -1), 'letter'] : channels;
      const { run, tell, facts, starts } = aMessage(steps(...all));
      let hour = 0;
      let endings = 0;
      for (let turn = 0; turn < 40; turn += 1) {
        // The clock of another worker may be behind.
        hour += next() < 0.1 ? -next() : next() * 12;
        for (const [number, { status }] of [...facts]) {
          const doubt = next();
          if (status === 'created' && doubt < 0.4) tell(number, 'sending', hoursLater(hour));
          if (status === 'sending' && doubt < 0.1) tell(number, 'delivered', hoursLater(hour));
          if (status === 'sending' && doubt > 0.8)
            tell(number, pick(['temporary-failure', 'permanent-failure']), hoursLater(hour));
          if (status === 'delivered' && all[number - 1] === 'email' && doubt > 0.9)
            tell(number, 'permanent-failure', hoursLater(hour));
        }
        const before = starts.length;
        const { states } = run(hoursLater(hour));
        if (states.includes('delivered')) expect(starts, `seed ${seed}: needless`).toHaveLength(before);
        expect(new Set(starts).size, `seed ${seed}: a step started twice`).toBe(starts.length);
        expect(starts, `seed ${seed}: out of order`).toEqual([...starts].sort());
        const [last = 0] = starts.slice(-1);
        for (const number of starts.filter((one) => one < last)) {
          // One that started before the last one had failed, or its time was up.
          expect(['failed', 'expired', 'delivered', 'cancelled'], `seed ${seed}`).toContain(states[number - 1]);
        }
      }
      for (const [number, { status }] of [...facts]) {
        if (status === 'created' || status === 'sending') tell(number, 'temporary-failure', hoursLater(hour));
      }
      for (; endings < 10; endings += 1) {
        const { status } = run(hoursLater(hour));
        if (status === 'delivered' || status === 'failed' || status === 'cancelled') break;
        for (const [number, fact] of [...facts])
          if (fact.status === 'created') tell(number, 'permanent-failure', hoursLater(hour));
      }
      expect(endings, `seed ${seed}: did not end`).toBeLessThan(10);
    }
  });
});
