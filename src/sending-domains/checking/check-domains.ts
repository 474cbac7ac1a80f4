import { t } from '../../language/text.ts';
import { earlier, timestamp } from '../../platform/clock.ts';
import { asNobody } from '../../platform/db/actor.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { Failure, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Urls } from '../../platform/settings.ts';
import type { AccountMessageSender } from '../../users/account-messages/account-messages.ts';
import type { Check } from '../checks/check.ts';
import { checkDomain, type DomainFacts, requiredChecks } from '../checks/check-domain.ts';
import { checkDkimKey } from '../checks/dkim.ts';
import type { Resolver } from '../checks/resolver.ts';
import type { Negotiated } from '../checks/tls.ts';
import type { DomainAtProvider } from '../domain-providers.ts';
import { retireKeys, updateKey } from '../keys/dkim-keys.sql.ts';
import { eraseOldKeys, exchangeKeys, retirementOfKeys } from '../keys/dkim-keys.ts';
import {
  type CheckRow,
  type DomainRow,
  isVerified,
  type KeyRow,
  lockName,
  type ProviderRecord,
  selectDetails,
  selectDomain,
} from '../sending-domains.sql.ts';
import { type DomainDeps, installationKey } from '../sending-domains.ts';
import { nextCheck, nextKeyState } from './check-schedule.ts';
import {
  insertChanges,
  keepLease,
  leaseDomain,
  leaseDueDomains,
  recordCheckedDomain,
  replaceChecks,
  retireClaims,
} from './checks.sql.ts';
import { evaluateDomain } from './evaluate-domain.ts';
import { sendNotices, sendRetirementNotice } from './notices.ts';

export type CheckingDeps = Omit<DomainDeps, 'config'> & {
  config: DomainDeps['config'] & { urls: Urls };
  resolver: Resolver;
  accountMessages: AccountMessageSender;
};

/** Longer than any check takes. After that, another worker may check the domain. */
const lease_ms = 120_000;
const batchSize = 4;
/** The task ends before its next run, which continues. */
const maxRun_ms = 45_000;

/** Checks every domain that is due, and erases keys that are no longer needed. */
export async function checkDueDomains(app: CheckingDeps): Promise<void> {
  await eraseOldKeys(app);
  if (app.config.domains.mode === 'off') return;
  const end = performance.now() + maxRun_ms;
  while (performance.now() < end) {
    const due = await leaseDueDomains(app.db, { now: timestamp(app.clock.now()), lease_ms, max: batchSize });
    if (due.length === 0) return;
    await Promise.all(due.map((domain) => checkLeased(app, domain)));
  }
}

const betweenChecks_ms = 10_000;

/** Checks a domain at the request of a person. */
export async function checkNow(app: CheckingDeps, id: string): Promise<void> {
  const now = app.clock.now();
  const domain = await selectDomain(app.db, id);
  if (!domain || domain.state === 'retired') throw notFound();
  // The results are not changes by the person who asked.
  await asNobody(async () => {
    const leased = await leaseDomain(app.db, id, { lease_ms, before: timestamp(earlier(now, betweenChecks_ms)) });
    if (!leased) throw new Failure('too-many', 'RateLimitError', t('Wait 10 seconds before the next check'));
    await checkLeased(app, leased);
  });
}

/** Asks the name servers first, without holding a database connection. The result counts only if this process still has the lease. */
async function checkLeased(app: CheckingDeps, domain: DomainRow): Promise<void> {
  const { keys, records } = await selectDetails(app.db, [domain.id]);
  const isProven = domain.state !== 'pending';
  const next = isProven ? keys.filter(({ state }) => state === 'waiting' || state === 'ready') : [];
  const atProvider =
    domain.provider === null ? undefined : await app.domainProviders.lookUp(domain.provider, domain.name);
  const negotiated = domain.way === 'provider' ? undefined : await app.domainProviders.mailServer.negotiate?.();
  const facts = factsOf(app, domain, { keys, records, atProvider, negotiated });
  const [checks, ...keyChecks] = await Promise.all([
    checkDomain(domain.name, app.resolver, facts),
    ...next.map(({ selector, public_key }) =>
      checkDkimKey(domain.name, app.resolver, { selector, publicKey: public_key ?? '' }),
    ),
  ]);
  const counter = checkCounter(app);
  for (const { name, verdict } of checks) counter.inc({ check: name, verdict });
  await inTransaction(app.db, async (tx) => {
    await lockName(tx, domain.name);
    const current = await keepLease(tx, domain);
    if (!current) return;
    for (const [index, key] of next.entries()) {
      const check = keyChecks[index];
      if (check) await moveKey(app, tx, keys, key, check);
    }
    await record(app, tx, current, checks);
  });
}

function checkCounter({ metrics }: Pick<CheckingDeps, 'metrics'>) {
  return metrics.counter('sending_domain_checks_total', 'Checks of sending domains', ['check', 'verdict']);
}

/** Another transaction may have changed the keys since they were read, for example at the request of a person. */
async function moveKey(app: CheckingDeps, tx: Tx, known: readonly KeyRow[], key: KeyRow, check: Check): Promise<void> {
  const { keys } = await selectDetails(tx, [key.domain_id]);
  const current = keys.find(({ id }) => id === key.id);
  if (!current || current.state !== known.find(({ id }) => id === key.id)?.state) return;
  const now = app.clock.now();
  const next = nextKeyState(current, check, now);
  if (!next) return;
  const { isDue, ...change } = next;
  await updateKey(tx, key.id, change);
  if (isDue) await exchangeKeys(tx, keys, current, now);
}

