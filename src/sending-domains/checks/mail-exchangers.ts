import { isIP } from 'node:net';
import { type Conclusion, pass, type Questions } from './check.ts';
import { plainName } from './resolver.ts';

/** Checks whether bounces arrive: the return path must have mail exchangers, and if we have our own listener, it must be one of them. */
export async function checkMx(questions: Questions, name: string, expectedHost?: string): Promise<Conclusion> {
  const domain = plainName(name);
  const hosts = await exchangersOf(questions, domain);
  if (hosts.length === 0) {
    if ((await questions.addresses(domain)).length > 0) return { verdict: 'warn', reason: 'no-mx' };
    return { verdict: 'fail', reason: 'record-missing' };
  }
  if (hosts.includes('')) return { verdict: 'fail', reason: 'null-mx' };
  const address = hosts.find((host) => isIP(host) !== 0);
  if (address !== undefined) return { verdict: 'fail', reason: 'mx-is-address', record: address };
  if (expectedHost !== undefined && !hosts.includes(plainName(expectedHost))) {
    return { verdict: 'fail', reason: 'mx-elsewhere', record: hosts[0] ?? '' };
  }
  return judgeHosts(questions, hosts.slice(0, maxHosts));
}

/** Without MX records, mail goes to the domain itself. */
export async function preferredExchanger(questions: Questions, domain: string): Promise<string> {
  const [host] = await exchangersOf(questions, plainName(domain));
  return host || plainName(domain);
}

const maxHosts = 10;

async function judgeHosts(questions: Questions, hosts: string[]): Promise<Conclusion> {
  const missing: string[] = [];
  const aliases: string[] = [];
  for (const host of hosts) {
    if ((await questions.addresses(host)).length === 0) missing.push(host);
    else if ((await questions.records('CNAME', host)).length > 0) aliases.push(host);
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
export async function checkFromDomain(questions: Questions, name: string): Promise<Conclusion> {
  const domain = plainName(name);
  const hosts = await exchangersOf(questions, domain);
  if (hosts.includes('')) return { verdict: 'fail', reason: 'null-mx' };
  if (hosts.length > 0 || (await questions.addresses(domain)).length > 0) return pass;
  if (await questions.exists(domain)) return { verdict: 'warn', reason: 'no-replies' };
  return { verdict: 'fail', reason: 'not-found' };
}

/** Returns the most preferred first. The host of a null MX is empty: the domain accepts no mail (RFC 7505). */
async function exchangersOf(questions: Questions, domain: string): Promise<string[]> {
  const exchangers = (await questions.records('MX', domain)).map((record) => {
    const [priority, host = ''] = record.split(' ');
    return { priority: Number(priority), host: plainName(host) };
  });
  return exchangers.sort((one, other) => one.priority - other.priority).map(({ host }) => host);
}
