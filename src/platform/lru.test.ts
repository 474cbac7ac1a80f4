import { describe, expect, it } from 'vitest';
import { Lru } from './lru.ts';

describe('Lru', () => {
  it('evicts the entry that was unused for longest', () => {
    const lru = new Lru<string>(3);
    for (const key of ['a', 'b', 'c']) lru.set(key, key, 1);
    lru.get('a');
    lru.set('d', 'd', 1);
    expect(['a', 'b', 'c', 'd'].map((key) => lru.get(key))).toEqual(['a', undefined, 'c', 'd']);
  });

  it('evicts an entry even if all were used', () => {
    const lru = new Lru<string>(2);
    for (const key of ['a', 'b']) lru.set(key, key, 1);
    for (const key of ['a', 'b']) lru.get(key);
    lru.set('c', 'c', 1);
    expect(lru.size).toBe(2);
    expect(lru.get('c')).toBe('c');
  });

  it('evicts several light entries for a heavy one', () => {
    const lru = new Lru<string>(4);
    for (const key of ['a', 'b', 'c', 'd']) lru.set(key, key, 1);
    lru.set('heavy', 'heavy', 3);
    expect(['a', 'b', 'c', 'd', 'heavy'].map((key) => lru.get(key))).toEqual([
      undefined,
      undefined,
      undefined,
      'd',
      'heavy',
    ]);
  });

  it('does not store an entry above the maximum weight', () => {
    const lru = new Lru<string>(4);
    lru.set('a', 'a', 5);
    expect(lru.get('a')).toBeUndefined();
    expect(lru.size).toBe(0);
  });

  it('counts the weight of a replaced entry once', () => {
    const lru = new Lru<string>(3);
    lru.set('a', 'old', 2);
    lru.set('a', 'new', 2);
    lru.set('b', 'b', 1);
    expect([lru.get('a'), lru.get('b')]).toEqual(['new', 'b']);
  });

  it('deletes one entry or all of them', () => {
    const lru = new Lru<string>(3);
    lru.set('a', 'a', 1);
    lru.set('b', 'b', 1);
    lru.delete('a');
    expect([lru.get('a'), lru.get('b')]).toEqual([undefined, 'b']);
    lru.clear();
    expect(lru.size).toBe(0);
  });
});
