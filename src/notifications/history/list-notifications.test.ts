import { sql } from 'kysely';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { somePastMessages } from '../../../test/kit/builders/messages.ts';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { firstIdAt, nilId } from '../../platform/id.ts';
import { listLimits } from './list-notifications.ts';
import { reportActivity } from './search-messages.ts';

/** Lists of a service with many messages: what a request reads is bounded, and the response says how to go on. */

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const messages = 45_000;
let service: string;
let template: string;
let key: string;
/** They are among many that were delivered. */
let failed: { newest: string; oldest: string };
let sending: string;

beforeAll(async () => {
  service = await aService(harness);
  template = await aTemplate(harness, service);
  key = await anApiKey(harness, service);
  const past = { service_id: service, notification_type: 'sms', template_id: template } as const;
  const [oldest = ''] = await somePastMessages(harness, [
    { ...past, created_at: '2026-11-16T01:00:00Z', status: 'permanent-failure' },
  ]);
  await manyDelivered();
  const [newest = '', unfinished = ''] = await somePastMessages(harness, [
    { ...past, created_at: '2026-11-16T11:00:00Z', status: 'permanent-failure' },
    { ...past, created_at: '2026-11-16T11:00:01Z', status: 'sending' },
  ]);
  failed = { newest, oldest };
  sending = unfinished;
});

/** One every 100 ms, from two o'clock on. */
async function manyDelivered(): Promise<void> {
  const { db } = harness.app;
  const start = Date.parse('2026-11-16T02:00:00Z');
  const prefix = firstIdAt(new Date(start)).slice(14, 24);
  await sql`insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, status,
      recipient, personalisation, created_at)
    select (lpad(to_hex(moment), 12, '0') || replace(${prefix}, '-', '') || lpad(to_hex(number), 12, '0'))::uuid, ${service},
      ${template}, 1, 'sms', 'normal', 'delivered', '07700900123', '{}', to_timestamp(moment / 1000.0)
    from (select number, ${start}::bigint + number * 100 as moment from generate_series(1, ${messages}::bigint) as number) m`.execute(
    db,
  );
  await sql`insert into daily_status_counts (london_day, service_id, template_id, notification_type, key_type, status, count,
      folded, folded_count)
    values ('2026-11-16', ${service}, ${template}, 'sms', 'normal', 'delivered', ${messages}, false, 0)`.execute(db);
}

/** With limits a tenth as high, a service behaves as if it had ten times as many messages. */
function readAtMost(read: number, newer = read): void {
  const usual = { ...listLimits };
  Object.assign(listLimits, { read, newer });
  onTestFinished(() => {
    Object.assign(listLimits, usual);
  });
}

const list = (query: string) => harness.admin('GET', `/service/${service}/notifications?${query}`);
const publicList = (query: string) => harness.v2('GET', `/v2/notifications?${query}`, key);
const idsIn = (body: { notifications: { id: string }[] }) => body.notifications.map(({ id }) => id);
const cursorIn = (text: string) => /older_than=([0-9a-f-]{36})/.exec(text)?.[1] ?? '';

describe('a page that is far back', () => {
  it('200 where a request looks, and at any depth after older_than', async () => {
    const { body } = await list('page=800&page_size=50');
    expect(body.links).toEqual({ prev: true, next: true });
    expect(body.notifications).toHaveLength(50);
    readAtMost(0);
    const next = await list(`older_than=${body.notifications[49].id}&page_size=50`);
    expect(next.body.notifications).toHaveLength(50);
    const whole = await list('page=801&page_size=50');
    expect(whole.status).toBe(400);
  });

  it('400 beyond that, with the id to go on from', async () => {
    readAtMost(20_000);
    const { status, body } = await list('page=801&page_size=50');
    expect([status, body.message]).toEqual([
      400,
      expect.stringMatching(
        /^This page is more than 20,000 messages back. To list older messages, use older_than=[0-9a-f-]{36} without page$/,
      ),
    ]);
    expect((await list(`older_than=${cursorIn(body.message)}`)).body.notifications).toHaveLength(50);
  });

  it('200 with nothing beyond the end', async () => {
    const { status, body } = await list('page=2000&page_size=50');
    expect([status, body.notifications]).toEqual([200, []]);
    const far = await harness.admin('GET', `/service/${service}/notifications/csv?page=1000000&page_size=10000`);
    expect([far.status, far.body.notifications]).toEqual([200, []]);
  });
});

