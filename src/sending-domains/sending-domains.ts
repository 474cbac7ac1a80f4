import { randomBytes } from 'node:crypto';
import type { EmailSettings } from '../branding/settings.ts';
import { t } from '../language/text.ts';
import { setDomainOfOrganisation } from '../organisations/organisations.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { invalid, invalidField, notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { setDomainOfService } from '../services/service-update.ts';
import { getUserRecord } from '../users/user-record.ts';
import { isSameOrBelow, parseDomainName } from './domain-name.ts';
import type { DomainProviders } from './domain-providers.ts';
import { retireKeys } from './keys/dkim-keys.sql.ts';
import { addKey, addRelayKey, createKeyPair, retirementOfKeys } from './keys/dkim-keys.ts';
import { nameOfOwner, ownerOf, refuseUnlessMayChange } from './owners.ts';
import { type DomainRecord, recordsOf } from './records.ts';
import type { ChosenDomains } from './sender-domains.ts';
import {
  type CheckRow,
  countDomainsForUpdate,
  type DomainOwner,
  type DomainQuery,
  type DomainRow,
  domainInUse,
  forgetBounceCheck,
  insertDomain,
  isClaimed,
  isVerified,
  type KeyRow,
  lockDomain,
  lockName,
  type ProviderRecord,
  replaceRecords,
  sameOwner,
  selectChosenDomains,
  selectDetails,
  selectDomain,
  selectDomains,
  selectStateOfDefault,
  updateDomain,
} from './sending-domains.sql.ts';
import type { DomainSettings } from './settings.ts';

export {
  countStates,
  type DomainOwner,
  type DomainState,
  deleteChangesBefore,
} from './sending-domains.sql.ts';

export type DomainDeps = Platform & {
  config: { domains: DomainSettings; email: EmailSettings };
  domainProviders: DomainProviders;
};

/** A domain with the records that its owner publishes and the results of its checks. */
export interface SendingDomain extends DomainRow {
  /** Whether emails come from this one of its owner's domains. */
  is_chosen: boolean;
  keys: KeyRow[];
  records: DomainRecord[];
  checks: CheckRow[];
}

export async function listDomains(db: Db, query: DomainQuery, page?: { skip: number; limit: number }) {
  const { rows, total } = await selectDomains(db, query, page);
  return { domains: await withDetails(db, rows), total };
}

export async function getDomain(db: Db, id: string): Promise<SendingDomain> {
  const row = await selectDomain(db, id);
  if (!row) throw notFound();
  const [domain] = await withDetails(db, [row]);
  if (!domain) throw notFound();
  return domain;
}

export async function getChosenDomains(db: Db, serviceId: string): Promise<ChosenDomains> {
  const chosen = await selectChosenDomains(db, serviceId);
  if (!chosen) throw notFound();
  return chosen;
}

async function withDetails(db: Db, rows: DomainRow[]): Promise<SendingDomain[]> {
  if (rows.length === 0) return [];
  const all = await selectDetails(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const ofDomain = ({ domain_id }: { domain_id: string }) => domain_id === row.id;
    const keys = all.keys.filter(ofDomain);
    const checks = all.checks.filter(ofDomain);
    const records = recordsOf(row, { keys, checks, records: all.records.filter(ofDomain) });
    return { ...row, is_chosen: all.chosen.has(row.id), keys, checks, records };
  });
}

export type Way = DomainRow['way'];

export interface NewDomain {
  name: string;
  /** The default depends on the providers in use. */
  way?: Way | undefined;
  provider?: string | undefined;
  /** The selector of the relay, if a relay signs. */
  selector?: string | undefined;
  return_path_domain?: string | undefined;
  hold?: boolean | undefined;
  /** The records that the provider requires, if it has no API to ask. */
  records?: ProviderRecord[] | undefined;
  created_by_id: string;
}

const maxDomains: Record<DomainOwner['scope'], number> = { service: 5, organisation: 50, installation: 50 };

