import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { day_ms, earlier, type Timestamp, timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { Failure, invalid } from '../../platform/failure.ts';
import { nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/queue/queue.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';
import { type CancelDeps, cancelMessages } from '../cancel-messages.ts';
import type { NewNotification } from '../notification.ts';
import type { SendingServices } from '../sending/sending-service.ts';
import {
  countHeld,
  countOverdue,
  deleteHeldBefore,
  dequeueHeld,
  type HeldRow,
  type HeldToPlace,
  insertHeld,
  type NewTime,
  selectFirstHeld,
  selectHeld,
  selectScheduled,
  updateDueTimes,
} from './held-messages.sql.ts';
import { type Placed, placeMessage, spread, type WhereItGoes, type WindowDeps } from './placing.ts';
import { type SendingTimes, zonesOfRecipient } from './sending-time.ts';

export type { HeldRow } from './held-messages.sql.ts';

/** Returns the message as it will be stored and, if it waits or changed sending times could make it wait, the row that says so. */
export function holdInWindow(
  app: WindowDeps,
  times: SendingTimes | null,
  notification: NewNotification,
  process_type: string,
  recipient: WhereItGoes,
): { notification: NewNotification; held?: HeldRow } {
  const start = new Date(notification.due_at);
  const placed = times && placeMessage(app, times, { ...notification, process_type }, recipient, start);
  if (placed) return held(notification, placed, recipient);
  const keepsZone = notification.scheduled_for !== null && typeof recipient.time_zone === 'string';
  return keepsZone ? { notification, held: rowOf(notification, recipient, null) } : { notification };
}

/**
 * Rows were accepted with their file, so they wait for their sending time without a limit. Rows of a file that waited for `opening` are
 * spread after it. Returns undefined if the sending time never begins.
 */
export function holdRow(
  app: WindowDeps,
  times: SendingTimes,
  notification: NewNotification,
  {
    process_type,
    time_zone,
    opening,
  }: { process_type: string; time_zone?: string | undefined; opening?: Date | undefined },
): { notification: NewNotification; held?: HeldRow } | undefined {
  const region = notification.notification_type === 'sms' ? regionOf(app, notification) : undefined;
  const [message, recipient] = [
    { ...notification, process_type },
    { time_zone, region },
  ];
  const start = new Date(notification.created_at);
  try {
    const placed = placeMessage(app, times, message, recipient, start, Number.POSITIVE_INFINITY);
    if (placed) return held(notification, placed, { time_zone });
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
  const due = opening && spread(app, times, message, recipient, opening);
  return opening && due && due > start
    ? held(notification, { due, held_until: opening }, { time_zone })
    : { notification };
}

/** A number that is not international is in the country of the installation, so it is not parsed. */
function regionOf(
  { country }: WindowDeps,
  { international, normalised_recipient }: NewNotification,
): string | undefined {
  if (!international) return country.phone.region;
  const parsed = parsePhoneNumber(country.phone, `+${normalised_recipient ?? ''}`);
  return parsed.ok ? parsed.number.region : undefined;
}

function held(
  notification: NewNotification,
  { due, held_until }: Placed,
  recipient: WhereItGoes,
): { notification: NewNotification; held: HeldRow } {
  const due_at = timestamp(due);
  return {
    notification: { ...notification, scheduled_for: due_at, due_at },
    held: rowOf(notification, recipient, timestamp(held_until)),
  };
}

function rowOf(
  { id, service_id, notification_type, scheduled_for, job_id }: NewNotification,
  { time_zone }: WhereItGoes,
  held_until: Timestamp | null,
): HeldRow {
  const of = { notification_id: id, service_id, notification_type, job_id: job_id ?? null };
  return { ...of, held_until, time_zone: time_zone ?? null, wanted_at: scheduled_for };
}

export const retimeHeldMessages: Task<{ service_id: string }> = {
  name: 'retime-held-messages',
  description: 'Gives the waiting messages of a service new times after its sending times changed.',
  maxAttempts: 9,
};

export const retimeWaitingFiles: Task<{ service_id: string }> = {
  name: 'retime-waiting-files',
  description: 'Gives the waiting files of a service new times after its sending times changed.',
  maxAttempts: 9,
};

/** Call it in the transaction that changes the sending times. */
export async function enqueueRetiming({ queue }: Platform, tx: Tx, service_id: string): Promise<void> {
  for (const task of [retimeHeldMessages, retimeWaitingFiles])
    await queue.add(tx, task, { service_id }, { key: `${task.name} ${service_id}` });
}

type RetimeDeps = WindowDeps & { sending: { services: SendingServices } };

const batch = 500;

/** A message whose new time would be too far ahead keeps its time. */
export async function runRetiming(app: RetimeDeps, { service_id }: { service_id: string }): Promise<void> {
  await app.changeListener.catchUp();
  const service = await app.sending.services.find(service_id);
  if (!service) return;
  const { sending_times } = service;
  await inBatches(app.db, service_id, undefined, (message) => newTimeOf(app, sending_times, message));
  if (sending_times !== null) await holdScheduled(app, service_id, sending_times);
}

/** Holds scheduled messages whose sending times are now closed at that time. */
async function holdScheduled(app: RetimeDeps, serviceId: string, times: SendingTimes): Promise<void> {
  const now = timestamp(app.clock.now());
  for (let after = nilId; ; ) {
    const found = await selectScheduled(app.db, serviceId, now, { after, limit: batch });
    const placed = found.flatMap((message) => {
      const [time] = newTimeOf(app, times, message);
      return time && time.held_until !== null ? [{ message, time, held_until: time.held_until }] : [];
    });
    await inTransaction(app.db, async (tx) => {
      const moved = new Set(
        await updateDueTimes(
          tx,
          placed.map(({ time }) => time),
        ),
      );
      const held = placed.filter(({ time }) => moved.has(time.id));
      await insertHeld(
        tx,
        held.map(({ message, held_until }) => ({ ...message, held_until })),
      );
    });
    const last = found.at(-1);
    if (found.length < batch || !last) return;
    after = last.notification_id;
  }
}

function newTimeOf(app: WindowDeps, times: SendingTimes | null, message: HeldToPlace): NewTime[] {
  const { notification_id: id, wanted_at } = message;
  const opening = new Date(message.held_until);
  const start = new Date(Math.max(app.clock.now().getTime(), wanted_at === null ? 0 : Date.parse(wanted_at)));
  const place = placeOf(app, message);
  try {
    const placed = times && placeMessage(app, times, { ...message, id }, place, start);
    const spreadTo = times && opening <= start ? spread(app, times, { ...message, id }, place, opening) : undefined;
    if (!placed && spreadTo && spreadTo > start) return [];
    if (!placed) return [{ id, due_at: timestamp(start), held_until: null }];
    return [{ id, due_at: timestamp(placed.due), held_until: timestamp(placed.held_until) }];
  } catch (error) {
    app.log.warn({ event: 'held_message.kept', notification: id, err: error }, 'A waiting message keeps its time');
    return [];
  }
}

function placeOf({ country }: Platform, { notification_type, recipient, time_zone }: HeldToPlace): WhereItGoes {
  const parsed = notification_type === 'sms' ? parsePhoneNumber(country.phone, `+${recipient}`) : undefined;
  return { time_zone, region: parsed?.ok ? parsed.number.region : undefined };
}

/** Returns the time zone of a waiting message's recipient, or undefined if it is not known or could be one of several. */
export async function findHeldZone(
  app: Platform,
  { id, service_id }: { id: string; service_id: string },
): Promise<string | undefined> {
  const [held] = await selectHeld(app.db, service_id, { after: nilId, limit: 1 }, { id });
  if (!held) return undefined;
  const place = placeOf(app, held);
  const zones = place.time_zone ? [place.time_zone] : zonesOfRecipient(place);
  return zones.length === 1 ? zones[0] : undefined;
}

async function inBatches(
  db: Db | Tx,
  serviceId: string,
  only: Parameters<typeof selectHeld>[3],
  timesOf: (message: HeldToPlace) => NewTime[],
): Promise<number> {
  let changed = 0;
  for (let after = nilId; ; ) {
    const found = await selectHeld(db, serviceId, { after, limit: batch }, only);
    changed += (await updateDueTimes(db, found.flatMap(timesOf))).length;
    const last = found.at(-1);
    if (found.length < batch || !last) return changed;
    after = last.notification_id;
  }
}

const notWaiting = () => invalid('This message does not wait for its sending time');

/** Sends a waiting message now. */
export async function sendHeldNow(app: Platform, serviceId: string, id: string): Promise<void> {
  const due_at = timestamp(app.clock.now());
  const now = () => [{ id, due_at, held_until: null }];
  await inTransaction(app.db, async (tx) => {
    const [waiting] = await selectHeld(tx, serviceId, { after: nilId, limit: 1 }, { id });
    if (!waiting || (await inBatches(tx, serviceId, { id }, now)) === 0) throw notWaiting();
    const entry = { action: 'update', noun: 'notification', thing_id: id, service_id: serviceId } as const;
    const before = { held_until: waiting.held_until };
    await recordAuditEntry(tx, { ...entry, before, after: { scheduled_for: due_at, held_until: null } });
  });
}

/** Cancels a waiting message. */
export async function cancelHeld(app: CancelDeps, serviceId: string, id: string): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    if (!(await dequeueHeld(tx, serviceId, id))) throw notWaiting();
    const [changed] = await cancelMessages(app, tx, [id], app.clock.now());
    if (!changed) throw notWaiting();
    const entry = { action: 'update', noun: 'notification', thing_id: id, service_id: serviceId } as const;
    const [before, after] = [{ status: changed.previous_status }, { status: changed.status }];
    await recordAuditEntry(tx, { ...entry, before, after });
  });
}

