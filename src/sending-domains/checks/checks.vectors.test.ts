import { describe, expect, it } from 'vitest';
import { FakeDns, type Zone } from '../../../test/kit/fakes/fake-dns.ts';
import { readVectors } from '../../../test/kit/vectors.ts';
import { findAlignment } from './alignment.ts';
import { type Conclusion, RecordingResolver, runCheck } from './check.ts';
import { checkProviderRecords } from './check-domain.ts';
import { checkKey } from './dkim.ts';
import { checkDmarc } from './dmarc.ts';
import { checkFromDomain, checkMx } from './mail-exchangers.ts';
import { checkOwnership } from './ownership.ts';
import { checkPtr } from './ptr.ts';
import { checkSpf } from './spf.ts';
import { checkTls } from './tls.ts';

interface Case {
  id: string;
  why: string;
  check: string;
  // biome-ignore lint/suspicious/noExplicitAny: each check has facts of its own
  setup: any;
  dns: Zone;
  expect: Record<string, unknown>;
}

interface AlignmentCase extends Pick<Case, 'id' | 'why' | 'dns' | 'expect'> {
  from_domain: string;
  spf?: { result: string; domain: string };
  dkim?: { result: string; domain: string }[];
}

const { tables, cases } = readCases<Case>('dns.json');
it.each(cases)('$id $check: $why', async ({ check, setup, dns, expect: expected }) => {
  const text = JSON.stringify(dns).replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => tables[key] ?? '');
  const result = await runCheck('dmarc', new FakeDns(JSON.parse(text)), (dns) =>
    conclude(dns, check, { ...setup, key: tables[setup.key] }),
  );
  const { verdict, reason, evidence } = result;
  // Of what we say besides, the examples name only what the reason leaves open.
  const details = Object.fromEntries(Object.keys(expected).map((name) => [name, Reflect.get(evidence, name)]));
  expect({ ...details, verdict, reason }).toEqual(expected);
  if (!Object.hasOwn(expected, 'server')) expect(evidence.server).toBeUndefined();
  if (!Object.hasOwn(expected, 'policy')) expect(evidence.policy).toBeUndefined();
});

describe('alignment', () => {
  it.each(readCases<AlignmentCase>('alignment.json').cases)('$id $why', async (example) => {
    expect(await evaluate(example)).toEqual(example.expect);
  });
});

function readCases<Example>(name: string): { tables: Record<string, string>; cases: Example[] } {
  return readVectors(`sender/${name}`);
}

async function conclude(dns: RecordingResolver, check: string, setup: Case['setup']): Promise<Conclusion> {
  switch (check) {
    case 'ownership':
      return checkOwnership(dns, setup.domain, setup.token);
    case 'dkim':
      return checkKey(dns, setup.domain, { selector: setup.selector, publicKey: setup.key });
    case 'provider-records':
      return checkProviderRecords(dns, setup.records, undefined);
    case 'spf':
      return checkSpf(dns, setup.return_path_domain, setup);
    case 'dmarc':
      return checkDmarc(dns, setup.domain);
    case 'mx':
      return checkMx(dns, setup.return_path_domain, setup.expected_host);
    case 'from-domain':
      return checkFromDomain(dns, setup.domain);
    case 'ptr':
      return checkPtr(dns, setup);
    case 'tls':
      return checkTls(setup);
    default:
      throw new Error(`${check} is not known`);
  }
}

/** What a receiver concludes: a domain counts only if it passed its own check. */
async function evaluate({ from_domain, spf, dkim = [], dns }: AlignmentCase) {
  const alignment = await findAlignment(new RecordingResolver(new FakeDns(dns)), from_domain, {
    dkimDomains: dkim.filter(({ result }) => result === 'pass').map(({ domain }) => domain),
    returnPathDomain: spf?.result === 'pass' ? spf.domain : undefined,
  });
  if (!alignment) return { dmarc: 'temperror', dkim_aligned: null, spf_aligned: null };
  const { policy, organisationalDomain: organisational_domain } = alignment;
  if (!policy) return { dmarc: 'none', dkim_aligned: null, spf_aligned: null, organisational_domain };
  const { dkim: dkim_aligned, spf: spf_aligned } = alignment;
  return {
    dmarc: dkim_aligned || spf_aligned ? 'pass' : 'fail',
    dkim_aligned,
    spf_aligned,
    organisational_domain,
    policy,
  };
}
