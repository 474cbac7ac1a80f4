import { type Text, t } from '../../language/text.ts';
import { day_ms, earlier, hour_ms, timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { type Failure, forbidden, invalid, invalidField } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { KeyType } from '../../protocol/key-types.ts';
import type { GuardSettings } from '../settings.ts';
import {
  complaintWindow_ms,
  type GuardRates,
  type GuardReason,
  type HourOfEmails,
  percentOf,
  ratesOf,
} from './evaluate.ts';
import {
  type GuardGroup,
  type GuardRow,
  lockGuard,
  selectGuard,
  selectGuarded,
  selectHours,
  selectPausedServices,
  upsertGuard,
} from './guard.sql.ts';

type Deps = Platform & { config: { guard: GuardSettings } };

/** The state in the cached settings of a service; null unless bulk sending is paused. */
export interface GuardPause {
  because: GuardReason;
  rate: string;
}

/** Returns the measurement, with which every message about it begins. */
export function whatHappened({ because, rate }: { because: GuardReason | null; rate: string | null }): Text {
  const values = { rate: rate ?? '' };
  return because === 'complaints'
    ? t('{rate}% of the emails of the last 7 days were reported as spam', values)
    : t('{rate}% of the emails of the last 24 hours bounced', values);
}

/** Uses as many decimals as the thresholds need to be told apart. */
export function rateOf(because: GuardReason | null, { bounces, complaints }: GuardRates): string | null {
  if (because === null) return null;
  return because === 'complaints' ? percentOf(complaints, 2) : percentOf(bounces, 1);
}

interface SentToMany {
  notification_type: Channel;
  key_type: KeyType;
}

/** Whether emails to many, from files and lists, are on hold. Single emails, texts and letters never are. */
export function isHeldByGuard(
  { config }: { config: { guard: GuardSettings } },
  { guard }: { guard: GuardPause | null },
  { notification_type, key_type }: SentToMany,
): boolean {
  return guard !== null && config.guard.mode === 'on' && notification_type === 'email' && key_type !== 'test';
}

/** Returns why a file or list is refused, or undefined. */
export function refusalOfGuard(
  app: { config: { guard: GuardSettings } },
  service: { guard: GuardPause | null },
  sent: SentToMany,
): Failure | undefined {
  if (service.guard === null || !isHeldByGuard(app, service, sent)) return undefined;
  const text = `Sending to many is paused: ${whatHappened(service.guard)}. Clean your list, then lift the pause in Settings.`;
  return invalid(text, { reason: 'sending_to_many_paused' });
}

interface GuardRecord extends Pick<GuardRow, 'state' | 'because' | 'rate'> {
  since: string | null;
  exempt_until: string | null;
  lifted_at: string | null;
  lift_reason: string | null;
  /** Whether a member of the team can lift the pause. A platform administrator always can. */
  team_can_lift: boolean;
  rates: GuardRates;
}

/** Selects the hours that the rates are of. */
export async function listHours(
  db: Db | Tx,
  serviceId: string,
  row: GuardRow | undefined,
  now: Date,
): Promise<HourOfEmails[]> {
  const hours = await selectHours(db, serviceId, timestamp(earlier(now, complaintWindow_ms + hour_ms)));
  return hours.map((hour) => afterLift(hour, row));
}

/** The hour of a lift begins at the lift. A bounce after it may be of an email before it, so no rate may exceed 100%. */
function afterLift(figures: HourOfEmails, row: GuardRow | undefined): HourOfEmails {
  if (row?.lifted_at == null) return figures;
  const lifted_at = new Date(row.lifted_at);
  if (figures.hour.getTime() !== startOfHour(lifted_at).getTime()) return figures;
  const sent = figures.sent - (row.lifted_sent ?? 0);
  return {
    hour: lifted_at,
    sent,
    hard_bounces: Math.min(sent, figures.hard_bounces - (row.lifted_bounces ?? 0)),
    complaints: Math.min(sent, figures.complaints - (row.lifted_complaints ?? 0)),
  };
}

export function startOfHour(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / hour_ms) * hour_ms);
}

/** Returns the state of a service and its current rates. */
export async function getGuard(app: Deps, serviceId: string): Promise<GuardRecord> {
  const { db, clock } = app;
  await refuseUnlessExists(db, 'services', serviceId);
  const now = clock.now();
  const row = await selectGuard(db, serviceId);
  const hours = await listHours(db, serviceId, row, now);
  const rates = ratesOf(hours, row?.lifted_at ? new Date(row.lifted_at) : null, now);
  const state = stateNow(app, row);
  const isOk = state === 'ok';
  const isExempt = isExemptNow(row, now);
  return {
    state,
    because: isOk ? null : (row?.because ?? null),
    rate: isOk ? null : (row?.rate ?? null),
    since: row?.since ?? null,
    exempt_until: isExempt ? (row?.exempt_until ?? null) : null,
    lifted_at: row?.lifted_at ?? null,
    lift_reason: row?.lift_reason ?? null,
    team_can_lift: mayTeamLift(row, now),
    rates,
  };
}

export type { GuardGroup } from './guard.sql.ts';

/** Lists, for operators, the services that the guard has paused or warned, and those that are exempt. */
export async function listGuarded(
  app: Deps,
  { group, skip, limit }: { group: GuardGroup | undefined; skip: number; limit: number },
) {
  const now = app.clock.now();
  const { rows, total } = await selectGuarded(app.db, { group, now: timestamp(now), skip, limit });
  return {
    total,
    services: rows.map(({ exempt_until, because, ...row }) => ({
      ...row,
      state: stateNow(app, row as Pick<GuardRow, 'state'>),
      because: because as GuardReason | null,
      exempt_until: isExemptNow({ exempt_until }, now) ? exempt_until : null,
    })),
  };
}

