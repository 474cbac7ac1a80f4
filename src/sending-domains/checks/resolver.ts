import { Resolver as NodeResolver } from 'node:dns/promises';

export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'PTR' | 'TXT';

/**
 * The strings of one TXT record are joined. An MX record is "10 host". Host names are in lower case without a trailing dot; the host of a
 * null MX is empty ("0 "). `failure`: the name server failed, refused or timed out.
 */
export type Answer = { outcome: 'records'; records: string[] } | { outcome: 'nxdomain' | 'nodata' | 'failure' };

export interface Resolver {
  query(type: RecordType, name: string): Promise<Answer>;
}

export function recordsOf(answer: Answer): string[] {
  return answer.outcome === 'records' ? answer.records : [];
}

/** Returns the name in lower case without a trailing dot. */
export function plainName(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, '');
}

/** Strangers publish these records. No correct response has more than 200 records of 4,096 characters. */
const maxRecords = 200;
const maxRecordLength = 4_096;

/** Has its own servers and limits, and never changes those of the process, which other connections use. */
export function dnsResolver(options: {
  /** The servers of the operating system, if empty. */
  servers: readonly string[];
  count?: (type: RecordType, outcome: Answer['outcome']) => void;
}): Resolver {
  const resolver = new NodeResolver({ timeout: 5_000, tries: 2 });
  if (options.servers.length > 0) resolver.setServers(options.servers);
  return {
    async query(type, name) {
      const answer = isPossibleName(name) ? await lookUp(resolver, type, name) : ({ outcome: 'nxdomain' } as const);
      options.count?.(type, answer.outcome);
      return answer;
    },
  };
}

async function lookUp(resolver: NodeResolver, type: RecordType, name: string): Promise<Answer> {
  try {
    const records = (await recordsByType[type](resolver, name)).slice(0, maxRecords);
    if (records.length === 0) return { outcome: 'nodata' };
    return { outcome: 'records', records: records.map((record) => record.slice(0, maxRecordLength)) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND' || code === 'EBADNAME') return { outcome: 'nxdomain' };
    return { outcome: code === 'ENODATA' ? 'nodata' : 'failure' };
  }
}

const recordsByType: { [type in RecordType]: (resolver: NodeResolver, name: string) => Promise<string[]> } = {
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
  CNAME: async (resolver, name) => (await resolver.resolveCname(name)).map(plainName),
  MX: async (resolver, name) =>
    (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${plainName(exchange)}`),
  PTR: async (resolver, name) => (await resolver.resolvePtr(name)).map(plainName),
  TXT: async (resolver, name) => (await resolver.resolveTxt(name)).map((strings) => strings.join('')),
};

/** Labels have 1 to 63 octets, names 253 (RFC 1035). A resolver refuses other names, and they cannot exist. */
function isPossibleName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label.length > 0 && label.length <= 63);
}

/**
 * Caches every response, and stops querying after a number of queries or a time: the records of strangers determine how many queries a
 * check makes.
 */
export function boundedResolver(resolver: Resolver, limits: { maxQueries: number; timeout_ms: number }): Resolver {
  const answers = new Map<string, Promise<Answer>>();
  const timeout = AbortSignal.timeout(limits.timeout_ms);
  return {
    query(type, name) {
      const question = `${type} ${plainName(name)}`;
      const known = answers.get(question);
      if (known) return known;
      if (timeout.aborted || answers.size >= limits.maxQueries) return Promise.resolve({ outcome: 'failure' });
      const answer = resolver.query(type, plainName(name));
      answers.set(question, answer);
      return answer;
    },
  };
}
