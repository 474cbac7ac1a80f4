import { describe, expect, it } from 'vitest';
import { isSameOrBelow, parseDomainName } from './domain-name.ts';

describe('a domain name', () => {
  it.each([
    ['notify.council.example', 'notify.council.example'],
    [' Notify.Council.Example. ', 'notify.council.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
    ['a-1.example', 'a-1.example'],
    ['1.example', '1.example'],
  ])('%j is stored as %s', (text, name) => {
    expect(parseDomainName(text)).toEqual({ name });
  });

  it.each([
    '',
    'council',
    'localhost',
    '192.0.2.1',
    '１９２.0.2.1',
    '[2001:db8::1]',
    '_dmarc.council.example',
    '＿dmarc.council.example',
    'https://council.example',
    'council.example/path',
    'council.example:25',
    'ada@council.example',
    '-council.example',
    'council-.example',
    'council..example',
    '.council.example',
    'council.123',
    'coun cil.example',
    'council.example\r\nBcc: everybody@evil.example',
    'council.example\nX: y',
    'coun\u00adcil\0.example',
    'council%2eexample',
    '<council.example>',
    '"council".example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
    'x'.repeat(100_000),
  ])('%j is none', (text) => {
    expect(parseDomainName(text)).toEqual({ problem: 'not-a-domain', name: '' });
  });

  it.each([
    'gmail.com',
    'GMAIL.COM.',
    'mail.gmail.com',
    'yahoo.fr',
    'yahoo.co.uk',
    'yahoo.com.br',
    'gmx.at',
    'hotmail.co.uk',
    'icloud.com',
    'ｇmail.com',
  ])('%s belongs to a mailbox provider', (text) => {
    expect(parseDomainName(text)).toMatchObject({ problem: 'mailbox-provider' });
  });

  it.each(['mygmail.com', 'gmail.com.example', 'yahoo.council.example', 'notgmx.de'])('%s does not', (text) => {
    expect(parseDomainName(text)).toEqual({ name: text });
  });

  it('is inside of another by whole labels', () => {
    expect(isSameOrBelow('a.council.example', 'council.example')).toBe(true);
    expect(isSameOrBelow('council.example', 'council.example')).toBe(true);
    expect(isSameOrBelow('mycouncil.example', 'council.example')).toBe(false);
    expect(isSameOrBelow('council.example', 'a.council.example')).toBe(false);
  });
});
