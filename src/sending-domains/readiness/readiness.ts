import type { EmailSettings } from '../../branding/settings.ts';
import { addDays } from '../../countries/calendar.ts';
import { day_ms, earlier, timestamp } from '../../platform/clock.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { parseDomainName } from '../domain-name.ts';
import { deleteDomainMailBefore } from './domain-mail.shared.sql.ts';
import { evaluateRows, overallVerdict, type ReadinessRow } from './evaluate-rows.ts';
import { sentenceOfRefusal } from './policy-refusals.ts';
import {
  type Senders,
  selectBestDays,
  selectChecks,
  selectDomainOfService,
  selectDomainsInUse,
  selectDomainToEvaluate,
  selectInstallationDomain,
  selectOutcomes,
  selectRefusals,
  selectTemplatesOfFiles,
} from './readiness.sql.ts';

export type ReadinessDeps = Pick<Platform, 'db' | 'clock' | 'country'> & {
  config: { email: EmailSettings & { providers: readonly string[] } };
};

/** Whether the large mailbox providers will accept the emails of a domain, and what to fix first. */
export interface Readiness {
  domain: string;
  domain_kind: 'installation' | 'organisation' | 'service';
  verdict: 'pass' | 'warn' | 'fail';
  /** Set in the sandbox, which sends no emails. */
  nothing_is_sent: boolean;
  /** Ordered by verdict, worst first. */
  rows: ReadinessRow[];
}

export async function getDomainReadiness(app: ReadinessDeps, domainId: string): Promise<Readiness> {
  const domain = await selectDomainToEvaluate(app.db, domainId);
  if (!domain) throw notFound();
  return evaluateSender(app, domain, { domain_id: senderIdOf(domain) });
}

/** Evaluates the domain in EMAIL_DOMAIN. */
export async function getInstallationReadiness(app: ReadinessDeps): Promise<Readiness> {
  return evaluateSender(app, await installationDomain(app), { domain_id: null });
}

/** Only counts what this service sends; other services may send from the same domain. */
export async function getServiceReadiness(app: ReadinessDeps, serviceId: string): Promise<Readiness> {
  const domainId = await selectDomainOfService(app.db, serviceId);
  if (domainId === undefined) throw notFound();
  const domain = domainId === null ? undefined : await selectDomainToEvaluate(app.db, domainId);
  return evaluateSender(app, domain ?? (await installationDomain(app)), { service_id: serviceId });
}

/** Lists the installation's domain first, then all others that emails come from. */
export async function listReadyDomains(app: ReadinessDeps): Promise<Sender[]> {
  const own = await installationDomain(app);
  return [own, ...(await selectDomainsInUse(app.db)).filter(({ name }) => name !== own.name)];
}

interface Sender {
  /** Undefined for the installation's domain if nobody has added it, so nothing checks it. */
  id: string | undefined;
  name: string;
  scope: string;
  way: string;
}

async function installationDomain({ db, config }: ReadinessDeps): Promise<Sender> {
  const name = config.email.domain.toLowerCase();
  return (
    (await selectInstallationDomain(db, name)) ?? { id: undefined, name, scope: 'installation', way: 'signed-here' }
  );
}

/** Figures of the installation's domain have no id. */
function senderIdOf({ id, scope }: Sender): string | null {
  return scope === 'installation' ? null : (id ?? null);
}

const manyRecipients = 500;
const volumeDays = 30;

async function evaluateSender(app: ReadinessDeps, domain: Sender, senders: Senders): Promise<Readiness> {
  const { db, clock, country, config } = app;
  const now = clock.now();
  const [dayAgo, weekAgo] = [timestamp(earlier(now, day_ms)), timestamp(earlier(now, 7 * day_ms))];
  const firstDay = addDays(country.calendar.day(now), 1 - volumeDays);
  const domainId = senderIdOf(domain);
  const [checks, templates, outcomes, best_days, refusals] = await Promise.all([
    domain.id === undefined ? new Map() : selectChecks(db, domain.id),
    selectTemplatesOfFiles(db, senders, { since: weekAgo, minSent: manyRecipients }),
    selectOutcomes(db, senders, { bouncesSince: dayAgo, complaintsSince: weekAgo }),
    selectBestDays(db, domainId, firstDay),
    selectRefusals(db, domainId, dayAgo),
  ]);
  const rows = evaluateRows({
    domain: domain.name,
    isAdded: domain.id !== undefined,
    isOfProvider: domain.way === 'provider',
    isOfMailboxProvider: isOfMailboxProvider(domain.name),
    checks,
    templates,
    ...outcomes,
    best_days,
    refusals: refusals.map(({ code, count }) => ({ sentence: sentenceOfRefusal(code), count })),
  });
  return {
    domain: domain.name,
    domain_kind: domain.scope as Readiness['domain_kind'],
    verdict: overallVerdict(rows),
    nothing_is_sent: config.email.providers.every((provider) => provider === 'sandbox'),
    rows,
  };
}

/** Longer than any period that a row covers. */
const kept_days = 40;

export async function deleteOldDomainMail({ db, clock, country }: ReadinessDeps): Promise<void> {
  const now = clock.now();
  const day = addDays(country.calendar.day(now), -kept_days);
  await deleteDomainMailBefore(db, { day, moment: timestamp(country.calendar.start(day)) });
}

function isOfMailboxProvider(name: string): boolean {
  const parsed = parseDomainName(name);
  return 'problem' in parsed && parsed.problem === 'mailbox-provider';
}
