import { describe, expect, it } from 'vitest';
import { clientAddress, clientNetwork, isNetwork, Networks } from './networks.ts';

describe('networks', () => {
  it.each(['192.0.2.0/24', '192.0.2.7', '0.0.0.0/0', '2001:db8::/32', '::1', '::ffff:192.0.2.0/120'])(
    '%s is a network',
    (text) => {
      expect(isNetwork(text)).toBe(true);
    },
  );

  it.each([
    '',
    'example.org',
    '192.0.2.0/33',
    '2001:db8::/129',
    '192.0.2',
    '192.0.2.0/',
    '192.0.2.0/-1',
    '300.1.1.1',
    ' ::1',
  ])('%j is not a network', (text) => {
    expect(isNetwork(text)).toBe(false);
  });

  it.each([
    ['192.0.2.7', true],
    ['::ffff:192.0.2.7', true],
    ['192.0.3.7', false],
    ['2001:db8:1::7', true],
    ['2001:db9::7', false],
    ['unknown', false],
    ['', false],
  ])('%s: %s', (address, expected) => {
    expect(new Networks(['192.0.2.0/24', '2001:db8::/32']).has(address)).toBe(expected);
  });
});

describe('the address of a client', () => {
  const proxies = new Networks(['10.0.0.0/8', '::1']);
  it.each([
    ['198.51.100.1', undefined, '198.51.100.1'],
    ['198.51.100.1', '192.0.2.1', '198.51.100.1'],
    ['10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['10.0.0.1', 'spoofed, 192.0.2.1', '192.0.2.1'],
    ['10.0.0.1', '203.0.113.9, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['::1', ['203.0.113.9', '192.0.2.1'], '192.0.2.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '10.0.0.3', '10.0.0.3'],
    [undefined, '192.0.2.1', ''],
  ])('connected from %s, forwarded for %j: %s', (connection, forwarded, expected) => {
    expect(clientAddress(connection, forwarded, proxies)).toBe(expected);
  });

  it('is that of the connection without trusted proxies', () => {
    expect(clientAddress('10.0.0.1', '192.0.2.1', new Networks([]))).toBe('10.0.0.1');
  });
});

describe('clientNetwork', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff::2', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('%s: %s', (address, network) => expect(clientNetwork(address)).toBe(network));
});
