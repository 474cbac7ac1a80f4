import { isIP, isIPv4 } from 'node:net';

/** Whether an address is in a network of the same family. Neither is validated. */
export function isInNetwork(address: string, network: string, prefix: number): boolean {
  const family = isIP(address);
  if (family === 0 || family !== isIP(network)) return false;
  const rest = BigInt((family === 4 ? 32 : 128) - prefix);
  return numberOf(address) >> rest === numberOf(network) >> rest;
}

export function isSameAddress(one: string, other: string): boolean {
  return isInNetwork(one, other, isIPv4(other) ? 32 : 128);
}

function numberOf(address: string): bigint {
  if (!isIPv4(address)) return BigInt(`0x${ipv6Digits(address)}`);
  return address.split('.').reduce((number, octet) => number * 256n + BigInt(octet), 0n);
}

/** Returns all 32 hexadecimal digits. */
export function ipv6Digits(address: string): string {
  // URL writes every IPv6 address in the same form, even one that ends with an IPv4 address.
  const [start = '', end = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [first = [], last = []] = [start, end].map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join('');
}

/** Returns the name of an address in reverse DNS. */
export function reverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  return `${[...ipv6Digits(address)].reverse().join('.')}.ip6.arpa`;
}