async function record(app: CheckingDeps, tx: Tx, domain: DomainRow, checks: Check[]): Promise<void> {
  const now = app.clock.now();
  const checked_at = timestamp(now);
  const before = await selectDetails(tx, [domain.id]);
  const rows = checks.map((check) => rowOf(check, before.checks, checked_at));
  const changed = checks.filter(({ name, verdict }) => formerOf(before.checks, name)?.verdict !== verdict);
  const required = requiredChecks(domain.way, checks);
  const ownership = rows.find(({ check_name, reason }) => check_name === 'ownership' && reason === 'token-differs');
  const found = evaluateDomain(domain, { checks, required, tokenDiffersSince: ownership?.since ?? null }, now);
  const next = nextCheck(
    { domain: { ...domain, ...found }, checks, required, changed, keys: before.keys },
    now,
    Math.random(),
  );
  const isNew = domain.state === 'pending' && found.state !== 'pending';
  const isTaken = isNew && (await isVerified(tx, domain.name));
  const evaluated = next && !isTaken ? found : { ...found, state: 'retired' as const };
  await replaceChecks(tx, domain.id, rows);
  await recordCheckedDomain(tx, domain.id, {
    ...evaluated,
    checked_at,
    next_check_at: next && !isTaken ? timestamp(next) : null,
  });
  await insertChanges(tx, [
    ...changed.map(({ name, verdict, reason }) => ({
      ...{ id: newId(now), domain_id: domain.id, changed_at: checked_at },
      ...{ changed: name, before: formerOf(before.checks, name)?.verdict ?? null, after: verdict, reason },
    })),
    ...(evaluated.state === domain.state
      ? []
      : [
          {
            ...{ id: newId(now), domain_id: domain.id, changed_at: checked_at },
            ...{ changed: 'state', before: domain.state, after: evaluated.state, reason: null },
          },
        ]),
  ]);
  if (evaluated.state === 'retired') return endClaim(app, tx, domain, isTaken ? 'taken' : 'expired');
  await sendNotices(app, tx, domain, evaluated, required);
  if (isNew) await retireOtherClaims(app, tx, domain);
}

/** The first claim that is verified gets the name. */
async function retireOtherClaims(app: CheckingDeps, tx: Tx, { id, name }: DomainRow): Promise<void> {
  const now = app.clock.now();
  for (const claim of await retireClaims(tx, { name, except: id })) {
    const change = { changed: 'state', before: 'pending', after: 'retired', reason: null };
    await insertChanges(tx, [{ id: newId(now), domain_id: claim.id, changed_at: timestamp(now), ...change }]);
    await endClaim(app, tx, claim, 'taken');
  }
}

async function endClaim(app: CheckingDeps, tx: Tx, claim: DomainRow, why: 'taken' | 'expired'): Promise<void> {
  await retireKeys(tx, claim.id, retirementOfKeys(app.clock.now()));
  await sendRetirementNotice(app, tx, claim, why);
}

function formerOf(rows: readonly CheckRow[], name: string): CheckRow | undefined {
  return rows.find(({ check_name }) => check_name === name);
}

/** `since` is kept while verdict and reason stay the same. */
function rowOf({ name, verdict, reason, evidence }: Check, former: readonly CheckRow[], checked_at: string) {
  const before = formerOf(former, name);
  const isSame = before?.verdict === verdict && before.reason === reason;
  const since = isSame ? before.since : checked_at;
  return { check_name: name, verdict, reason, evidence: JSON.stringify(evidence), since, checked_at };
}

interface Known {
  keys: readonly KeyRow[];
  records: readonly ProviderRecord[];
  atProvider: DomainAtProvider | undefined;
  negotiated: Negotiated | undefined;
}

/** Returns what the checks need to know about a domain. */
function factsOf(app: DomainDeps, domain: DomainRow, { keys, records, atProvider, negotiated }: Known): DomainFacts {
  const { returnPathDomain, helo, listens } = app.domainProviders.mailServer;
  const ofInstallation = installationKey(app, domain);
  const inUse = keys.filter(({ state }) => state === 'signing' || state === 'retiring');
  const ownReturnPath = domain.return_path_domain ?? (domain.way === 'provider' ? undefined : returnPathDomain);
  return {
    way: domain.way,
    isProven: domain.state !== 'pending',
    // The domain of the installation needs no proof of ownership: it is in the settings.
    ...(domain.scope === 'installation' ? {} : { token: domain.token }),
    keys: ofInstallation
      ? [ofInstallation]
      : inUse.map(({ selector, public_key }) =>
          public_key === null ? { selector } : { selector, publicKey: public_key },
        ),
    records,
    ...(atProvider && { isProviderVerified: atProvider.verified }),
    ...(ownReturnPath && { returnPathDomain: ownReturnPath }),
    ...(domain.way !== 'provider' &&
      returnPathDomain &&
      returnPathDomain !== ownReturnPath && { bounceDomain: returnPathDomain }),
    ...(listens && { listens }),
    servers: app.config.domains.mailServers,
    ...(helo && { helo }),
    ...(negotiated && { negotiated }),
  };
}
