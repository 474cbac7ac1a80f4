import type { Policy, RecordingResolver } from './check.ts';
import { plainName } from './resolver.ts';
import { parseTags } from './tag-list.ts';

/**
 * The DMARC record that applies to a domain, and its organisational domain, found by the DNS tree walk of RFC 9989, section 4.10. It needs
 * no list of public suffixes.
 */
export interface Discovery {
  record: { domain: string; tags: Map<string, string> } | undefined;
  /** Undefined if a name server above the domain failed. The domain's own record still applies then. */
  organisationalDomain: string | undefined;
  /** A name with several records counts as one without records. */
  hasSeveralRecords: boolean;
}

type FoundRecord = NonNullable<Discovery['record']>;

interface Walk {
  /** The longest name first. */
  found: FoundRecord[];
  hasSeveralRecords: boolean;
  isComplete: boolean;
}

/** Returns undefined if a name server failed before a record was found at the domain itself. */
export async function discoverPolicy(dns: RecordingResolver, name: string): Promise<Discovery | undefined> {
  const domain = plainName(name);
  const walk = await walkUp(dns, domain);
  const own = walk.found.find((record) => record.domain === domain);
  const { hasSeveralRecords } = walk;
  if (!walk.isComplete) return own && { record: own, organisationalDomain: undefined, hasSeveralRecords };
  const organisationalDomain = selectOrganisationalDomain(domain, walk.found);
  const publicSuffix = walk.found.find(({ tags }) => tagOf(tags, 'psd') === 'y');
  const record = own ?? walk.found.find((each) => each.domain === organisationalDomain) ?? publicSuffix;
  return { record, organisationalDomain, hasSeveralRecords };
}

/** Returns undefined if a name server failed. */
export async function findOrganisationalDomain(dns: RecordingResolver, domain: string): Promise<string | undefined> {
  const { found, isComplete } = await walkUp(dns, domain);
  return isComplete ? selectOrganisationalDomain(domain, found) : undefined;
}

async function walkUp(dns: RecordingResolver, domain: string): Promise<Walk> {
  const walk: Walk = { found: [], hasSeveralRecords: false, isComplete: true };
  for (let labels = domain.split('.'); labels.length > 0; labels = labels.slice(labels.length >= 8 ? -7 : 1)) {
    const name = labels.join('.');
    const answer = await dns.query('TXT', `_dmarc.${name}`);
    if (answer.outcome === 'failure') return { ...walk, isComplete: false };
    const texts = answer.outcome === 'records' ? answer.records.filter(isDmarcRecord) : [];
    if (texts.length > 1) walk.hasSeveralRecords = true;
    const tags = texts.length === 1 ? parseTags(texts[0] ?? '') : undefined;
    if (!tags) continue;
    walk.found.push({ domain: name, tags });
    if (['y', 'n'].includes(tagOf(tags, 'psd') ?? '')) break;
  }
  return walk;
}

/** The version must come first, in exactly this form; only spaces may vary. */
export function isDmarcRecord(text: string): boolean {
  return /^\s*[vV][ \t]*=[ \t]*DMARC1[ \t]*(;|$)/.test(text);
}

function selectOrganisationalDomain(domain: string, found: FoundRecord[]): string {
  for (const { domain: name, tags } of found) {
    const psd = tagOf(tags, 'psd');
    if (psd === 'n') return name;
    if (psd === 'y' && name !== domain) return oneLabelBelow(name, domain);
  }
  return found.at(-1)?.domain ?? domain;
}

/** Returns the name one label below the parent, towards the domain. */
function oneLabelBelow(parent: string, domain: string): string {
  const count = parent.split('.').length + 1;
  return domain.split('.').slice(-count).join('.');
}

type PolicyTag = 'p' | 'sp' | 'np' | 'adkim' | 'aspf' | 't' | 'psd' | 'rua';

/** All values except those of `rua` are case-insensitive. */
export function tagOf(tags: Map<string, string>, name: PolicyTag): string | undefined {
  const value = tags.get(name);
  return name === 'rua' ? value : value?.toLowerCase();
}

const policies: readonly string[] = ['none', 'quarantine', 'reject'] satisfies Policy[];

function isPolicy(value: string | undefined): value is Policy {
  return policies.includes(value ?? '');
}

/**
 * Returns what receivers do with mail that fails. Returns undefined if the record has no valid policy and requests no reports: receivers
 * differ, and most ignore it.
 */
export async function appliedPolicy(
  dns: RecordingResolver,
  domain: string,
  record: FoundRecord,
): Promise<{ published: Policy; applied: Policy; isValid: boolean } | undefined> {
  const isValid = hasValidPolicy(record.tags);
  if (!isValid && reportAddresses(record.tags).length === 0) return undefined;
  const published = isValid ? await publishedPolicy(dns, domain, record) : 'none';
  return { published, applied: tagOf(record.tags, 't') === 'y' ? oneLevelLower[published] : published, isValid };
}

const oneLevelLower = { reject: 'quarantine', quarantine: 'none', none: 'none' } as const;

function hasValidPolicy(tags: Map<string, string>): boolean {
  const isAbsentOrValid = (name: PolicyTag) => tagOf(tags, name) === undefined || isPolicy(tagOf(tags, name));
  return isPolicy(tagOf(tags, 'p')) && isAbsentOrValid('sp') && isAbsentOrValid('np');
}

/** An inherited record has one policy for existing names below it and one for non-existing names. */
async function publishedPolicy(dns: RecordingResolver, domain: string, record: FoundRecord): Promise<Policy> {
  const policyOf = (...names: PolicyTag[]) => names.map((name) => tagOf(record.tags, name)).find(isPolicy) ?? 'none';
  if (record.domain === plainName(domain)) return policyOf('p');
  const [ofExisting, ofMissing] = [policyOf('sp', 'p'), policyOf('np', 'sp', 'p')];
  if (ofExisting === ofMissing || (await dns.exists(plainName(domain)))) return ofExisting;
  return ofMissing;
}

/** Returns the URIs of RFC 9989, section 4.8. Older records may add a size to each. */
export function reportAddresses(tags: Map<string, string>): string[] {
  const isUri = (text: string) => /^[a-z][a-z\d+.-]*:(?:[a-z\d\-._~:/?#[\]@$&'()*+;=]|%[\da-f]{2})*$/i.test(text);
  return (tagOf(tags, 'rua') ?? '')
    .split(',')
    .map((uri) => uri.trim().replace(/!\d+[kmgt]?$/i, ''))
    .filter(isUri);
}
