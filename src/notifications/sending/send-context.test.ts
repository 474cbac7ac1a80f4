import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/kit/fakes/fake-clock.ts';
import { LetterPriorities } from './send-context.ts';

const clock = new FakeClock('2026-11-16T12:00:00Z');

function priorities(
  turns: LetterPriorities,
  service_id: string,
  count: number,
  key_type: 'normal' | 'test' = 'normal',
) {
  return Array.from({ length: count }, () => turns.priorityFor({ service_id, key_type }));
}

describe('LetterTurns', () => {
  it('gives letters of a busy service a lower priority', () => {
    const turns = new LetterPriorities(clock);
    const many = priorities(turns, 'a', 3_000);
    expect(many.slice(0, 20)).toEqual(Array(20).fill(0));
    expect(many[20]).toBe(1);
    expect(many.at(-1)).toBe(100);
    expect(priorities(turns, 'b', 3)).toEqual([0, 0, 0]);
  });

  it('counts test keys separately', () => {
    const turns = new LetterPriorities(clock);
    expect(priorities(turns, 'a', 200, 'test').at(-1)).toBe(9);
    expect(priorities(turns, 'a', 1)).toEqual([0]);
  });

  it('decays with time', () => {
    const turns = new LetterPriorities(clock);
    priorities(turns, 'a', 400);
    clock.advance({ minutes: 10 });
    expect(priorities(turns, 'a', 1)).toEqual([10]);
    clock.advance({ hours: 3 });
    expect(priorities(turns, 'a', 1)).toEqual([0]);
  });
});