describe('messages of a rare status', () => {
  it('200 with all of them, wherever they are', async () => {
    const { body } = await list('status=failed');
    expect([idsIn(body), body.links]).toEqual([[failed.newest, failed.oldest], {}]);
    expect(idsIn((await publicList('status=failed')).body)).toEqual([failed.newest, failed.oldest]);
    expect(idsIn((await publicList(`status=failed&older_than=${failed.oldest}`)).body)).toEqual([]);
  });

  it('200 with those that were found, then 400 with the id to go on from', async () => {
    readAtMost(20_000);
    const { body } = await list('status=failed');
    expect([idsIn(body), body.links]).toEqual([[failed.newest], { next: true }]);
    expect(idsIn((await publicList('status=failed')).body)).toEqual([failed.newest]);
    const refused = await publicList(`status=failed&older_than=${failed.newest}`);
    expect([refused.status, refused.body.errors[0]]).toEqual([
      400,
      {
        error: 'BadRequestError',
        message: expect.stringMatching(
          /^None of the last 20,000 messages matches. To search older messages, use older_than=[0-9a-f-]{36}$/,
        ),
      },
    ]);
    let found = refused;
    for (let times = 0; found.status === 400 && times < 5; times += 1)
      found = await publicList(`status=failed&older_than=${cursorIn(found.body.errors[0].message)}`);
    expect(idsIn(found.body)).toEqual([failed.oldest]);
  });

  it('200 without a further search once the statistics say that all were found', async () => {
    readAtMost(20_000);
    const { body } = await list('status=sending');
    expect([idsIn(body), body.links]).toEqual([[sending], {}]);
    const { status, body: rest } = await publicList(`status=sending&older_than=${sending}`);
    expect([status, rest.notifications]).toEqual([200, []]);
  });
});

describe('a search by recipient', () => {
  it('200 with those that were found, 400 where none was found yet', async () => {
    expect((await list('to=07700900999')).body.notifications).toEqual([]);
    readAtMost(20_000);
    expect(idsIn((await list('to=someone')).body)).toEqual([sending, failed.newest]);
    const { status, body } = await list('to=07700900999');
    expect([status, body.message]).toEqual([400, expect.stringContaining('use older_than=')]);
    const sought = await harness.admin('POST', `/service/${service}/notifications`, { to: '07700900999' });
    expect(sought.status).toBe(400);
    expect(JSON.stringify(sought.body)).not.toContain('07700900999');
  });

  it('reads no further back than the days that were asked for', async () => {
    readAtMost(0);
    harness.clock.set('2026-11-18T12:00:00Z');
    expect((await list('to=07700900999&limit_days=1')).body.notifications).toEqual([]);
    harness.clock.set('2026-11-16T12:00:00Z');
  });
});

describe('a download of messages that match nothing', () => {
  it('ends at the next part when it is cancelled, and does not read all messages first', async () => {
    const range = { first_id: nilId, end_id: firstIdAt(new Date('2026-11-17T00:00:00Z')) };
    const parts = reportActivity(harness.app, service, { statuses: ['virus-scan-failed'] }, range);
    expect((await parts.next()).value).toMatch(/^Recipient,/);
    const next = parts.next();
    const ended = parts.return('');
    expect(await next).toEqual({ value: '', done: false });
    expect((await ended).done).toBe(true);
  });
});