/** A pause from an earlier setting has no effect while the guard only warns, or is off. */
export function stateNow({ config }: { config: { guard: GuardSettings } }, row: Pick<GuardRow, 'state'> | undefined) {
  if (row === undefined || config.guard.mode === 'off') return 'ok';
  return row.state === 'paused' && config.guard.mode === 'warn' ? 'warned' : row.state;
}

export function isExemptNow(row: Pick<GuardRow, 'exempt_until'> | undefined, now: Date): boolean {
  return row?.exempt_until != null && new Date(row.exempt_until) > now;
}

const teamLiftsEvery_ms = 7 * day_ms;

function mayTeamLift(row: Pick<GuardRow, 'lifted_at'> | undefined, now: Date): boolean {
  return row?.lifted_at == null || new Date(row.lifted_at) <= earlier(now, teamLiftsEvery_ms);
}

interface Lift {
  reason: string;
  by: { id: string; platform_admin: boolean };
}

/** Resumes sending to many. Counting restarts at this moment. */
export async function liftPause(app: Deps, serviceId: string, { reason, by }: Lift): Promise<void> {
  if (reason.trim() === '') throw invalidField('reason', t('Enter a reason.'));
  await refuseUnlessExists(app.db, 'services', serviceId);
  const now = app.clock.now();
  await inTransaction(app.db, async (tx) => {
    const row = await lockGuard(tx, serviceId);
    if (row?.state !== 'paused') throw invalid(t('Sending to many is not paused'));
    if (!by.platform_admin && !mayTeamLift(row, now)) {
      throw forbidden(t('This pause is the second in 7 days. Ask an operator to lift it.'));
    }
    const [before] = await selectHours(tx, serviceId, timestamp(startOfHour(now)));
    const lifted = {
      ...{ lifted_at: timestamp(now), lifted_by_id: by.id, lift_reason: reason.trim() },
      ...{ lifted_sent: before?.sent ?? 0, lifted_bounces: before?.hard_bounces ?? 0 },
      lifted_complaints: before?.complaints ?? 0,
    };
    await change(tx, row, { state: 'ok', because: null, rate: null, since: timestamp(now), ...lifted });
  });
  app.log.info({ event: 'guard.lifted', service: serviceId }, 'A person lifted the pause of a service');
}

/** Until `until`, the service gets warnings but no pauses; null ends the exemption. An exemption ends a current pause at once. */
export async function exemptFromGuard(app: Deps, serviceId: string, until: Date | null): Promise<void> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const now = app.clock.now();
  if (until !== null && until <= now) throw invalidField('exempt_until', t('Enter a date in the future.'));
  await inTransaction(app.db, async (tx) => {
    const row = await lockGuard(tx, serviceId);
    if (!row && until === null) return;
    const at = timestamp(now);
    const known = row ?? { ...unknown, service_id: serviceId, since: at, judged_at: at };
    const state = until !== null && known.state === 'paused' ? { state: 'warned' as const, since: at } : {};
    await change(tx, known, { ...state, exempt_until: until === null ? null : timestamp(until) });
  });
}

const unknown = {
  state: 'ok' as const,
  because: null,
  rate: null,
  last_warning_at: null,
  lifted_at: null,
  lifted_by_id: null,
  lift_reason: null,
  lifted_sent: null,
  lifted_bounces: null,
  lifted_complaints: null,
  exempt_until: null,
};

function change(tx: Tx, row: GuardRow, changes: Partial<GuardRow>): Promise<void> {
  return upsertGuard(tx, { ...row, ...changes });
}

/** Returns the state and the rates in percent, for the service's own programs. */
export async function getSendingStatus(app: Deps, serviceId: string) {
  const { state, because, since, rates } = await getGuard(app, serviceId);
  return {
    email: {
      state,
      because,
      bounce_rate: percentOf(rates.bounces, 2),
      complaint_rate: percentOf(rates.complaints, 3),
      since: state === 'ok' ? null : since,
    },
  };
}

/** How long the list is cached while notifications may be lost. */
const maxAgeWhenDisconnected_ms = 1_000;

/**
 * The services whose bulk sending is paused, for a worker. It does not lease their waiting bulk messages, whose rows stay unchanged. Read
 * again only when the state of a service has changed.
 */
export class PausedServices {
  private ids: ReadonlySet<string> = new Set();
  private readAt = Number.NEGATIVE_INFINITY;
  private isStale = true;
  private readonly app: Pick<Platform, 'db' | 'changeListener'>;

  constructor(app: Pick<Platform, 'db' | 'changeListener'>) {
    this.app = app;
    const forget = () => {
      this.isStale = true;
    };
    app.changeListener.on('service_guard_changed', forget);
    app.changeListener.onReset(forget);
  }

  has(serviceId: string): boolean {
    return this.ids.has(serviceId);
  }

  async refresh(): Promise<void> {
    const isOld = !this.app.changeListener.connected && performance.now() - this.readAt > maxAgeWhenDisconnected_ms;
    if (!this.isStale && !isOld) return;
    // A change during the read sets it again, and is read the next time.
    this.isStale = false;
    try {
      this.ids = new Set(await selectPausedServices(this.app.db));
    } catch (error) {
      this.isStale = true;
      throw error;
    }
    this.readAt = performance.now();
  }
}
