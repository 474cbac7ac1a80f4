import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

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
  ['::ffff:0:0:0', 96], // IPv4 that a router translates
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

/** The address, if the host name (with or without brackets) is an IP literal: those need no lookup. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) ? bare : undefined;
}

/** Whether a host name can only mean this machine or network: such names do not exist in public DNS. */
export function isInsideName(hostname: string): boolean {
  const literal = literalAddress(hostname);
  if (literal) return isInside(literal);
  return /^[^.]+$|\.(localhost|local|internal|lan|test|home\.arpa)$/i.test(hostname);
}

/**
 * A lookup for the connection itself, so that the address that was checked is the one connected to. This prevents DNS
 * rebinding.
 */
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
