import { BlockList, isIP, isIPv4 } from 'node:net';

interface Network {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

/** `192.0.2.0/24`, `2001:db8::/32` or a single address; undefined for anything else. */
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

/** Without a zone, and without the prefix of an IPv4 address in IPv6 (`::ffff:192.0.2.1`). */
function plainAddress(address: string): string {
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
}

/**
 * What one client can send from: an IPv4 address, or the 64-bit network of an IPv6 address, because each client has one and
 * can use every address in it.
 */
export function clientNetwork(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  // The URL writes every IPv6 address in the same way.
  const [start = '', end] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [start, end ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
}

/**
 * The address of the client. `X-Forwarded-For` is read from the end and only as far as trusted proxies wrote it: a
 * client can put anything at its beginning.
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

/** Whether a server listening on this host is reachable only from the same machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