/** Returns, by file, when the sending time of its first waiting message begins or began. Files without waiting messages are left out. */
export function findFirstHeld(
  { clock, config }: WindowDeps,
  db: Db | Tx,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, Timestamp>> {
  const now = clock.now();
  return selectFirstHeld(db, jobIds, timestamp(now), timestamp(earlier(now, config.windows.spread_ms)));
}

export const sendHeldRows: Task<{ service_id: string; job_id: string }> = {
  name: 'send-held-rows',
  description: 'Sends the waiting messages of a file now.',
  maxAttempts: 25,
};

export async function runHeldRows(
  { db, clock }: Platform,
  { service_id, job_id }: { service_id: string; job_id: string },
) {
  const due_at = timestamp(clock.now());
  await inBatches(db, service_id, { job_id }, ({ notification_id: id }) => [{ id, due_at, held_until: null }]);
}

const maxCounted = 1_000_000;
const maxOverdue = 10_000;

/** Read at each scrape. */
export function measureHeld({ metrics, db, clock }: Platform): void {
  const valuesOf = (counts: Awaited<ReturnType<typeof countHeld>>) =>
    counts.map(({ channel, messages }) => ({ labels: { channel }, value: messages }));
  metrics.gauges('messages_held', 'Messages that wait for a sending time to begin', ['channel'], async () =>
    valuesOf(await countHeld(db, timestamp(clock.now()), maxCounted)),
  );
  metrics.gauges(
    'messages_held_overdue',
    'Messages that have not been sent though their sending time began more than a day ago',
    ['channel'],
    async () => valuesOf(await countOverdue(db, timestamp(earlier(clock.now(), day_ms)), maxOverdue)),
  );
}

/** A day later, nobody needs to know that a message waited. */
export async function deleteOldHeld({ db, clock }: Platform): Promise<void> {
  const before = timestamp(earlier(clock.now(), day_ms));
  while ((await deleteHeldBefore(db, before, batch)) === batch);
}
