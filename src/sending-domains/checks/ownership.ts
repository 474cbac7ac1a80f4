import { type Conclusion, pass, type RecordingResolver } from './check.ts';
import { recordsOf } from './resolver.ts';

const label = '_pennypost-challenge';
const beginning = 'pennypost-verification=';

/** Returns the record that proves ownership of the domain. */
export function ownershipRecord(domain: string, token: string): { name: string; value: string } {
  return { name: `${label}.${domain}`, value: `${beginning}${token}` };
}

export async function checkOwnership(dns: RecordingResolver, domain: string, token: string): Promise<Conclusion> {
  const { name, value } = ownershipRecord(domain, token);
  const found = tokenRecords(await dns.records('TXT', name));
  if (found.includes(value)) return pass;
  if (found.length > 0) return { verdict: 'fail', reason: 'token-differs', record: name };
  const doubled = await findDoubledName(dns, name, domain);
  if (doubled !== undefined) return { verdict: 'fail', reason: 'name-doubled', record: doubled };
  return { verdict: 'fail', reason: 'record-missing', record: name };
}

/**
 * Many DNS forms append the zone to the name that is entered, even if it is the whole name. The zone is the domain or one above it. A
 * failed query changes nothing here, because the record is missing anyway.
 */
async function findDoubledName(dns: RecordingResolver, name: string, domain: string): Promise<string | undefined> {
  const labels = domain.split('.');
  const zones = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
  for (const zone of zones.slice(0, 4)) {
    const doubled = `${name}.${zone}`;
    if (tokenRecords(recordsOf(await dns.query('TXT', doubled))).length > 0) return doubled;
  }
  return undefined;
}

function tokenRecords(records: string[]): string[] {
  return records.map((record) => record.trim()).filter((record) => record.startsWith(beginning));
}
