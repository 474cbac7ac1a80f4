import { checkAlignment } from './alignment.ts';
import {
  type Check,
  type CheckName,
  type Conclusion,
  checkNames,
  notChecked,
  pass,
  type RecordingResolver,
  runCheck,
  worst,
} from './check.ts';
import { checkKey, type DkimKey } from './dkim.ts';
import { checkDmarc } from './dmarc.ts';
import { checkFromDomain, checkMx, preferredExchanger } from './mail-exchangers.ts';
import { checkOwnership } from './ownership.ts';
import { checkPtr } from './ptr.ts';
import { boundedResolver, plainName, type Resolver } from './resolver.ts';
import { checkSpf } from './spf.ts';
import { checkTls, type Negotiated } from './tls.ts';

/** What is known about a domain from other sources than DNS. Checks whose input is missing are skipped. */
export interface DomainFacts {
  /** Who signs: we, the relay that takes our mail, or the provider, which requires its own records. */
  way: 'signed-here' | 'relay' | 'provider';
  /** The token of the ownership record. The domain of the installation has none. */
  token?: string;
  /** Whether this was proved before. Until then no other check runs, because the name may be anybody's. */
  isProven?: boolean;
  /** The keys in use. A key that waits for its record is checked separately. */
  keys: readonly DkimKey[];
  records: readonly ProviderRecord[];
  /** The provider's own verdict on the domain. */
  isProviderVerified?: boolean;
  returnPathDomain?: string;
  /** The addresses that mail is sent from, and the name in the EHLO of those servers. */
  servers: readonly string[];
  helo?: string;
  /** The domain whose mail servers receive our bounces, if it is not the return path domain itself, and whether we are that server. */
  bounceDomain?: string;
  listens?: boolean;
  negotiated?: Negotiated;
}

/** More than any domain needs: five servers and the longest SPF record that receivers accept take about 150 queries. */
const limits = { maxQueries: 250, timeout_ms: 60_000 };

/** Runs every check that applies to the domain, in the order of `checkNames`. Does not throw for DNS failures. */
export async function checkDomain(domain: string, resolver: Resolver, facts: DomainFacts): Promise<Check[]> {
  const bounded = boundedResolver(resolver, limits);
  const run = (name: CheckName) => runCheck(name, bounded, (dns) => conclude(name, dns, domain, facts));
  const [first, ...others] = checkNames.filter((name) => applies(name, facts));
  if (first !== 'ownership' || facts.isProven)
    return Promise.all([first, ...others].flatMap((name) => name ?? []).map(run));
  const ownership = await run(first);
  return ownership.verdict === 'pass' ? [ownership, ...(await Promise.all(others.map(run)))] : [ownership];
}

function applies(name: CheckName, { way, token }: DomainFacts): boolean {
  if (name === 'ownership') return token !== undefined;
  if (name === 'dkim') return way !== 'provider';
  return name !== 'provider-records' || way === 'provider';
}

async function conclude(
  name: CheckName,
  dns: RecordingResolver,
  domain: string,
  facts: DomainFacts,
): Promise<Conclusion> {
  const { returnPathDomain } = facts;
  switch (name) {
    case 'ownership':
      return checkOwnership(dns, domain, facts.token ?? '');
    case 'dkim':
      return checkKeys(dns, domain, facts.keys);
    case 'provider-records':
      return checkProviderRecords(dns, facts.records, facts.isProviderVerified);
    case 'alignment':
      return checkAlignment(dns, domain, { ...facts, dkimDomains: signingDomains(domain, facts) });
    case 'spf':
      return returnPathDomain === undefined ? notChecked : checkSpf(dns, returnPathDomain, facts);
    case 'dmarc':
      return checkDmarc(dns, domain);
    case 'mx':
      return returnPathDomain === undefined ? notChecked : checkBounces(dns, returnPathDomain, facts);
    case 'from-domain':
      return checkFromDomain(dns, domain);
    case 'ptr':
      return checkPtr(dns, facts);
    case 'tls':
      return checkTls(facts.negotiated);
  }
}

async function checkKeys(dns: RecordingResolver, domain: string, keys: readonly DkimKey[]): Promise<Conclusion> {
  const conclusions = await Promise.all(keys.map((key) => checkKey(dns, domain, key)));
  return worst(conclusions) ?? { verdict: 'fail', reason: 'no-key' };
}

/** A mailbox may be reached through many names, but our own listener only through the installation's. */
async function checkBounces(
  dns: RecordingResolver,
  returnPathDomain: string,
  { bounceDomain, listens }: DomainFacts,
): Promise<Conclusion> {
  if (bounceDomain === undefined) return checkMx(dns, returnPathDomain);
  const expected_host = await preferredExchanger(dns, bounceDomain);
  return { ...(await checkMx(dns, returnPathDomain, listens ? expected_host : undefined)), expected_host };
}

/** We and a relay sign as the domain itself. A provider signs as the domain in the names of its key records. */
function signingDomains(domain: string, { way, records }: DomainFacts): string[] {
  if (way !== 'provider') return [domain];
  return records.flatMap(({ name }) => /\._domainkey\.(.+)$/i.exec(name)?.[1] ?? []);
}

/** Returns the checks that must not fail before emails come from the domain. SPF can replace a signature that is not aligned. */
export function requiredChecks(way: DomainFacts['way'], checks: readonly Check[]): Check[] {
  const isDkimAligned = checks.find(({ name }) => name === 'alignment')?.evidence.dkim_aligned;
  const names: CheckName[] = ['ownership', way === 'provider' ? 'provider-records' : 'dkim', 'alignment'];
  if (isDkimAligned === false) names.push('spf');
  return checks.filter(({ name }) => names.includes(name));
}

/** A record that a provider requires. The value of an MX record includes the priority: "10 host". */
interface ProviderRecord {
  type: 'CNAME' | 'TXT' | 'MX';
  name: string;
  value: string;
}

/** Checks the records and, if known, the provider's own verdict. */
export async function checkProviderRecords(
  dns: RecordingResolver,
  records: readonly ProviderRecord[],
  isVerified: boolean | undefined,
): Promise<Conclusion> {
  for (const { type, name, value } of records) {
    const record = plainName(name);
    const found = await dns.records(type, record);
    if (found.length === 0) return { verdict: 'fail', reason: 'record-missing', record };
    const expected = comparable(type, value);
    if (!found.some((each) => comparable(type, each) === expected)) {
      return { verdict: 'fail', reason: 'record-differs', record };
    }
  }
  return isVerified === false ? { verdict: 'fail', reason: 'provider-not-verified' } : pass;
}

/** Removes spaces from texts that providers require, where they have no meaning: keys and tag lists. */
function comparable(type: ProviderRecord['type'], value: string): string {
  return type === 'TXT' ? value.replaceAll(/\s/g, '') : plainName(value).replaceAll(/\s+/g, ' ');
}
