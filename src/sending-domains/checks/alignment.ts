import { type Conclusion, noResponse, type Policy, type RecordingResolver } from './check.ts';
import { appliedPolicy, discoverPolicy, findOrganisationalDomain, tagOf } from './dmarc-policy.ts';
import { plainName } from './resolver.ts';

/** The domains that authenticate a message: those of its signatures, and that of its return path. */
interface AuthenticatedDomains {
  dkimDomains: readonly string[];
  returnPathDomain?: string;
}

interface Alignment {
  /** What receivers do with mail that fails. Undefined: they do not apply DMARC to this domain. */
  policy: Policy | undefined;
  organisationalDomain: string | undefined;
  /** Undefined if a name server failed and the result depends on it. */
  dkim: boolean | undefined;
  spf: boolean | undefined;
}

/** Checks whether the signature or the return path is aligned with the organisation in From. Receivers accept either. */
export async function checkAlignment(
  dns: RecordingResolver,
  domain: string,
  authenticated: AuthenticatedDomains,
): Promise<Conclusion> {
  const alignment = await findAlignment(dns, domain, authenticated);
  if (!alignment) return noResponse;
  const { dkim, spf, organisationalDomain } = alignment;
  const details = { organisational_domain: organisationalDomain, dkim_aligned: dkim, spf_aligned: spf };
  if (dkim && spf) return { verdict: 'pass', reason: 'ok', ...details };
  if (dkim === undefined || spf === undefined) return { ...noResponse, ...details };
  if (dkim) return { verdict: 'warn', reason: 'dkim-only', ...details };
  if (spf) return { verdict: 'warn', reason: 'spf-only', ...details };
  return { verdict: 'fail', reason: 'not-aligned', ...details };
}

/** Returns undefined if a name server failed before the policy was known. */
export async function findAlignment(
  dns: RecordingResolver,
  domain: string,
  { dkimDomains, returnPathDomain }: AuthenticatedDomains,
): Promise<Alignment | undefined> {
  const author = plainName(domain);
  const discovery = await discoverPolicy(dns, author);
  if (!discovery) return undefined;
  const { record, organisationalDomain } = discovery;
  const isAligned = async (name: string, mode: 'adkim' | 'aspf') => {
    const authenticatedDomain = plainName(name);
    if (authenticatedDomain === author) return true;
    if (record && tagOf(record.tags, mode) === 's') return false;
    if (organisationalDomain === undefined) return undefined;
    // The organisational domain is the name itself or one above it.
    if (`.${authenticatedDomain}`.endsWith(`.${organisationalDomain}`)) {
      const other = await findOrganisationalDomain(dns, authenticatedDomain);
      return other === undefined ? undefined : other === organisationalDomain;
    }
    return false;
  };
  const dkim: (boolean | undefined)[] = [];
  for (const name of dkimDomains) dkim.push(await isAligned(name, 'adkim'));
  const policy = record && (await appliedPolicy(dns, author, record))?.applied;
  return {
    policy,
    organisationalDomain,
    dkim: dkim.includes(true) || (dkim.includes(undefined) ? undefined : false),
    spf: returnPathDomain === undefined ? false : await isAligned(returnPathDomain, 'aspf'),
  };
}
