import { setTimeout as sleep } from 'node:timers/promises';
import { findOptedOut, type OptOutRow } from '../inbound/opt-outs/opt-outs.ts';
import { isHeldByGuard } from '../notifications/guard/guard.ts';
import { lanes } from '../notifications/notification.ts';
import { readDatabaseTime } from '../notifications/queue/leases.shared.sql.ts';
import type { SendingService } from '../notifications/sending/sending-service.ts';
import { storeRows } from '../notifications/sending/store-rows.ts';
import { recordStatusChanges } from '../notifications/status.ts';
import { announceFailures, composeLetter } from '../notifications/tasks-for-others.ts';
import { later, timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { RowWriter } from '../platform/db/row-writer.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Platform } from '../platform/platform.ts';
import {
  countRefusedSends,
  findSuppressed,
  type SuppressedRecipient,
  suppressRecipients,
} from '../services/suppression/suppression-list.ts';
import type { TemplateRow } from '../templates/template-row.ts';
import { enqueueExpansion, findTemplateOfJob, type JobDeps } from './accept-job.ts';
import { notificationsOf } from './job-notifications.ts';
import {
  commitWithoutWaiting,
  type JobRow,
  lockJob,
  markChunkExpanded,
  selectJob,
  selectJobStatistics,
  selectNextChunk,
  updateJob,
} from './jobs.sql.ts';
import { isWaiting, startJob } from './start-job.ts';
import { type ReadyRow, readReadyRows } from './uploads/ready-row.ts';

/** After this time, other jobs get a turn. */
const turn_ms = 1_000;
/** Files of the usual maximum size are expanded at once. Larger ones pause, so that they do not fill the queue. */
export const maxWaitingRows = 100_000;
const pause_ms = 1_000;
/** How long to wait before looking again at a file that the guard holds. */
const heldFor_ms = 10_000;

/**
 * Memory for the serialized rows of a chunk and for the parameters of their statement. All chunks of a turn share it: otherwise Node
 * would collect old objects several times per file, and requests would wait meanwhile.
 */
const chunkBytes = 512 * 1024;

/** More at once in one process would slow down single messages and other tasks. */
const maxExpansions = 2;

/** The jobs that a process is expanding. */
export class Expansions {
  private running = 0;

  /** Returns false if there are too many. */
  async run(work: () => Promise<void>): Promise<boolean> {
    if (this.running >= maxExpansions) return false;
    this.running += 1;
    try {
      await work();
      return true;
    } finally {
      this.running -= 1;
    }
  }
}

interface RowNeeds {
  service: SendingService;
  template: TemplateRow;
  writer: RowWriter;
}

/** Starts a job that is due, and turns its rows into notifications for about a second. */
export async function runExpansion(
  app: JobDeps & { expansions: Expansions },
  { job_id }: { job_id: string },
): Promise<void> {
  const hasRun = await app.expansions.run(() => expandForATurn(app, job_id));
  if (!hasRun) await enqueueExpansion(app, app.db, job_id, later(app.clock.now(), pause_ms));
}

async function expandForATurn(app: JobDeps, job_id: string): Promise<void> {
  const found = await selectJob(app.db, job_id);
  if (!found) return;
  if (found.status === 'scheduled' && !isWaiting(found, app.clock.now())) return expandWhenDue(app, found);
  if (await isHeld(app, found)) {
    await enqueueExpansion(app, app.db, job_id, later(app.clock.now(), heldFor_ms));
    return;
  }
  const job = isWaiting(found, app.clock.now()) ? await startJob(app, found) : found;
  if (job?.status !== 'in progress') return;
  const needs = await whatRowsNeed(app, job);
  if (await mustPause(app, job)) {
    await enqueueExpansion(app, app.db, job_id, later(app.clock.now(), pause_ms));
    return;
  }
  const end = performance.now() + turn_ms;
  do {
    needs.writer.rewind();
    if (!(await expandChunk(app, job, needs))) return;
  } while (performance.now() < end);
  await enqueueExpansion(app, app.db, job_id);
}

/** The queue starts tasks by the clock of the database. If the clock of this worker is behind it, the file is not due here yet. */
async function expandWhenDue(app: JobDeps, { id, scheduled_for }: JobRow): Promise<void> {
  const now = app.clock.now();
  const wait_ms = new Date(scheduled_for ?? now).getTime() - now.getTime();
  const databaseTime = new Date(await readDatabaseTime(app.db));
  await enqueueExpansion(app, app.db, id, later(databaseTime, wait_ms));
}

/**
 * Whether the guard has paused sending to many. A file that was started waits only if it is in the bulk lane: the messages of a small
 * one are delivered like single ones.
 */
async function isHeld(app: JobDeps, job: JobRow): Promise<boolean> {
  if (job.lane !== lanes.bulk && !isWaiting(job, app.clock.now())) return false;
  const service = await app.sending.services.find(job.service_id);
  return service !== undefined && isHeldByGuard(app, service, job);
}

/** The same, for the page of a file. A file that is scheduled for later does not wait yet. */
export async function waitsForGuard(app: JobDeps, id: string): Promise<boolean> {
  const job = await selectJob(app.db, id);
  if (!job || job.status === 'cancelled' || job.status === 'sending limits exceeded') return false;
  if (job.status === 'scheduled' && !isWaiting(job, app.clock.now())) return false;
  return isHeld(app, job);
}

async function whatRowsNeed(app: JobDeps, job: JobRow): Promise<RowNeeds> {
  const service = await app.sending.services.find(job.service_id);
  const template = await findTemplateOfJob(app, job);
  if (!service || !template) throw new Error(`The service or template of job ${job.id} does not exist`);
  return { service, template, writer: new RowWriter(chunkBytes) };
}

/** Letters never pause, because the print run must find them. */
async function mustPause(app: JobDeps, { id, notification_type }: JobRow): Promise<boolean> {
  if (notification_type === 'letter') return false;
  const statistics = await selectJobStatistics(app.db, [id]);
  return (statistics.find(({ status }) => status === 'created')?.count ?? 0) > maxWaitingRows;
}

/**
 * Turns the rows of a chunk into notifications and sets `expanded_at`, in one transaction. If the server loses that transaction, the rows
 * are expanded again. None of them was sent, because the lease of a message is durable before its provider is called. Returns whether
 * there is more to do.
 */
async function expandChunk(app: JobDeps, { id }: JobRow, { service, template, writer }: RowNeeds): Promise<boolean> {
  const expanded = await inTransaction(app.db, async (tx) => {
    await commitWithoutWaiting(tx);
    const job = await lockJob(tx, id);
    if (job?.status !== 'in progress') return undefined;
    const chunk = await selectNextChunk(tx, id);
    const expandedAt = app.clock.now();
    if (!chunk) return { job, done: 0, finished: await finish(tx, job, expandedAt) };
    const rows = [...readReadyRows(chunk.messages ?? '[]')];
    const suppressed = await refusedAmong(app, tx, job, service, rows);
    const notifications = await notificationsOf(app, {
      job,
      service,
      template,
      rows,
      firstRow: chunk.first_row,
      expandedAt,
      suppressed,
      writer,
    });
    const { rows: stored, files, held, letters } = notifications;
    await storeRows(app.country, tx, { rows: stored, files, held, writer }, (took_ms) => rest(app, took_ms));
    await failSuppressed(app, tx, notifications.suppressed, suppressed, expandedAt);
    const tasks = letters.map((letter) => ({
      payload: { notification_id: letter.id },
      priority: app.sending.letterPriorities.priorityFor(letter),
    }));
    await app.queue.addMany(tx, composeLetter, tasks);
    await markChunkExpanded(tx, chunk, timestamp(expandedAt));
    const changed = await updateJob(tx, id, {
      rows_done: job.rows_done + stored.length,
      reserved: Math.max(0, job.reserved - stored.length),
      reserved_international: Math.max(0, job.reserved_international - chunk.abroad_count),
      reserved_parts: job.reserved_parts === null ? null : Math.max(0, job.reserved_parts - chunk.part_count),
      updated_at: timestamp(expandedAt),
    });
    const isLast = chunk.first_row + chunk.row_count >= job.row_count;
    return { job, done: stored.length, finished: isLast && (await finish(tx, changed, expandedAt)) };
  });
  if (!expanded) return false;
  const { job, done, finished } = expanded;
  rowsExpanded(app.metrics).inc({ notification_type: job.notification_type }, done);
  if (done > 0 && job.lane !== null) {
    app.sending.acceptor.announcer.add(job.notification_type, { lane: job.lane, service_id: job.service_id });
  }
  if (finished) {
    app.log.info(
      { event: 'job.finished', job: job.id, service: job.service_id, rows: job.row_count },
      'All rows of a job are notifications',
    );
  }
  return !finished;
}

async function rest({ bulkPace }: JobDeps, took_ms: number): Promise<void> {
  const rest_ms = bulkPace.restAfter_ms(took_ms);
  if (rest_ms > 0) await sleep(rest_ms);
}

function rowsExpanded(metrics: Metrics) {
  return metrics.counter('job_rows_expanded_total', 'Rows of files that became notifications', ['notification_type']);
}

async function finish(tx: Tx, { id }: JobRow, now: Date): Promise<true> {
  const at = timestamp(now);
  await updateJob(tx, id, {
    status: 'finished all notifications created',
    processing_finished: at,
    updated_at: at,
  });
  return true;
}

/** By email address or phone number. */
type Suppressed = ReadonlyMap<string, SuppressedRecipient | OptOutRow>;

const none: Suppressed = new Map();

/** Finds suppressed and stopped recipients of a chunk. Services without a suppression list or opt-outs need no query. */
async function refusedAmong(
  app: JobDeps,
  tx: Tx,
  { notification_type, key_type, template_id, reply_to_text }: JobRow,
  service: SendingService,
  rows: readonly (ReadyRow | null)[],
): Promise<Suppressed> {
  if (key_type === 'test') return none;
  const recipients = rows.flatMap((row) => row?.normalised_recipient ?? []);
  if (notification_type === 'email' && service.permissions.has(suppressRecipients)) {
    return findSuppressed(tx, service.id, recipients);
  }
  if (notification_type !== 'sms' || !service.has_opt_outs) return none;
  return findOptedOut(app, tx, { service_id: service.id, template_id, sender: reply_to_text }, recipients);
}

/** Fails the rows of suppressed recipients in the transaction that stores them. They have no provider, so they are not billed. */
async function failSuppressed(
  app: Platform,
  tx: Tx,
  rows: { id: string; address: string }[],
  suppressed: Suppressed,
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  const changes = rows.map(({ id }) => ({ id, status: 'permanent-failure', event: 'givenUp' }) as const);
  await recordStatusChanges(app.country, tx, changes, now);
  await app.queue.add(tx, announceFailures, { notification_ids: rows.map(({ id }) => id) });
  countRefusedSends(
    app,
    rows.flatMap(({ address }) => {
      const found = suppressed.get(address);
      return found && 'email_address' in found ? found.reason : [];
    }),
  );
}
