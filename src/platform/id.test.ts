import { expect, it } from 'vitest';
import { idInPath, isUuid, momentOfId, newId, shortId } from './id.ts';

const now = new Date('2026-11-16T12:00:00.123Z');

it('an id is a UUIDv7 with its time, and random after it', () => {
  const ids = Array.from({ length: 1_000 }, () => newId(now));
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids) {
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^.{14}7.{4}[89ab].{16}$/);
    expect(momentOfId(id)).toEqual(now);
  }
  expect(new Set(ids.map((id) => id.slice(-2))).size).toBeGreaterThan(200);
});

it('ids of one process ascend', () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => newId(new Date(now.getTime() + Math.floor(index / 100))));
  expect([...ids].sort()).toEqual(ids);
});

it('an id in a path may be short, in upper case, or without hyphens', () => {
  const id = newId(now);
  const written = [id, id.toUpperCase(), id.replaceAll('-', ''), shortId(id)];
  expect(written.map(idInPath)).toEqual([id, id, id, id]);
  expect(['', 'x', 'not an id, 22 letters.', `${id}0`].map(idInPath)).toEqual(Array(4).fill(undefined));
});