/** The first domain of a service or an organisation becomes the one that it uses once it is verified. */
export async function addDomain(app: DomainDeps, owner: DomainOwner, request: NewDomain): Promise<SendingDomain> {
  const { db, clock, config } = app;
  const person = await getUserRecord(db, request.created_by_id);
  refuseUnlessMayChange(config.domains, person, owner);
  await nameOfOwner(db, owner);
  const name = readName(app, owner, request.name);
  const return_path_domain = readReturnPath(request.return_path_domain, name);
  await refuseForeignReturnPath(db, { owner, name, return_path_domain });
  const { way, provider } = chooseWay(app.domainProviders, request);
  if (way === 'relay' && !isSelector.test(request.selector ?? '')) {
    throw invalidField('selector', 'Enter the selector of the relay');
  }
  const records = way === 'provider' ? await recordsAt(app, provider, name, request.records) : [];
  // Checked twice, as for the next key of a domain.
  await inTransaction(db, (tx) => lockForDomain(tx, owner));
  const hasKey = way !== 'signed-here' || installationKey(app, { ...owner, name }) !== undefined;
  const pair = hasKey ? undefined : await createKeyPair();
  const now = clock.now();
  const id = newId(now);
  await inTransaction(db, async (tx) => {
    await lockForDomain(tx, owner);
    await lockName(tx, name);
    if ((await isVerified(tx, name)) || (await isClaimed(tx, name, owner))) throw invalid(domainInUse);
    const moments = { created_at: timestamp(now), next_check_at: timestamp(now) };
    const of = { ...sameOwner(owner), created_by_id: person.id };
    const choices = { way, provider, return_path_domain, hold: request.hold ?? false };
    await insertDomain(tx, { id, name, token: newToken(), ...of, ...choices, ...moments }, records);
    if (pair) await addKey(app, tx, { id, name }, pair, 'signing');
    if (way === 'relay' && request.selector) await addRelayKey(app, tx, id, request.selector);
    await useIfFirst(tx, owner, id, now);
  });
  return getDomain(db, id);
}

async function lockForDomain(tx: Tx, owner: DomainOwner): Promise<void> {
  if ((await countDomainsForUpdate(tx, owner)) >= maxDomains[owner.scope]) {
    throw invalid(`You can have ${maxDomains[owner.scope]} domains. Retire one that you do not use`);
  }
}

/** One or more labels of a domain name. */
export const isSelector = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/;

/** Returns the key in the settings, which signs emails from the installation's domain. */
export function installationKey(
  { config, domainProviders }: Pick<DomainDeps, 'config' | 'domainProviders'>,
  { scope, name }: Pick<DomainRow, 'scope' | 'name'>,
) {
  const { key } = domainProviders.mailServer;
  const isOwn = scope === 'installation' && name === config.email.domain.toLowerCase();
  return isOwn && key?.domain.toLowerCase() === name ? key : undefined;
}

function readName(app: DomainDeps, { scope }: DomainOwner, text: string): string {
  const { name, ...parsed } = parseDomainName(text);
  if ('problem' in parsed) {
    throw invalid(
      parsed.problem === 'mailbox-provider'
        ? t('You cannot send as {name}: it belongs to a mailbox provider', { name })
        : t('Enter a domain such as {example}', { example: 'notify.council.example' }),
    );
  }
  // Subdomains of it are allowed: the installation sends from the name itself.
  if (scope !== 'installation' && isSameOrBelow(app.config.email.domain.toLowerCase(), name)) {
    throw invalid(domainInUse);
  }
  return name;
}

function readReturnPath(text: string | undefined, domain: string): string | null {
  if (!text) return null;
  const { name, ...parsed } = parseDomainName(text);
  if ('problem' in parsed)
    throw invalidField('return_path_domain', t('Enter a domain such as {example}', { example: `bounces.${domain}` }));
  return name;
}

/** Otherwise emails would pass SPF as the domain of somebody else, and harm its reputation. Operators are trusted with their own. */
async function refuseForeignReturnPath(
  db: Db | Tx,
  { owner, name, return_path_domain: path }: { owner: DomainOwner; name: string; return_path_domain: string | null },
): Promise<void> {
  if (path === null || owner.scope === 'installation' || isSameOrBelow(path, name)) return;
  const labels = path.split('.');
  for (const index of labels.keys()) if (await isVerified(db, labels.slice(index).join('.'), owner)) return;
  throw invalidField(
    'return_path_domain',
    t('Enter {name}, a domain below it, or one that you have verified', { name }),
  );
}

