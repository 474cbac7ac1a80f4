import { isIP } from 'node:net';
import { type Conclusion, pass, type RecordingResolver } from './check.ts';
import { plainName } from './resolver.ts';

/** Checks whether bounces arrive: the return path must have mail exchangers, and if we have our own listener, it must be one of them. */
export async function checkMx(dns: RecordingResolver, name: string, expectedHost?: string): Promise<Conclusion> {
  const domain = plainName(name);
  const hosts = await exchangersOf(dns, domain);
  if (hosts.length === 0) {
    if ((await dns.addresses(domain)).length > 0) return { verdict: 'warn', reason: 'no-mx' };
    return { verdict: 'fail', reason: 'record-missing' };
  }
  if (hosts.includes('')) return { verdict: 'fail', reason: 'null-mx' };
  const address = hosts.find((host) => isIP(host) !== 0);
  if (address !== undefined) return { verdict: 'fail', reason: 'mx-is-address', record: address };
  if (expectedHost !== undefined && !hosts.includes(plainName(expectedHost))) {
    return { verdict: 'fail', reason: 'mx-elsewhere', record: hosts[0] ?? '' };
  }
  return evaluateHosts(dns, hosts.slice(0, maxHosts));
}

/** Without MX records, mail goes to the domain itself. */
export async function preferredExchanger(dns: RecordingResolver, domain: string): Promise<string> {
  const [host] = await exchangersOf(dns, plainName(domain));
  return host || plainName(domain);
}

const maxHosts = 10;

async function evaluateHosts(dns: RecordingResolver, hosts: string[]): Promise<Conclusion> {
  const missing: string[] = [];
  const aliases: string[] = [];
  for (const host of hosts) {
    if ((await dns.addresses(host)).length === 0) missing.push(host);
    else if ((await dns.records('CNAME', host)).length > 0) aliases.push(host);
  }
  const [firstMissing, firstAlias] = [missing[0], aliases[0]];
  if (firstMissing !== undefined) {
    if (missing.length === hosts.length) return { verdict: 'fail', reason: 'mx-not-found', record: firstMissing };
    return { verdict: 'warn', reason: 'mx-partly-missing', record: firstMissing };
  }
  // RFC 2181, section 10.3, forbids this, and some senders give up.
  return firstAlias === undefined ? pass : { verdict: 'warn', reason: 'mx-is-alias', record: firstAlias };
}

/** Checks whether replies to the address in From can arrive. Several receivers refuse mail from a domain that does not exist. */
export async function checkFromDomain(dns: RecordingResolver, name: string): Promise<Conclusion> {
  const domain = plainName(name);
  const hosts = await exchangersOf(dns, domain);
  if (hosts.includes('')) return { verdict: 'fail', reason: 'null-mx' };
  if (hosts.length > 0 || (await dns.addresses(domain)).length > 0) return pass;
  if (await dns.exists(domain)) return { verdict: 'warn', reason: 'no-replies' };
  return { verdict: 'fail', reason: 'not-found' };
}

/** Returns the most preferred first. The host of a null MX is empty: the domain accepts no mail (RFC 7505). */
async function exchangersOf(dns: RecordingResolver, domain: string): Promise<string[]> {
  const exchangers = (await dns.records('MX', domain)).map((record) => {
    const [priority, host = ''] = record.split(' ');
    return { priority: Number(priority), host: plainName(host) };
  });
  return exchangers.sort((one, other) => one.priority - other.priority).map(({ host }) => host);
}
