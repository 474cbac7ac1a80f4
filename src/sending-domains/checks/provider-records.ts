import { type Conclusion, pass, type Questions } from './check.ts';
import { plainName } from './resolver.ts';

/** A record that a provider asks for. An MX record has the priority in its value: "10 host". */
export interface ProviderRecord {
  type: 'CNAME' | 'TXT' | 'MX';
  name: string;
  value: string;
}

/** The records and, where we know it, what the provider itself says about the domain. */
export async function checkProviderRecords(
  questions: Questions,
  records: readonly ProviderRecord[],
  isVerified: boolean | undefined,
): Promise<Conclusion> {
  for (const { type, name, value } of records) {
    const record = plainName(name);
    const found = await questions.records(type, record);
    if (found.length === 0) return { verdict: 'fail', reason: 'record-missing', record };
    const expected = comparable(type, value);
    if (!found.some((each) => comparable(type, each) === expected)) {
      return { verdict: 'fail', reason: 'record-differs', record };
    }
  }
  return isVerified === false ? { verdict: 'fail', reason: 'provider-not-verified' } : pass;
}

/** Spaces have no meaning in the texts that providers ask for: keys, and lists of tags. */
function comparable(type: ProviderRecord['type'], value: string): string {
  return type === 'TXT' ? value.replaceAll(/\s/g, '') : plainName(value).replaceAll(/\s+/g, ' ');
}
