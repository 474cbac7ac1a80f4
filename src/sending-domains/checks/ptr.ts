import { isIPv4 } from 'node:net';
import { ipv6Digits, isSameAddress, reverseName } from './address.ts';
import { type Conclusion, notChecked, pass, type RecordingResolver, worst } from './check.ts';
import { plainName } from './resolver.ts';

/** Checks whether each server has a name that resolves back to it and is in its EHLO. Gmail and Yahoo refuse mail from other servers. */
export async function checkPtr(
  dns: RecordingResolver,
  { servers, helo }: { servers: readonly string[]; helo?: string },
): Promise<Conclusion> {
  const conclusions: Conclusion[] = [];
  for (const server of servers) conclusions.push(await evaluateServer(dns, server, helo));
  const found = worst(conclusions);
  if (found === undefined || found.verdict === 'fail') return found ?? notChecked;
  if (helo !== undefined && !isFullName(helo)) return { verdict: 'fail', reason: 'helo-not-a-name' };
  return found;
}

async function evaluateServer(dns: RecordingResolver, server: string, helo: string | undefined): Promise<Conclusion> {
  const names = (await dns.records('PTR', reverseName(server))).map(plainName).slice(0, maxNames);
  if (names.length === 0) return { verdict: 'fail', reason: 'ptr-missing', server };
  const confirmed: string[] = [];
  for (const name of names) {
    const addresses = await dns.records(isIPv4(server) ? 'A' : 'AAAA', name);
    if (addresses.some((address) => isSameAddress(server, address))) confirmed.push(name);
  }
  if (confirmed.length === 0) return { verdict: 'fail', reason: 'ptr-not-confirmed', server };
  if (confirmed.every((name) => isGeneric(name, server))) return { verdict: 'warn', reason: 'ptr-generic', server };
  if (helo !== undefined && isFullName(helo) && !confirmed.includes(plainName(helo))) {
    return { verdict: 'warn', reason: 'helo-differs', server };
  }
  return pass;
}

const maxNames = 10;

/** Whether it has two labels or more and is not an address. */
function isFullName(helo: string): boolean {
  return /^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z][a-z\d-]*[a-z\d]$/i.test(plainName(helo));
}

/** Access providers derive such names from addresses. Spam filters distrust them. */
function isGeneric(name: string, server: string): boolean {
  if (/(^|[.-])(dyn|dynamic|dhcp|dsl|adsl|vdsl|ppp|pppoe|pool|dialup|cable)\d*([.-]|$)/.test(name)) return true;
  if (!isIPv4(server)) return name.replaceAll(/[^\da-f]/g, '').includes(ipv6Digits(server).slice(-16));
  const octets = server.split('.');
  const orders = [octets, octets.toReversed(), octets.map((octet) => octet.padStart(3, '0'))];
  return orders.some((order) => new RegExp(`(^|\\D)${order.join('[.-]?')}(\\D|$)`).test(name));
}
