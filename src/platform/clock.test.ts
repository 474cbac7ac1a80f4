import { expect, it } from 'vitest';
import { FakeClock } from '../../test/kit/fakes/fake-clock.ts';
import { ClockWatch } from './clock.ts';

it('reports a clock jump once, in either direction, and ignores small corrections', () => {
  const clock = new FakeClock();
  const watch = new ClockWatch(clock, 5_000);
  expect(watch.jump_ms()).toBe(0);
  clock.advance({ hours: 1 });
  expect(watch.jump_ms()).toBeCloseTo(3_600_000, -3);
  expect(watch.jump_ms()).toBe(0);
  clock.advance({ hours: -2 });
  expect(watch.jump_ms()).toBeCloseTo(-7_200_000, -3);
  clock.advance({ seconds: 2 });
  expect(watch.jump_ms()).toBe(0);
});
