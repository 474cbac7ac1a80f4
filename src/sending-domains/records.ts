import { dkimName } from './checks/dkim.ts';
import { ownershipRecord } from './checks/ownership.ts';
import type { CheckRow, DomainRow, KeyRow, ProviderRecord } from './sending-domains.sql.ts';

/** A record that the owner of a domain publishes. */
export interface DomainRecord {
  purpose: 'ownership' | 'signature' | 'return-path' | 'policy';
  type: 'TXT' | 'CNAME' | 'MX';
  name: string;
  value: string;
  /** Whether the domain cannot be verified without it. */
  needed: boolean;
  /** The verdict of the latest check of this record. */
  verdict: CheckRow['verdict'] | null;
  /** The reason code of the check: what was found instead. */
  reason: string | null;
}

type CheckOutcome = Pick<CheckRow, 'check_name' | 'verdict' | 'reason' | 'evidence'>;

/** Returns every record of a domain, required ones first. */
export function recordsOf(
  domain: Pick<DomainRow, 'name' | 'scope' | 'way' | 'token' | 'return_path_domain'>,
  {
    keys,
    records,
    checks,
  }: { keys: readonly KeyRow[]; records: readonly ProviderRecord[]; checks: readonly CheckOutcome[] },
): DomainRecord[] {
  const found = (name: string, isThis: (check: CheckOutcome) => boolean = () => true) => {
    const check = checks.find(({ check_name }) => check_name === name);
    if (!check) return { verdict: null, reason: null };
    // One check covers several records, and names the one that is wrong.
    return check.verdict === 'pass' || isThis(check)
      ? { verdict: check.verdict, reason: check.reason }
      : { verdict: 'pass' as const, reason: null };
  };
  const names = (value: string) => (check: CheckOutcome) => {
    const { record, selector } = check.evidence as { record?: string; selector?: string };
    return (record ?? selector ?? value) === value;
  };
  return [
    // The domains of the installation need no proof of ownership: they are set by those who control the settings.
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

/** For a domain with its own return path, once a check has found the server that receives our bounces. */
function returnPathRecords(
  { return_path_domain: name }: Pick<DomainRow, 'return_path_domain'>,
  checks: readonly CheckOutcome[],
  found: Pick<DomainRecord, 'verdict' | 'reason'>,
): DomainRecord[] {
  const { expected_host } = (checks.find(({ check_name }) => check_name === 'mx')?.evidence ?? {}) as {
    expected_host?: string;
  };
  if (name === null || expected_host === undefined) return [];
  return [{ purpose: 'return-path', type: 'MX', name, value: `10 ${expected_host}`, needed: false, ...found }];
}
