import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEmailAddress, spellingsOf } from './email-address.ts';

describe('parseEmailAddress', () => {
  it.each([
    'ada@example.com',
    'ada.lovelace+engine@analytical.example.co.uk',
    "o'brien@example.ie",
    "!#$%&'*+/=?^_`{|}~-@example.com",
    '.dots.at.the.ends.@example.com',
    'x@y.zz',
    'a@b--c.com',
    'ada@xn--bcher-kva.example',
    'ada@example.xn--p1ai',
    'ada@bücher.example',
    'ada@例え.テスト',
    `${'a'.repeat(308)}@example.com`,
    `ada@${'a'.repeat(63)}.com`,
  ])('accepts %s', (address) => {
    expect(parseEmailAddress(address)).toEqual({ ok: true, cleaned: address, address });
  });

  it.each([
    ['  Ada@Example.COM\r\n', 'Ada@Example.COM', 'ada@example.com'],
    ['a\u200Bda@exam\u00A0ple.com\uFEFF', 'ada@example.com', 'ada@example.com'],
  ])('cleans %j to %s and normalises it to %s', (input, cleaned, address) => {
    expect(parseEmailAddress(input)).toEqual({ ok: true, cleaned, address });
  });

  it.each([
    '',
    '@',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada@.example.com',
    'ada@example.com.',
    'ada@example..com',
    'a..da@example.com',
    'ada@b@example.com',
    'ada lovelace@example.com',
    'ada@exam ple.com',
    'ada@exam_ple.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@exa---mple.com',
    'ada@example.c',
    'ada@example.c0m',
    'ada@192.168.0.1',
    'ada@[192.168.0.1]',
    'ada@1.2',
    'ada@ex%61mple.com',
    'ada@ex%61mple.bücher.com',
    '"ada"@example.com',
    'Ada <ada@example.com>',
    'ada@example.com;bob@example.com',
    'ada@example.com, bob@example.com',
    'ädå@example.com',
    'ada@\u{FFFD}.com',
    'ada@\uD800.com',
    `${'a'.repeat(309)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'a.'.repeat(126)}com`,
    `ada@${'ü'.repeat(63)}.com`,
  ])('rejects %j', (input) => {
    expect(parseEmailAddress(input)).toEqual({ ok: false });
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (input) => {
        const first = parseEmailAddress(input);
        if (first.ok) expect(parseEmailAddress(first.address)).toEqual({ ...first, cleaned: first.address });
      }),
    );
  });
});

describe('spellingsOf', () => {
  it.each([
    ['ada@example.com', ['ada@example.com']],
    ['ada@bücher.example', ['ada@bücher.example', 'ada@xn--bcher-kva.example']],
    ['ada@xn--bcher-kva.example', ['ada@bücher.example', 'ada@xn--bcher-kva.example']],
    ['ada@bu\u0308cher.example', ['ada@bücher.example', 'ada@xn--bcher-kva.example', 'ada@bu\u0308cher.example']],
    ['ada@ｅxample.com', ['ada@example.com', 'ada@ｅxample.com']],
    // No such domain can exist.
    ['ada@xn--a.example', ['ada@xn--a.example']],
  ])('%s: %j', (address, expected) => {
    expect(spellingsOf(address)).toEqual(expected);
  });
});
