import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';

interface Network {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

/** Parses `192.0.2.0/24`, `2001:db8::/32` or a single address; returns undefined for anything else. */
function parseNetwork(text: string): Network | undefined {
  const [, address = '', prefix] = /^([\d.]+|[\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  const maxBits = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? maxBits : Number(prefix);
  return bits > maxBits ? undefined : { address, prefix: bits, family: version === 4 ? 'ipv4' : 'ipv6' };
}

export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

export class Networks {
  private readonly list = new BlockList();

  constructor(networks: readonly string[]) {
    for (const text of networks) {
      const network = parseNetwork(text);
      if (!network) throw new Error(`${text} is not a network`);
      this.list.addSubnet(network.address, network.prefix, network.family);
    }
  }

  /** An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) is IPv4. An invalid address is in no network. */
  has(address: string): boolean {
    const plain = plainAddress(address);
    const version = isIP(plain);
    return version !== 0 && this.list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  }
}

/** Removes the zone, and the prefix of an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`). */
function plainAddress(address: string): string {
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
}

/**
 * Returns the network that one client can send from: an IPv4 address, or a /64 of IPv6, because a client can use every address in its /64.
 */
export function clientNetwork(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  // The URL class writes every IPv6 address in the same way.
  const [start = '', end] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [start, end ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}

/**
 * Returns the address of the client. Reads `X-Forwarded-For` from the end and only as far as trusted proxies wrote it, because a client can
 * put anything at the beginning.
 */
export function clientAddress(
  connection: string | undefined,
  forwardedFor: string | string[] | undefined,
  trusted: Networks,
): string {
  let address = connection ?? '';
  const forwarded = [forwardedFor ?? []].flat().join(',').split(',');
  while (trusted.has(address)) {
    const before = forwarded.pop()?.trim();
    if (!before) break;
    address = before;
  }
  return address;
}

/** Parses `0.0.0.0:25`, `[::1]:25` or a port on all addresses of this machine; returns undefined for anything else. */
export function listenAddress(text: string): { host: string; port: number } | undefined {
  const [, host = '', port = ''] = /^(?:\[?([0-9a-z.:-]+?)\]?:)?(\d{1,5})$/i.exec(text) ?? [];
  return port !== '' && Number(port) <= 65_535
    ? { host: host === '' ? '0.0.0.0' : host, port: Number(port) }
    : undefined;
}

/** Whether a server listening on this host is reachable only from the same machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Addresses outside the public internet: this machine, this network, and indirect routes to them. */
const inside = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // Azure's own addresses, reached from inside a virtual machine
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  inside.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96], // unspecified, loopback, IPv4 in the old compatible form
  ['::ffff:0:0:0', 96], // IPv4 addresses that a router translates
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  inside.addSubnet(network, prefix, 'ipv6');
}

/** The IPv4 rules also apply to IPv4-mapped IPv6 addresses (`::ffff:7f00:1`): BlockList recognises them. */
export function isInside(address: string): boolean {
  const withoutZone = address.replace(/%.*$/, '');
  return inside.check(withoutZone, isIP(withoutZone) === 4 ? 'ipv4' : 'ipv6');
}

export class AddressRefused extends Error {
  constructor() {
    super('the address is not one that may be called');
  }
}

/** Returns the address if the host name (with or without brackets) is an IP literal, which needs no DNS lookup. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) ? bare : undefined;
}

/** Whether a host name or address in a URL means this machine, whatever DNS says. */
export function isLoopbackName(hostname: string): boolean {
  return isLoopback(literalAddress(hostname) ?? hostname.toLowerCase());
}

/** Whether a host name can only mean this machine or network, because such names do not exist in public DNS. */
export function isInsideName(hostname: string): boolean {
  const literal = literalAddress(hostname);
  if (literal) return isInside(literal);
  return /^[^.]+$|\.(localhost|local|internal|lan|test|home\.arpa)$/i.test(hostname);
}

/** A DNS lookup that checks the address that the connection then uses. This prevents DNS rebinding. */
export function guardedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '');
      const allowed = found.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) return callback(new AddressRefused(), '');
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
