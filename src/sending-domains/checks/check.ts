import { isIP } from 'node:net';
import { isInside } from '../../platform/http/networks.ts';
import { type Answer, type RecordType, type Resolver, recordsOf } from './resolver.ts';

/**
 * The result of a check. Pages turn the reason code into a sentence. `unknown` means that nothing was learned, so it never changes the
 * state of a domain.
 */
export interface Check {
  name: CheckName;
  verdict: Verdict;
  reason: string;
  evidence: Evidence;
}

/** In display order. */
export const checkNames = [
  'ownership',
  'dkim',
  'provider-records',
  'alignment',
  'spf',
  'dmarc',
  'mx',
  'from-domain',
  'ptr',
  'tls',
] as const;
export type CheckName = (typeof checkNames)[number];

export type Verdict = 'pass' | 'warn' | 'fail' | 'unknown';
export type Policy = 'none' | 'quarantine' | 'reject';

/** What people need to understand the verdict: every query with its response, and what the check concerns. At most 4 kB of JSON. */
interface Evidence extends Details {
  queries: { query: string; answer: string[] | 'nxdomain' | 'nodata' | 'failure' | 'private' }[];
  /** The number of queries that did not fit into `queries`. */
  more_queries?: number;
}

interface Details {
  selector?: string;
  server?: string;
  record?: string;
  expected_host?: string;
  lookups?: number;
  notes?: string[];
  record_domain?: string;
  organisational_domain?: string;
  policy?: Policy;
  dkim_aligned?: boolean;
  spf_aligned?: boolean;
  tls?: string;
  certificate?: string;
}

/** The conclusion of a check; `runCheck` adds its name and the queries. */
export interface Conclusion extends Details {
  verdict: Verdict;
  reason: string;
}

export const pass: Conclusion = { verdict: 'pass', reason: 'ok' };
/** The input of the check is missing, such as the addresses of the servers. */
export const notChecked: Conclusion = { verdict: 'unknown', reason: 'not-checked' };
export const noResponse: Conclusion = { verdict: 'unknown', reason: 'dns-error' };

/** A name server did not respond, so the check cannot conclude anything. */
class NoResponse extends Error {}

/** The queries of one check and their responses. */
export class RecordingResolver {
  private readonly responses = new Map<string, Answer>();
  private readonly resolver: Resolver;

  constructor(resolver: Resolver) {
    this.resolver = resolver;
  }

  async query(type: RecordType, name: string): Promise<Answer> {
    const answer = await this.resolver.query(type, name);
    this.responses.set(`${type} ${name}`, answer);
    return answer;
  }

  /** Returns no records if the name or its records do not exist. Throws if the name server fails, which ends the check. */
  async records(type: RecordType, name: string): Promise<string[]> {
    const answer = await this.query(type, name);
    if (answer.outcome === 'failure') throw new NoResponse(`${type} ${name}`);
    return recordsOf(answer);
  }

  /** Returns IPv4 and IPv6 addresses. */
  async addresses(name: string): Promise<string[]> {
    return [...(await this.records('A', name)), ...(await this.records('AAAA', name))];
  }

  /** A name with any record exists, and so does an alias of a missing name (RFC 9989, appendix A.4). */
  async exists(name: string): Promise<boolean> {
    const answer = await this.query('A', name);
    if (answer.outcome === 'failure') throw new NoResponse(`A ${name}`);
    return answer.outcome !== 'nxdomain' || (await this.records('CNAME', name)).length > 0;
  }

  evidence(details: Details): Evidence {
    const evidence: Evidence = { queries: [], ...details };
    let room_bytes = maxEvidence_bytes - Buffer.byteLength(JSON.stringify(evidence));
    for (const [query, answer] of this.responses) {
      const entry = { query, answer: shownAnswer(answer) };
      room_bytes -= Buffer.byteLength(JSON.stringify(entry)) + 1;
      if (room_bytes < 0) break;
      evidence.queries.push(entry);
    }
    const left = this.responses.size - evidence.queries.length;
    return left === 0 ? evidence : { ...evidence, more_queries: left };
  }
}

/** Private addresses say what is inside the network of the name servers. Whoever adds a domain chooses which names are asked for. */
function shownAnswer(answer: Answer): Evidence['queries'][number]['answer'] {
  if (answer.outcome !== 'records') return answer.outcome;
  const shown = answer.records.filter((record) => isIP(record) === 0 || !isInside(record));
  return shown.length === 0 ? 'private' : shown.slice(0, 10).map(shortened);
}

/** Leaves space for `more_queries`. */
const maxEvidence_bytes = 4_000;

/** Long enough for a key of 4,096 bits. */
function shortened(record: string): string {
  return record.length > 800 ? `${record.slice(0, 800)}…` : record;
}

export async function runCheck(
  name: CheckName,
  resolver: Resolver,
  conclude: (dns: RecordingResolver) => Promise<Conclusion>,
): Promise<Check> {
  const dns = new RecordingResolver(resolver);
  const conclusion = await conclude(dns).catch((error: unknown): Conclusion => {
    if (error instanceof NoResponse) return noResponse;
    throw error;
  });
  const { verdict, reason, ...details } = conclusion;
  return { name, verdict, reason, evidence: dns.evidence(details) };
}

const severity = ['fail', 'unknown', 'warn', 'pass'] as const;

/** Returns the worst of several, and the first among equals. */
export function worst<T extends { verdict: Verdict }>(all: readonly T[]): T | undefined {
  return severity.map((verdict) => all.find((one) => one.verdict === verdict)).find((one) => one !== undefined);
}
