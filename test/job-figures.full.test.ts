import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addUpChanges, foldRollups } from '../src/notifications/rollups/rollups.ts';
import { recordStatusChanges } from '../src/notifications/status.ts';
import { inTransaction } from '../src/platform/db/database.ts';
import { aService, aTemplate, aUser } from './kit/builders/rows.ts';
import { aCheckedUpload, smsRows } from './kit/builders/uploads.ts';
import { useHarness } from './kit/harness.ts';
import { isLongRun } from './kit/process/process-environment.ts';

/**
 * After any sequence of sending files, expanding, cancelling, delivering, receipts, days that pass and retention, the figures of
 * each job, its reservation and the daily counts equal a naive count.
 */

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

const file = fc.record({
  type: fc.constant('start' as const),
  good: fc.integer({ min: 1, max: 7 }),
  abroad: fc.nat(2),
  bad: fc.nat(2),
  scheduled: fc.nat(3).map((one) => one === 0),
});
const onFile = (type: 'cancel' | 'cancel while it expands' | 'receipts') =>
  fc.record({ type: fc.constant(type), back: fc.nat(1), status: fc.constantFrom('delivered', 'permanent-failure') });
const others = ['expand', 'expand', 'deliver', 'deliver', 'add up', 'fold', 'next day', 'retention'] as const;
const step = fc.oneof(
  { weight: 5, arbitrary: file },
  { weight: 3, arbitrary: onFile('cancel') },
  { weight: 3, arbitrary: onFile('cancel while it expands') },
  { weight: 2, arbitrary: onFile('receipts') },
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom(...others) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What the test knows of a file without asking the product for figures. */
interface Sent {
  id: string;
  good: number;
  abroad: number;
  bad: number;
  /** The day whose limit its rows take, once it has started. */
  day: string | undefined;
  /** Rows that were given back to the limit of that day. */
  returned: number;
  returnedAbroad: number;
  /** Statuses of its messages, by id; they outlive the messages. */
  statuses: Map<string, string>;
}

const limit = 20;
const abroadLimit = 4;
const dayNow = () => harness.clock.now().toISOString().slice(0, 10);

async function walk(steps: readonly Step[]): Promise<void> {
  harness.clock.set('2026-11-16T12:00:00Z');
  const service = await aService(harness, {
    sms_message_limit: limit,
    international_sms_message_limit: abroadLimit,
    permissions: ['sms', 'international_sms'],
  });
  const world = { service, template: await aTemplate(harness, service), user: await aUser(harness) };
  const files: Sent[] = [];
  for (const each of steps) {
    await take(each, world, files);
    await noteMessages(files);
    await compare(service, files);
  }
}

interface World {
  service: string;
  template: string;
  user: string;
}

async function take(each: Step, world: World, files: Sent[]): Promise<void> {
  const chosen = 'back' in each ? files.at(-1 - each.back) : undefined;
  switch (each.type) {
    case 'start':
      return start(each, world, files);
    case 'cancel':
      return chosen && cancel(world.service, chosen);
    case 'cancel while it expands':
      return chosen && cancelWhileItExpands(world.service, chosen);
    case 'receipts': {
      const changes = [...(chosen?.statuses.keys() ?? [])].map((id) => ({ id, status: each.status, event: 'receipt' }));
      await inTransaction(harness.app.db, (tx) =>
        recordStatusChanges(harness.app.country, tx, changes as never, harness.clock.now()),
      );
      return;
    }
    case 'expand':
      return harness.runTasks();
    case 'deliver':
      return harness.deliver();
    case 'add up':
      await addUpChanges(harness.app.db);
      return;
    case 'fold':
      await foldRollups(harness.app.db);
      return;
    case 'next day':
      harness.clock.advance({ days: 1 });
      return;
    case 'retention':
      harness.clock.advance({ days: 9 });
      for (const name of ['apply-retention', 'archive-jobs']) await harness.addTask(name);
      return harness.runTasks();
  }
}

async function start(
  { good, abroad, bad, scheduled }: typeof file extends fc.Arbitrary<infer T> ? T : never,
  { service, template, user }: World,
  files: Sent[],
): Promise<void> {
  const rows = [
    ...smsRows(good).map((row, index) => (index < abroad && row ? { ...row, abroad: true } : row)),
    ...Array.from({ length: bad }, () => null),
  ];
  const id = await aCheckedUpload(harness, service, template, rows, { chunkSize: 1 });
  const at = new Date(harness.clock.now().getTime() + 3_600_000).toISOString();
  const { status, body } = await harness.admin('POST', `/service/${service}/job`, {
    id,
    created_by: user,
    on_error: 'skip',
    ...(scheduled ? { scheduled_for: at } : {}),
  });
  // Five may be unfinished.
  if (status === 429) return;
  expect(status, JSON.stringify(body)).toBe(201);
  const statuses = new Map<string, string>();
  const counts = { good, abroad: Math.min(good, abroad), bad };
  files.push({ id, ...counts, day: undefined, returned: 0, returnedAbroad: 0, statuses });
}

async function cancel(service: string, sent: Sent): Promise<void> {
  const { status } = await harness.admin('POST', `/service/${service}/job/${sent.id}/cancel`);
  if (status !== 200) return;
  const { messages, abroad } = await messagesNow(sent);
  // It may have started in this step.
  if (messages > 0) sent.day ??= dayNow();
  if (sent.day !== dayNow()) return;
  sent.returned = sent.good - messages;
  sent.returnedAbroad = sent.abroad - abroad;
}

/** Expanding waits for the second chunk, which is locked, until the request to cancel waits for the job. */
async function cancelWhileItExpands(service: string, sent: Sent): Promise<void> {
  const lock = await harness.app.pool.connect();
  let ended = false;
  try {
    await lock.query('begin');
    await lock.query('select from upload_chunks where upload_id = $1 and first_row = 1 for update', [sent.id]);
    const running = harness.runTasks().finally(() => {
      ended = true;
    });
    while (!ended && (await messagesNow(sent)).messages === 0) await sleep(5);
    const cancelling = cancel(service, sent);
    await sleep(50);
    await lock.query('rollback');
    await Promise.all([running, cancelling]);
  } finally {
    lock.release();
  }
}

/** Rows of a file are its messages from the first on; those abroad come first. */
async function messagesNow(sent: Sent) {
  const messages = await harness.app.db
    .selectFrom('notifications')
    .select('id')
    .where('job_id', '=', sent.id)
    .execute();
  return { messages: messages.length, abroad: Math.min(sent.abroad, messages.length) };
}

const recordOf = ({ id }: Sent) =>
  harness.app.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function noteMessages(files: Sent[]): Promise<void> {
  for (const sent of files) {
    const { status, reserved_day } = await recordOf(sent);
    if (status !== 'sending limits exceeded') sent.day ??= reserved_day ?? undefined;
    const rows = await harness.app.db
      .selectFrom('notifications')
      .select(['id', 'status'])
      .where('job_id', '=', sent.id)
      .execute();
    for (const { id, status } of rows) {
      // Messages that are cancelled were never handed over.
      const isCancelledNow = status === 'cancelled' && sent.statuses.get(id) !== 'cancelled';
      if (isCancelledNow && sent.day === dayNow()) sent.returned += 1;
      sent.statuses.set(id, status);
    }
  }
}

async function compare(service: string, files: Sent[]): Promise<void> {
  const counted = new Map<string, number>();
  const add = (key: string, count: number) => count > 0 && counted.set(key, (counted.get(key) ?? 0) + count);
  for (const sent of files) {
    const { data } = (await harness.admin('GET', `/service/${service}/job/${sent.id}`)).body;
    const naive = new Map<string, number>();
    for (const status of sent.statuses.values()) naive.set(status, (naive.get(status) ?? 0) + 1);
    const shown = data.statistics.map(({ status, count }: { status: string; count: number }) => [status, count]);
    expect(new Map(shown)).toEqual(naive);
    expect([data.rows_done, data.rows_skipped, data.notification_count]).toEqual([
      sent.statuses.size,
      sent.bad,
      sent.good + sent.bad,
    ]);
    const { reserved, reserved_international } = await recordOf(sent);
    const active = ['pending', 'in progress'].includes(data.job_status);
    const left = Math.max(0, sent.abroad - sent.statuses.size);
    expect([data.job_status, reserved, reserved_international]).toEqual([
      data.job_status,
      active ? sent.good - sent.statuses.size : 0,
      active ? left : 0,
    ]);
    if (sent.day === undefined) continue;
    add(`${sent.day} sms`, sent.good - sent.returned);
    add(`${sent.day} international_sms`, sent.abroad - sent.returnedAbroad);
  }
  const { rows } = await harness.app.pool.query<{ key: string; count: number }>(
    "select utc_day || ' ' || channel as key, count from daily_message_counts where service_id = $1 and count > 0",
    [service],
  );
  const stored = new Map(rows.map(({ key, count }) => [key, Number(count)]));
  for (const [key, count] of stored) expect([key, count]).toEqual([key, counted.get(key) ?? 0]);
  for (const key of counted.keys()) if (key.startsWith(dayNow())) expect(stored.has(key)).toBe(true);
}

it('the figures of jobs equal a naive count', async () => {
  const steps = fc.array(step, { minLength: 6, maxLength: 16 });
  await fc.assert(fc.asyncProperty(steps, walk), { numRuns: isLongRun ? 50 : 4 });
}, 120_000);
