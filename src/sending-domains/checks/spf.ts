import { isIPv4 } from 'node:net';
import { isInNetwork, isSameAddress, reverseName } from './address.ts';
import { type Conclusion, notChecked, pass, type RecordingResolver, worst } from './check.ts';
import { plainName, recordsOf } from './resolver.ts';
import { expandMacros, isSpfRecord, type Mechanism, parseSpfRecord, type SpfRecord } from './spf-record.ts';

/** Limits of RFC 7208, section 4.6.4, beyond which receivers give up. */
const maxLookups = 10;
const maxVoidLookups = 2;
const maxHosts = 10;

/** Checks whether receivers accept each of our servers as a sender for the return path domain. */
export async function checkSpf(
  dns: RecordingResolver,
  domain: string,
  { servers, helo }: { servers: readonly string[]; helo?: string },
): Promise<Conclusion> {
  const conclusions: Conclusion[] = [];
  for (const server of servers) {
    conclusions.push(await new Evaluation(dns, server, plainName(domain), helo ?? domain).conclude());
  }
  return worst(conclusions) ?? notChecked;
}

/** The record has an error (`permerror` in RFC 7208). Receivers treat it like a missing record, or worse. */
class SpfError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

type Result = Mechanism['qualifier'];

class Evaluation {
  private lookups = 0;
  private voidLookups = 0;
  private allowsEveryone = false;
  private usesPtr = false;
  private readonly dns: RecordingResolver;
  private readonly server: string;
  private readonly domain: string;
  private readonly helo: string;

  constructor(dns: RecordingResolver, server: string, domain: string, helo: string) {
    this.dns = dns;
    this.server = server;
    this.domain = domain;
    this.helo = helo;
  }

  async conclude(): Promise<Conclusion> {
    try {
      return { ...this.conclusionOf(await this.evaluate(this.domain, 'record-missing')), lookups: this.lookups };
    } catch (error) {
      if (!(error instanceof SpfError)) throw error;
      return { verdict: 'fail', reason: error.reason, lookups: this.lookups };
    }
  }

  private conclusionOf(result: Result): Conclusion {
    if (result !== '+') return { verdict: 'fail', reason: 'not-listed', server: this.server };
    if (this.allowsEveryone) return { verdict: 'warn', reason: 'allows-everyone' };
    if (this.usesPtr) return { verdict: 'warn', reason: 'uses-ptr' };
    return this.lookups >= maxLookups - 1 ? { verdict: 'warn', reason: 'near-lookup-limit' } : pass;
  }

  private async evaluate(domain: string, missing: string): Promise<Result> {
    const record = await this.read(domain, missing);
    this.allowsEveryone ||= record.mechanisms.some(({ name, qualifier }) => name === 'all' && qualifier === '+');
    this.usesPtr ||= record.mechanisms.some(({ name }) => name === 'ptr');
    for (const mechanism of record.mechanisms) {
      if (await this.matches(mechanism, domain)) return mechanism.qualifier;
    }
    if (record.redirect === undefined) return '?';
    this.countLookup();
    return this.evaluate(this.expand(record.redirect, domain), 'redirect-missing');
  }

  private async read(domain: string, missing: string): Promise<SpfRecord> {
    const texts = (await this.dns.records('TXT', domain)).filter(isSpfRecord);
    const [text] = texts;
    if (text === undefined) throw new SpfError(missing);
    if (texts.length > 1) throw new SpfError('several-records');
    const record = parseSpfRecord(text);
    if (!record) throw new SpfError('syntax');
    return record;
  }

  private async matches(mechanism: Mechanism, domain: string): Promise<boolean> {
    const { name, value = '' } = mechanism;
    if (name === 'all') return true;
    if (name === 'ip4' || name === 'ip6') return this.isIn(mechanism, value);
    this.countLookup();
    const target = value === '' ? domain : this.expand(value, domain);
    switch (name) {
      case 'include':
        return (await this.evaluate(target, 'include-missing')) === '+';
      case 'a':
        return (await this.addresses(target)).some((address) => this.isIn(mechanism, address));
      case 'mx':
        return this.isExchangerOf(mechanism, target);
      case 'exists':
        return this.countVoid(await this.dns.records('A', target)).length > 0;
      case 'ptr':
        return this.isNamedBelow(target);
    }
  }

  private isIn({ prefix4, prefix6 }: Mechanism, network: string): boolean {
    return isInNetwork(this.server, network, isIPv4(network) ? prefix4 : prefix6);
  }

  private async addresses(name: string): Promise<string[]> {
    return this.countVoid(await this.dns.records(this.addressType, name));
  }

  private get addressType(): 'A' | 'AAAA' {
    return isIPv4(this.server) ? 'A' : 'AAAA';
  }

  private async isExchangerOf(mechanism: Mechanism, domain: string): Promise<boolean> {
    const records = this.countVoid(await this.dns.records('MX', domain));
    if (records.length > maxHosts) throw new SpfError('too-many-lookups');
    for (const host of records.map((record) => record.split(' ')[1] ?? '').filter(Boolean)) {
      const addresses = await this.dns.records(this.addressType, host);
      if (addresses.some((address) => this.isIn(mechanism, address))) return true;
    }
    return false;
  }

  /** A failed query counts as a missing name here (RFC 7208, section 5.5). */
  private async isNamedBelow(domain: string): Promise<boolean> {
    const names = recordsOf(await this.dns.query('PTR', reverseName(this.server)));
    for (const name of this.countVoid(names).slice(0, maxHosts)) {
      if (!`.${name}`.endsWith(`.${domain}`)) continue;
      const addresses = recordsOf(await this.dns.query(this.addressType, name));
      if (addresses.some((address) => isSameAddress(this.server, address))) return true;
    }
    return false;
  }

  private countLookup(): void {
    this.lookups += 1;
    if (this.lookups > maxLookups) throw new SpfError('too-many-lookups');
  }

  private countVoid(records: string[]): string[] {
    if (records.length === 0) this.voidLookups += 1;
    if (this.voidLookups > maxVoidLookups) throw new SpfError('too-many-void-lookups');
    return records;
  }

  private expand(spec: string, domain: string): string {
    const { server: address, helo } = this;
    return expandMacros(spec, { address, domain, helo, sender: `postmaster@${this.domain}` });
  }
}
