import { dkimName } from './checks/dkim.ts';
import { ownershipRecord } from './checks/ownership.ts';
import type { CheckRow, DomainRow, KeyRow, ProviderRecord } from './sending-domains.sql.ts';

/** What the owner of a domain publishes. */
export interface DomainRecord {
  purpose: 'ownership' | 'signature' | 'return-path' | 'policy';
  type: 'TXT' | 'CNAME' | 'MX';
  name: string;
  value: string;
  /** Without it the domain is not verified. */
  needed: boolean;
  /** Of the last check of this record. */
  verdict: CheckRow['verdict'] | null;
  /** What was found instead, in the words of the check. */
  reason: string | null;
}

type Judged = Pick<CheckRow, 'check_name' | 'verdict' | 'reason' | 'evidence'>;

/** Every record of a domain, those that it needs first. */
export function recordsOf(
  domain: Pick<DomainRow, 'name' | 'scope' | 'way' | 'token' | 'return_path_domain'>,
  { keys, records, checks }: { keys: readonly KeyRow[]; records: readonly ProviderRecord[]; checks: readonly Judged[] },
): DomainRecord[] {
  const found = (name: string, isThis: (check: Judged) => boolean = () => true) => {
    const check = checks.find(({ check_name }) => check_name === name);
    if (!check) return { verdict: null, reason: null };
    // One check is about several records, and names the one that is wrong.
    return check.verdict === 'pass' || isThis(check)
      ? { verdict: check.verdict, reason: check.reason }
      : { verdict: 'pass' as const, reason: null };
  };
  const names = (value: string) => (check: Judged) => {
    const { record, selector } = check.evidence as { record?: string; selector?: string };
    return (record ?? selector ?? value) === value;
  };
  return [
    // Who can change the settings owns the domains of the installation.
    ...(domain.scope === 'installation'
      ? []
      : [
          {
            ...{ purpose: 'ownership', type: 'TXT', needed: true },
            ...ownershipRecord(domain.name, domain.token),
            ...found('ownership'),
          } satisfies DomainRecord,
        ]),
    ...(domain.way === 'signed-here' ? keys.filter(({ state }) => state !== 'deleted') : []).map(
      ({ selector, public_key, state }): DomainRecord => ({
        ...{ purpose: 'signature', type: 'TXT', needed: state === 'signing' },
        name: dkimName(selector, domain.name),
        value: `v=DKIM1; k=rsa; p=${public_key}`,
        ...(state === 'waiting' || state === 'ready'
          ? { verdict: state === 'ready' ? 'pass' : null, reason: null }
          : found('dkim', names(selector))),
      }),
    ),
    ...records.map(
      ({ type, name, value, purpose }): DomainRecord => ({
        ...{ purpose, type, name, value, needed: true },
        ...found('provider-records', names(name)),
      }),
    ),
    ...returnPathRecords(domain, checks, found('mx')),
    {
      ...{ purpose: 'policy', type: 'TXT', needed: false },
      name: `_dmarc.${domain.name}`,
      value: 'v=DMARC1; p=none',
      ...found('dmarc'),
    } satisfies DomainRecord,
  ];
}

/** A domain with a return path of its own, once its check has found the server that takes our bounces. */
function returnPathRecords(
  { return_path_domain: name }: Pick<DomainRow, 'return_path_domain'>,
  checks: readonly Judged[],
  found: Pick<DomainRecord, 'verdict' | 'reason'>,
): DomainRecord[] {
  const { expected_host } = (checks.find(({ check_name }) => check_name === 'mx')?.evidence ?? {}) as {
    expected_host?: string;
  };
  if (name === null || expected_host === undefined) return [];
  return [{ purpose: 'return-path', type: 'MX', name, value: `10 ${expected_host}`, needed: false, ...found }];
}