function chooseWay(
  { sign, withKeys }: DomainProviders,
  { way: asked, provider }: NewDomain,
): { way: Way; provider: string | null } {
  const way = asked ?? (sign ? 'signed-here' : 'provider');
  if (way !== 'provider') {
    if (!sign) throw invalidField('way', 'No email provider in use takes emails that are signed here');
    return { way, provider: null };
  }
  const chosen = provider ?? (withKeys.length === 1 ? withKeys[0] : undefined);
  if (chosen === undefined || !withKeys.includes(chosen)) {
    throw invalidField('provider', `Choose one of the providers in use: ${withKeys.join(', ') || 'none has keys'}`);
  }
  return { way, provider: chosen };
}

/** Returns the provider's own list of records, if it has an API to ask. */
async function recordsAt(
  app: DomainDeps,
  provider: string | null,
  name: string,
  given: ProviderRecord[] | undefined,
): Promise<ProviderRecord[]> {
  const found = provider === null ? undefined : await app.domainProviders.lookUp(provider, name);
  const records = found?.records ?? given ?? [];
  if (records.length === 0) {
    throw invalidField('records', `Add the domain at ${provider}, then paste the records that it asks to publish`);
  }
  return records;
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';
const tokenLength = 20;

function newToken(): string {
  return [...randomBytes(tokenLength)].map((byte) => base32[byte % base32.length]).join('');
}

async function useIfFirst(tx: Tx, owner: DomainOwner, id: string, now: Date): Promise<void> {
  if (owner.scope === 'installation') return;
  const state = await selectStateOfDefault(tx, owner);
  if (state === null || state === 'retired') await setDefault(tx, owner, id, now);
}

async function setDefault(tx: Tx, owner: DomainOwner, id: string, now: Date): Promise<void> {
  if (owner.scope === 'service') await setDomainOfService(tx, owner.service_id, id, now);
  if (owner.scope === 'organisation') await setDomainOfOrganisation(tx, owner.organisation_id, id, now);
}

/** Makes a domain the one that its service, or the services of its organisation, send from once it is verified. */
export async function makeDefault(app: Platform, id: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const domain = await lockInUse(tx, id);
    await setDefault(tx, ownerOf(domain), id, app.clock.now());
  });
}

export interface DomainChange {
  return_path_domain?: string | null | undefined;
  hold?: boolean | undefined;
  records?: ProviderRecord[] | undefined;
}

export async function updateSendingDomain(app: Platform, id: string, request: DomainChange): Promise<SendingDomain> {
  const now = timestamp(app.clock.now());
  await inTransaction(app.db, async (tx) => {
    const domain = await lockInUse(tx, id);
    const { return_path_domain, hold, records } = request;
    if (records !== undefined) {
      if (domain.way !== 'provider')
        throw invalidField('records', 'Only a domain with a provider has records of its own');
      if (records.length === 0) throw invalidField('records', 'Enter at least one record');
      await replaceRecords(tx, id, records);
    }
    const path =
      return_path_domain === undefined
        ? domain.return_path_domain
        : readReturnPath(return_path_domain ?? '', domain.name);
    if (path !== domain.return_path_domain) {
      const { name } = domain;
      await refuseForeignReturnPath(tx, { owner: ownerOf(domain), name, return_path_domain: path });
      await forgetBounceCheck(tx, id, now);
    }
    // A check that is under way does not count: it has asked about what was changed.
    const change = {
      ...{ return_path_domain: path, leased_until: null, next_check_at: now },
      ...(hold === undefined ? {} : { hold }),
    };
    await updateDomain(tx, id, change, now);
  });
  return getDomain(app.db, id);
}

async function lockInUse(tx: Tx, id: string): Promise<DomainRow> {
  const domain = await lockDomain(tx, id);
  if (!domain || domain.state === 'retired') throw notFound();
  return domain;
}

/** Idempotent. No email comes from a retired domain; its name can be added again, and its keys are erased after a week. */
export async function retireDomain(app: Platform, id: string): Promise<void> {
  const now = app.clock.now();
  await inTransaction(app.db, async (tx) => {
    const domain = await lockDomain(tx, id);
    if (!domain) throw notFound();
    if (domain.state === 'retired') return;
    const change = { state: 'retired' as const, next_check_at: null, required_failing_since: null };
    await updateDomain(tx, id, change, timestamp(now));
    await retireKeys(tx, id, retirementOfKeys(now));
  });
}
