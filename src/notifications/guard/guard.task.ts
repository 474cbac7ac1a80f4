import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { listManagers } from '../../services/members/service-members.ts';
import { getService } from '../../services/services.ts';
import { suppressRecipients } from '../../services/suppression/suppression-list.ts';
import { type AccountMessageSender, accountTemplates } from '../../users/account-messages/account-messages.ts';
import { pageUrl } from '../../users/sign-in/link-tokens.ts';
import type { GuardSettings } from '../settings.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import {
  countExempt,
  countGuardStates,
  type GuardRow,
  lockGuard,
  markEvaluated,
  selectServicesToEvaluate,
  upsertGuard,
} from './guard.sql.ts';
import { isExemptNow, listHours, rateOf, startOfHour, stateNow, whatHappened } from './guard.ts';

type Deps = Platform & {
  config: { guard: GuardSettings; urls: Urls };
  accountMessages: AccountMessageSender;
};

/** Evaluates services with new outcomes. A service that sends no emails causes no work. */
export async function evaluateServices(app: Deps): Promise<void> {
  if (app.config.guard.mode === 'off') return;
  const now = app.clock.now();
  for (const id of await selectServicesToEvaluate(app.db, timestamp(startOfHour(now)))) {
    const changed = await inTransaction(app.db, (tx) => evaluateService(app, tx, id, now));
    if (!changed) continue;
    const { state: to, because } = changed;
    guardChanges(app.metrics).inc({ to, because: because ?? 'none' });
    app.log.warn({ event: 'guard.changed', service: id, to, because }, 'The guard changed the state of a service');
  }
}

/** Returns the evaluation if the state changed. */
async function evaluateService(app: Deps, tx: Tx, service_id: string, now: Date): Promise<Evaluation | undefined> {
  const { guard } = app.config;
  const row = await lockGuard(tx, service_id);
  await markEvaluated(tx, service_id);
  const hours = await listHours(tx, service_id, row, now);
  const known = {
    state: stateNow(app, row),
    because: row?.because ?? null,
    last_warning_at: row?.last_warning_at ? new Date(row.last_warning_at) : null,
    lifted_at: row?.lifted_at ? new Date(row.lifted_at) : null,
  };
  const mayPause = guard.mode === 'on' && !isExemptNow(row, now);
  const evaluation = evaluate(known, hours, { ...guard, mayPause }, now);
  const { state, because, notice } = evaluation;
  if (!row && state === 'ok') return undefined;
  const hasChanged = state !== (row?.state ?? 'ok');
  const at = timestamp(now);
  // During a pause, keep the rate that caused it.
  const rate = state === 'paused' && !hasChanged ? (row?.rate ?? null) : rateOf(because, evaluation.rates);
  await upsertGuard(tx, {
    ...(row ?? { service_id, last_warning_at: null }),
    ...{ state, because, rate, judged_at: at, since: hasChanged || !row ? at : row.since },
    ...(notice === null ? {} : { last_warning_at: at }),
  });
  if (notice !== null) await notifyManagers(app, tx, { service_id, because, rate }, notice);
  return hasChanged ? evaluation : undefined;
}

/** Sends the notice as the platform service: a domain in trouble must not prevent its own alert from arriving. */
async function notifyManagers(
  app: Deps,
  tx: Tx,
  { service_id, ...cause }: Pick<GuardRow, 'service_id' | 'because' | 'rate'>,
  notice: NonNullable<Evaluation['notice']>,
): Promise<void> {
  const service = await getService(tx, service_id);
  const keepsList = service.permissions.includes(suppressRecipients);
  for (const { name, email_address } of await listManagers(tx, service_id)) {
    await app.accountMessages.send(tx, {
      template_id: notice === 'paused' ? accountTemplates.sendingPaused : accountTemplates.sendingWarning,
      to: email_address,
      personalisation: {
        ...{ name, service_name: service.name, what_happened: whatHappened(cause) },
        offer_suppression: keepsList ? 'no' : 'yes',
        url: pageUrl(app.config.urls.admin, `/services/${service_id}/settings/email/guard`),
      },
    });
  }
}

function guardChanges(metrics: Metrics) {
  return metrics.counter('email_guard_changes_total', 'Changes of state that the guard made', ['to', 'because']);
}

/** Registers a metric that is read at each scrape. A pause that an earlier setting caused does not count. */
export function measureGuard(app: Pick<Deps, 'metrics' | 'db' | 'config' | 'clock'>): void {
  const help = 'Services that the guard has warned or paused, and those that are exempt from pauses';
  app.metrics.gauges('email_guard_services', help, ['state'], async () => {
    const counts = { warned: 0, paused: 0, exempt: await countExempt(app.db, timestamp(app.clock.now())) };
    for (const { state, services } of await countGuardStates(app.db)) {
      const now = stateNow(app, { state });
      if (now !== 'ok') counts[now] += services;
    }
    return (['warned', 'paused', 'exempt'] as const).map((state) => ({ labels: { state }, value: counts[state] }));
  });
}
