import { beforeEach, describe, expect, it } from 'vitest';
import { aJob } from '../../test/kit/builders/jobs.ts';
import { aNotification, anApiKey, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { deleteOldDocuments } from '../documents/documents.ts';
import { deleteOldInboundTexts, recordInboundText } from '../inbound/inbound-texts.ts';
import { inTransaction } from '../platform/db/database.ts';
import { firstIdAt } from '../platform/id.ts';
import type { Channel } from '../protocol/channels.ts';
import type { NewNotification } from './notification.ts';
import { partitionOf, preparePartitions } from './partitions.ts';
import { applyRetention, deleteExpiredData } from './retention.ts';
import { addUpChanges } from './rollups/rollups.ts';
import { recordStatusChanges } from './status.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let sms: string;
let letters: string;

beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness);
  sms = await aTemplate(harness, service);
  letters = await aTemplate(harness, service, { template_type: 'letter' });
});

async function sentAt(moment: string, fields: Partial<NewNotification> = {}, of = service): Promise<string> {
  const now = harness.clock.now();
  harness.clock.set(moment);
  const template = fields.notification_type === 'letter' ? letters : sms;
  const id = await aNotification(harness, of, template, { status: 'delivered', ...fields });
  harness.clock.set(now);
  return id;
}

async function keeps(of: string, notification_type: Channel, days_of_retention: number): Promise<void> {
  const response = await harness.admin('POST', `/service/${of}/data-retention`, {
    notification_type,
    days_of_retention,
  });
  expect(response.status).toBe(201);
}

