import { type Conclusion, noResponse, type RecordingResolver } from './check.ts';
import {
  appliedPolicy,
  type Discovery,
  discoverPolicy,
  findOrganisationalDomain,
  isDmarcRecord,
  reportAddresses,
} from './dmarc-policy.ts';
import { plainName, recordsOf } from './resolver.ts';

/** Checks whether the domain tells receivers what to do with spoofed mail. */
export async function checkDmarc(dns: RecordingResolver, domain: string): Promise<Conclusion> {
  const discovery = await discoverPolicy(dns, domain);
  if (!discovery) return noResponse;
  const { record, organisationalDomain } = discovery;
  if (!record) {
    return { verdict: 'fail', reason: discovery.hasSeveralRecords ? 'several-records' : 'record-missing' };
  }
  const policy = await appliedPolicy(dns, domain, record);
  const details = {
    notes: await notesOn(dns, record, organisationalDomain),
    record_domain: record.domain,
    organisational_domain: organisationalDomain ?? plainName(domain),
    policy: policy?.applied,
  };
  if (!policy) return { verdict: 'fail', reason: 'policy-invalid', ...details };
  if (!policy.isValid) return { verdict: 'warn', reason: 'policy-invalid', ...details };
  if (policy.published === 'none') return { verdict: 'warn', reason: 'policy-none', ...details };
  if (policy.applied !== policy.published) return { verdict: 'warn', reason: 'testing', ...details };
  return { verdict: 'pass', reason: 'ok', ...details };
}

async function notesOn(
  dns: RecordingResolver,
  { domain, tags }: NonNullable<Discovery['record']>,
  organisationalDomain: string | undefined,
): Promise<string[]> {
  const notes: string[] = [];
  // RFC 9989 removed these tags.
  if (['pct', 'rf', 'ri'].some((name) => tags.has(name))) notes.push('old-tags');
  const uris = reportAddresses(tags);
  if (uris.length === 0) notes.push('no-reports');
  const hosts = uris
    .filter((uri) => /^mailto:/i.test(uri))
    .map((uri) => plainName(uri.slice(uri.lastIndexOf('@') + 1)));
  for (const host of new Set(hosts.slice(0, maxReportAddresses))) {
    if (await refusesReports(dns, host, domain, organisationalDomain ?? domain)) {
      notes.push('reports-not-authorised');
      break;
    }
  }
  return notes;
}

/** Receivers need not send reports to more addresses (RFC 9990). */
const maxReportAddresses = 2;

/** Reports go to another organisation only if it has published that it accepts them (RFC 9990, section 4). */
async function refusesReports(
  dns: RecordingResolver,
  host: string,
  domain: string,
  organisationalDomain: string,
): Promise<boolean> {
  if (host === domain || (await findOrganisationalDomain(dns, host)) === organisationalDomain) return false;
  const consent = await dns.query('TXT', `${domain}._report._dmarc.${host}`);
  return consent.outcome !== 'failure' && !recordsOf(consent).some(isDmarcRecord);
}