async function left(): Promise<string[]> {
  const rows = await harness.app.db.selectFrom('notifications').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

async function partitions(): Promise<string[]> {
  const { rows } = await harness.app.pool.query(
    `select relname from pg_class where relispartition and relkind = 'r' and relname like 'notifications_%' order by 1`,
  );
  return rows.map(({ relname }) => relname);
}

async function partitionHolding(id: string): Promise<string> {
  const { rows } = await harness.app.pool.query(
    'select tableoid::regclass::text as name from notifications where id = $1',
    [id],
  );
  return rows[0]?.name;
}

describe('retention', () => {
  beforeEach(async () => {
    await harness.app.db.deleteFrom('notifications').execute();
    await harness.app.db.deleteFrom('delivery_queue').execute();
    await harness.app.db.deleteFrom('service_data_retention').execute();
  });

  it('deletes messages older than seven London days with their queue entries; keeps statistics', async () => {
    const old = await sentAt('2026-11-08T23:59:59Z');
    const kept = await sentAt('2026-11-09T00:00:00Z', { key_type: 'test' });
    await sentAt('2026-11-08T23:00:00Z', { key_type: 'test' });
    await applyRetention(harness.app);
    expect(await left()).toEqual([kept]);
    const queue = await harness.app.db.selectFrom('delivery_queue').select('notification_id').execute();
    expect(queue.map(({ notification_id }) => notification_id)).toEqual([kept]);
    await addUpChanges(harness.app.db);
    const counts = await harness.app.db
      .selectFrom('daily_status_counts')
      .select('count')
      .where('service_id', '=', service)
      .execute();
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    const key = await anApiKey(harness, service);
    expect((await harness.v2('GET', `/v2/notifications/${old}`, key)).status).toBe(404);
  });

  it('uses London midnight in summer', async () => {
    await sentAt('2026-07-01T22:59:59Z');
    const kept = await sentAt('2026-07-01T23:00:00Z');
    harness.clock.set('2026-07-09T03:00:00Z');
    await applyRetention(harness.app);
    expect(await left()).toEqual([kept]);
  });

  it('applies the rules of each service by channel', async () => {
    const other = await aService(harness);
    await keeps(service, 'sms', 3);
    await keeps(service, 'letter', 30);
    await keeps(other, 'sms', 30);
    await sentAt('2026-11-12T12:00:00Z');
    const young = await sentAt('2026-11-13T12:00:00Z');
    const letter = await sentAt('2026-11-01T12:00:00Z', { notification_type: 'letter', status: 'delivered' });
    await sentAt('2026-10-01T12:00:00Z', { notification_type: 'letter', status: 'delivered' });
    const theirs = await sentAt('2026-11-01T12:00:00Z', {}, other);
    await applyRetention(harness.app);
    expect((await left()).sort()).toEqual([young, letter, theirs].sort());
  });

  it('applies to messages of jobs, in every table', async () => {
    const keeper = await aService(harness);
    await keeps(service, 'sms', 3);
    await keeps(keeper, 'sms', 30);
    const without = await aService(harness);
    const job_id = await aJob(harness, service, sms);
    const rows: string[] = [];
    for (const [moment, of] of [
      ['2026-11-01T12:00:00Z', keeper],
      ['2026-11-14T12:00:00Z', service],
      ['2026-10-01T12:00:00Z', keeper],
      ['2026-11-12T12:00:00Z', service],
      ['2026-11-01T12:00:00Z', without],
    ] as const) {
      rows.push(await sentAt(moment, {}, of));
    }
    await harness.app.db.updateTable('notifications').set({ job_id, job_row_number: 0 }).execute();
    await applyRetention(harness.app);
    expect((await left()).sort()).toEqual(rows.slice(0, 2).sort());
  });

  it.each(['created', 'sending', 'pending'] as const)(
    'keeps a text message in %s until it is final',
    async (status) => {
      await keeps(service, 'sms', 0);
      const id = await sentAt('2026-11-15T20:00:00Z', { status });
      await sentAt('2026-11-15T20:00:00Z');
      await applyRetention(harness.app);
      expect(await left()).toEqual([id]);
      const change = { id, status: 'delivered', event: 'receipt' } as const;
      await inTransaction(harness.app.db, (tx) =>
        recordStatusChanges(harness.app.country, tx, [change], harness.clock.now()),
      );
      await applyRetention(harness.app);
      expect(await left()).toEqual([]);
    },
  );

  it('sends a message scheduled overnight even if its service retains nothing', async () => {
    await keeps(service, 'sms', 0);
    const key = await anApiKey(harness, service);
    harness.clock.set('2026-11-16T20:00:00Z');
    const message = { phone_number: '07700900123', template_id: sms, personalisation: { name: 'Ada' } };
    const scheduled_for = '2026-11-17T10:30:00Z';
    const accepted = await harness.v2('POST', '/v2/notifications/sms', key, { ...message, scheduled_for });
    expect(accepted.status).toBe(201);
    harness.clock.set('2026-11-17T03:00:00Z');
    await applyRetention(harness.app);
    harness.clock.set('2026-11-17T10:31:00Z');
    await harness.deliver();
    const { body } = await harness.v2('GET', `/v2/notifications/${accepted.body.id}`, key);
    expect(body.status).toMatch(/sending|delivered/);
  });

  it('keeps everything with a rule of a hundred years', async () => {
    await keeps(service, 'sms', 36_500);
    const id = await sentAt('2026-11-01T12:00:00Z');
    await applyRetention(harness.app);
    expect(await left()).toEqual([id]);
  });

  it.each(['created', 'sending', 'pending-virus-check'] as const)('keeps a letter in %s', async (status) => {
    const id = await sentAt('2026-11-01T12:00:00Z', { notification_type: 'letter', status });
    await applyRetention(harness.app);
    expect(await left()).toEqual([id]);
  });

  it('deletes many messages in small batches', async () => {
    for (let made = 0; made < 30; made += 1) await sentAt('2026-11-01T12:00:00Z');
    await applyRetention(harness.app);
    expect(await left()).toEqual([]);
  });

  it('applies the rule for text messages to inbound texts', async () => {
    await keeps(service, 'sms', 30);
    const other = await aService(harness);
    const receive = async (of: string) => {
      const text = { service_id: of, notify_number: '1', user_number: '2', content: 'x', provider: 'mmg' };
      const old = new Date('2026-11-01T12:00:00Z');
      return (await inTransaction(harness.app.db, (tx) => recordInboundText(tx, harness.app.country.phone, text, old)))
        .id;
    };
    const kept = await receive(service);
    await receive(other);
    await deleteOldInboundTexts(harness.app);
    const texts = await harness.app.db.selectFrom('inbound_sms').select('id').execute();
    expect(texts).toEqual([{ id: kept }]);
  });

  it('deletes expired files, idempotency keys and old counters', async () => {
    const emails = await aService(harness, { contact_link: 'https://example.org' });
    const key = await anApiKey(harness, emails);
    const template_id = await aTemplate(harness, emails, { template_type: 'email', content: '((f))', subject: 's' });
    const send = (retention_period: string) =>
      harness.v2(
        'POST',
        '/v2/notifications/email',
        key,
        { email_address: 'a@example.org', template_id, personalisation: { f: { file: 'aGk=', retention_period } } },
        { 'idempotency-key': retention_period },
      );
    expect((await send('1 week')).status).toBe(201);
    expect((await send('2 weeks')).status).toBe(201);
    expect(harness.files.kept.size).toBe(2);
    harness.clock.set('2026-11-23T12:00:00Z');
    await deleteExpiredData(harness.app);
    await deleteOldDocuments(harness.app);
    expect(harness.files.kept.size).toBe(1);
    expect(await harness.app.db.selectFrom('documents').select('id').execute()).toHaveLength(1);
    expect(await harness.app.db.selectFrom('idempotency_keys').select('key').execute()).toEqual([]);
    expect(await harness.app.db.selectFrom('daily_message_counts').select('count').execute()).toEqual([]);
  });
});

describe('partitions', () => {
  it('are created once for today and a week ahead, and take in waiting messages', async () => {
    const early = await sentAt('2026-11-16T10:00:00Z');
    expect(await partitionHolding(early)).toBe('notifications_default');
    await Promise.all([preparePartitions(harness.app), preparePartitions(harness.app)]);
    await preparePartitions(harness.app);
    const made = await partitions();
    expect(made.filter((name) => name !== 'notifications_default')).toEqual(
      ['16', '17', '18', '19', '20', '21', '22', '23'].map((day) => `notifications_202611${day}`),
    );
    expect(await partitionHolding(early)).toBe('notifications_20261116');
    expect(await partitionHolding(await sentAt('2026-11-16T23:59:59.999Z'))).toBe('notifications_20261116');
    expect(await partitionHolding(await sentAt('2026-11-17T00:00:00Z'))).toBe('notifications_20261117');
    expect(await partitionHolding(await sentAt('2027-11-17T00:00:00Z'))).toBe('notifications_default');
    const { rows } = await harness.app.pool.query(
      `select count(*)::int as n from pg_indexes where tablename = 'notifications_20261116'`,
    );
    expect(rows[0].n).toBeGreaterThanOrEqual(4);
  });

  it('status changes apply to messages of several days in one statement', async () => {
    const ids = [
      await sentAt('2026-11-16T11:00:00Z', { status: 'created' }),
      await sentAt('2026-11-17T11:00:00Z', { status: 'created' }),
      await sentAt('2027-11-17T00:00:00Z', { status: 'created' }),
    ];
    const changed = await inTransaction(harness.app.db, (tx) =>
      recordStatusChanges(
        harness.app.country,
        tx,
        ids.map((id) => ({ id, status: 'sending', event: 'handedOver' })),
        harness.clock.now(),
      ),
    );
    expect(changed.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  it('are dropped even if some messages are retained: those move to a small partition in their place', async () => {
    await harness.app.db.deleteFrom('notifications').execute();
    await preparePartitions(harness.app);
    const keeper = await aService(harness);
    await keeps(keeper, 'sms', 60);
    const kept = await sentAt('2026-11-17T12:00:00Z', {}, keeper);
    const unfinished = await sentAt('2026-11-17T13:00:00Z', { notification_type: 'letter', status: 'sending' });
    const ofJob = await sentAt('2026-11-17T14:00:00Z', {}, keeper);
    const row = { job_id: await aJob(harness, keeper, sms), job_row_number: 0 };
    await harness.app.db.updateTable('notifications').set(row).where('id', '=', ofJob).execute();
    const gone = await sentAt('2026-11-17T12:00:00Z');
    harness.clock.set('2026-11-26T03:00:00Z');
    await applyRetention(harness.app);
    expect((await partitions()).filter((name) => name !== 'notifications_default')).toEqual([
      'notifications_20261117_kept',
      ...['19', '20', '21', '22', '23'].map((day) => `notifications_202611${day}`),
    ]);
    const { rows } = await harness.app.pool.query('select id from notifications_20261117_kept order by id');
    expect(rows.map(({ id }) => id)).toEqual([kept, unfinished, ofJob]);
    expect(await left()).not.toContain(gone);
    const changes = [{ id: unfinished, status: 'delivered', event: 'despatched' }] as const;
    await inTransaction(harness.app.db, (tx) =>
      recordStatusChanges(harness.app.country, tx, [...changes], harness.clock.now()),
    );
    await applyRetention(harness.app);
    expect(await left()).not.toContain(unfinished);
    expect(await partitionHolding(kept)).toBe('notifications_20261117_kept');
  });

  it('of a past month are merged, and dropped when empty', async () => {
    const keeper = await aService(harness);
    await keeps(keeper, 'sms', 60);
    harness.clock.set('2027-01-01T12:00:00Z');
    await preparePartitions(harness.app);
    const kept: string[] = [];
    for (const day of ['02', '05', '08']) kept.push(await sentAt(`2027-01-${day}T12:00:00Z`, {}, keeper));
    harness.clock.set('2027-01-20T03:00:00Z');
    await applyRetention(harness.app);
    expect((await partitions()).filter((name) => name.startsWith('notifications_2027'))).toEqual(
      ['02', '05', '08'].map((day) => `notifications_202701${day}_kept`),
    );
    harness.clock.set('2027-02-09T03:00:00Z');
    await applyRetention(harness.app);
    for (const id of kept) expect(await partitionHolding(id)).toBe('notifications_202701_kept');
    harness.clock.set('2027-03-07T03:00:00Z');
    await applyRetention(harness.app);
    expect((await left()).filter((id) => kept.includes(id))).toEqual([kept[2]]);
    harness.clock.set('2027-03-20T03:00:00Z');
    await applyRetention(harness.app);
    expect((await partitions()).filter((name) => name.startsWith('notifications_2027'))).toEqual([]);
  });

  it('begin and end with the London day in summer', async () => {
    harness.clock.set('2027-07-01T12:00:00Z');
    await preparePartitions(harness.app);
    const last = await sentAt('2027-07-01T22:59:59Z');
    const first = await sentAt('2027-07-01T23:00:00Z');
    expect(await partitionHolding(last)).toBe('notifications_20270701');
    expect(await partitionHolding(first)).toBe('notifications_20270702');
    harness.clock.set('2027-07-09T03:00:00Z');
    await applyRetention(harness.app);
    expect(await partitions()).not.toContain('notifications_20270701');
    expect(await left()).toContain(first);
  });

  it('begin where a partition with another range ends', async () => {
    harness.clock.set('2027-08-01T12:00:00Z');
    const midnight = (day: string) => firstIdAt(new Date(`${day}T00:00:00Z`));
    await harness.app.pool.query(`create table notifications_20270801 partition of notifications
      for values from ('${midnight('2027-08-01')}') to ('${midnight('2027-08-02')}')`);
    await preparePartitions(harness.app);
    expect(await partitionHolding(await sentAt('2027-08-01T23:30:00Z'))).toBe('notifications_20270801');
    expect(await partitionHolding(await sentAt('2027-08-02T00:00:00Z'))).toBe('notifications_20270802');
  });

  it('leave too many messages in the default partition and begin an hour later', async () => {
    harness.clock.set('2027-09-01T12:00:00Z');
    await sentAt('2027-09-01T11:00:00Z');
    const columns = `service_id, template_id, template_version, notification_type, key_type, status, recipient, created_at`;
    await harness.app.pool.query(
      `insert into notifications_default (id, ${columns})
      select (left(id::text, 24) || lpad(to_hex(number), 12, '0'))::uuid, ${columns}
      from notifications_default cross join generate_series(1, 5001) as number where id >= $1`,
      [firstIdAt(new Date('2027-09-01T11:00:00Z'))],
    );
    await preparePartitions(harness.app);
    expect(await partitionHolding(await sentAt('2027-09-01T12:59:59Z'))).toBe('notifications_default');
    expect(await partitionHolding(await sentAt('2027-09-01T13:00:00Z'))).toBe('notifications_20270901');
    await harness.app.db.deleteFrom('notifications').execute();
  });

  it('cover every instant exactly once', () => {
    expect(partitionOf(harness.app.country.calendar, '2026-11-16').to_id).toBe(
      partitionOf(harness.app.country.calendar, '2026-11-17').from_id,
    );
  });
});
