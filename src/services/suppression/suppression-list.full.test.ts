import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf, queueOf } from '../../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { announceFailures } from '../../notifications/tasks-for-others.ts';
import { timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';
import { encryptToken } from '../settings/callback-api.ts';
import { allSuppressions, findSuppression } from './suppression-list.ts';

const harness = useHarness({
  now: '2026-11-03T12:00:00Z',
  config: { providers: { sandbox: { receipts: 'hold' }, ses: { verifySignatures: false } } },
});
const permissions = ['email', 'sms', 'suppress_recipients'];
const unknownId = newId(new Date());
const bounceText =
  'Can’t send to this recipient: an email to it bounced on 3 November 2026. Remove the address from the suppression list to send again.';

async function aSender(fields: Parameters<typeof aService>[1] = { permissions }) {
  const service = await aService(harness, fields);
  const key = await anApiKey(harness, service);
  const template_id = await aTemplate(harness, service, {
    template_type: 'email',
    subject: 's',
    content: 'c',
    has_unsubscribe_link: true,
  });
  const send = (email_address: string, as = key) =>
    harness.v2('POST', '/v2/notifications/email', as, { email_address, template_id });
  return { service, key, template_id, send };
}

const event = (id: string, fields: object) =>
  harness.request({
    method: 'POST',
    url: '/notifications/email/ses',
    payload: JSON.stringify({ mail: { messageId: id, timestamp: harness.clock.now().toISOString() }, ...fields }),
  });
const bounce = (id: string, bounceType = 'Permanent') =>
  event(id, { notificationType: 'Bounce', bounce: { bounceType } });
const complain = (id: string, feedbackId = 'f') =>
  event(id, { notificationType: 'Complaint', complaint: { feedbackId } });

async function unsubscribe(id: string, key: string) {
  const { body } = await harness.v2('GET', `/v2/notifications/${id}`, key);
  return harness.request({ method: 'POST', url: new URL(body.one_click_unsubscribe_url).pathname });
}

async function sent(sender: Awaited<ReturnType<typeof aSender>>, address: string): Promise<string> {
  const { body, status } = await sender.send(address);
  expect(status).toBe(201);
  await harness.deliver();
  return body.id;
}

const listOf = async (service: string) =>
  (await harness.admin('GET', `/service/${service}/suppression-list`)).body.suppressed_recipients;
const lift = (service: string, email_address: unknown) =>
  harness.admin('POST', `/service/${service}/suppression-list/lift`, { email_address });
const auditOf = (service: string) =>
  harness.app.db
    .selectFrom('audit_log')
    .select(['actor_type', 'action', 'before', 'after'])
    .where('service_id', '=', service)
    .where('noun', '=', 'suppressed_recipient')
    .orderBy('created_at')
    .execute();
const metric = async (name: string) =>
  Number(
    (await harness.request({ method: 'GET', url: '/metrics' })).text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')[1] ?? 0,
  );

describe('a service that suppresses recipients', () => {
  it('adds the address of an email that bounced hard, and refuses to send to it until it is lifted', async () => {
    const sender = await aSender();
    const [added, refused] = [
      'suppressed_recipients_added_total{reason="hard-bounce"}',
      'suppressed_sends_total{reason="hard-bounce"}',
    ];
    const before = { added: await metric(added), refused: await metric(refused) };
    const id = await sent(sender, ' Bob@Example.org ');
    const queued = await sender.send('bob@example.org');
    await bounce(id);
    const [entry, ...others] = await listOf(sender.service);
    expect(others).toEqual([]);
    expect(entry).toEqual({
      id: expect.any(String),
      email_address: 'bob@example.org',
      reason: 'hard-bounce',
      notification_id: id,
      created_at: expect.stringMatching(/^2026-11-03T12:/),
    });
    for (const spelling of ['bob@example.org', 'BOB@example.ORG', ' bob@example.org\t']) {
      const { status, body } = await sender.send(spelling);
      expect(status).toBe(400);
      expect(body.errors).toEqual([{ error: 'BadRequestError', message: bounceText }]);
    }
    expect((await sender.send('other@example.org')).status).toBe(201);
    // What was accepted before is sent.
    await harness.deliver();
    expect((await messageOf(harness, queued.body.id)).status).toBe('sending');
    expect({ added: await metric(added), refused: await metric(refused) }).toEqual({
      added: before.added + 1,
      refused: before.refused + 3,
    });
    expect(await auditOf(sender.service)).toEqual([]);

    expect((await lift(sender.service, ' BOB@example.org')).status).toBe(204);
    expect(await listOf(sender.service)).toEqual([]);
    expect((await sender.send('bob@example.org')).status).toBe(201);
    expect(await auditOf(sender.service)).toEqual([
      { actor_type: 'admin_client', action: 'delete', before: { rows: 1 }, after: null },
    ]);
    expect((await lift(sender.service, 'bob@example.org')).body).toEqual({
      result: 'error',
      message: 'This address is not on the suppression list',
    });
  });

  it('adds who complains or unsubscribes; the first reason stays, whatever follows and however often', async () => {
    const sender = await aSender();
    const [a, b] = [await sent(sender, 'a@example.org'), await sent(sender, 'b@example.org')];
    await unsubscribe(a, sender.key);
    await unsubscribe(a, sender.key);
    await complain(a);
    await complain(b);
    await complain(b);
    await bounce(b);
    const list = await listOf(sender.service);
    expect(list.map((entry: { email_address: string; reason: string }) => [entry.email_address, entry.reason])).toEqual(
      [
        ['b@example.org', 'complaint'],
        ['a@example.org', 'unsubscribe'],
      ],
    );
    expect((await sender.send('a@example.org')).body.errors[0].message).toContain(
      'the recipient unsubscribed on 3 November 2026',
    );
    expect((await sender.send('b@example.org')).body.errors[0].message).toContain(
      'the recipient reported an email as spam on 3 November 2026',
    );
    // A repeated report is not a new one.
    await lift(sender.service, 'b@example.org');
    await complain(b);
    await bounce(b);
    expect(await listOf(sender.service)).toHaveLength(1);
  });

  it('knows an address by its domain, in Unicode and in ASCII', async () => {
    const spellings = [
      'A@bücher.example',
      'a@xn--bcher-kva.example',
      'a@BU\u0308CHER.example',
      'a@xn--BCHER-kva.example',
    ];
    for (const written of spellings) {
      const sender = await aSender();
      await complain(await sent(sender, written));
      expect(await listOf(sender.service)).toMatchObject([{ email_address: 'a@bücher.example', reason: 'complaint' }]);
      for (const other of spellings) expect((await sender.send(other)).status, `${written}, ${other}`).toBe(400);
      expect((await sender.send('b@bücher.example')).status).toBe(201);
      const rows = [['email address'], ...spellings.map((other) => [other]), ['c@bücher.example']];
      const { key, template_id } = sender;
      const bulk = await harness.v2('POST', '/v2/notifications/bulk', key, { name: 'list', template_id, rows });
      await harness.runTasks();
      const ofJob = harness.app.db.selectFrom('notifications').select('status').where('job_id', '=', bulk.body.data.id);
      const statuses = (await ofJob.orderBy('job_row_number').execute()).map(({ status }) => status);
      expect(statuses).toEqual([...spellings.map(() => 'permanent-failure'), 'created']);
      const found = await findSuppression(harness.app.db, sender.service, 'a@xn--bcher-kva.example');
      expect(found?.reason).toBe('complaint');
      expect((await lift(sender.service, 'a@xn--bcher-kva.example')).status).toBe(204);
      for (const other of spellings) expect((await sender.send(other)).status).toBe(201);
    }
  });

  it.each(['a@bücher.example', 'a@xn--bcher-kva.example'])('still knows %s as it was stored before', async (stored) => {
    const sender = await aSender();
    const at = timestamp(harness.clock.now());
    const entry = { id: newId(harness.clock.now()), service_id: sender.service, notification_id: unknownId };
    await harness.app.db
      .insertInto('suppressed_recipients')
      .values({ ...entry, email_address: stored, reason: 'complaint', created_at: at })
      .execute();
    for (const other of ['a@bücher.example', 'a@xn--bcher-kva.example'])
      expect((await sender.send(other)).status).toBe(400);
    expect((await lift(sender.service, 'a@bücher.example')).status).toBe(204);
    expect(await listOf(sender.service)).toEqual([]);
  });

  it('adds nothing for soft bounces, unknown messages, other providers, texts and test keys', async () => {
    const sender = await aSender();
    await bounce(await sent(sender, 'soft@example.org'), 'Transient');
    await bounce('nobody');
    await complain('nobody');
    const elsewhere = await sent(sender, 'elsewhere@example.org');
    await harness.app.db.updateTable('notifications').set({ provider: 'smtp' }).where('id', '=', elsewhere).execute();
    await bounce(elsewhere);
    await complain(elsewhere);
    const text = await aQueuedMessage(harness, sender.service);
    await harness.deliver();
    await harness.request({
      method: 'POST',
      url: '/notifications/sms/mmg',
      payload: JSON.stringify({ status: '5', CID: text }),
    });
    expect((await messageOf(harness, text)).status).toBe('permanent-failure');
    const testKey = await anApiKey(harness, sender.service, { key_type: 'test' });
    const test = (await sender.send('perm-fail@simulator.notify', testKey)).body.id;
    await harness.deliver();
    expect((await messageOf(harness, test)).status).toBe('permanent-failure');
    expect((await unsubscribe(test, testKey)).status).toBe(200);
    expect(await listOf(sender.service)).toEqual([]);
  });

  it('sends with test keys to addresses on the list, and simulated ones stay simulated', async () => {
    const sender = await aSender();
    await bounce(await sent(sender, 'bob@example.org'));
    const testKey = await anApiKey(harness, sender.service, { key_type: 'test' });
    expect((await sender.send('bob@example.org', testKey)).status).toBe(201);
    expect((await sender.send('simulate-delivered@notifications.service.gov.uk')).status).toBe(201);
  });

  it('keeps its list while the permission is off, and uses it when it is on again', async () => {
    const sender = await aSender();
    await bounce(await sent(sender, 'bob@example.org'));
    const allow = (list: string[]) =>
      harness.admin('POST', `/service/${sender.service}`, { permissions: list, updated_by: unknownId });
    expect((await allow(['email', 'sms'])).status).toBe(200);
    await bounce(await sent(sender, 'bob@example.org'));
    await bounce(await sent(sender, 'carol@example.org'));
    expect(await listOf(sender.service)).toHaveLength(1);
    expect((await allow(permissions)).status).toBe(200);
    expect((await sender.send('bob@example.org')).status).toBe(400);
    expect((await sender.send('carol@example.org')).status).toBe(201);
  });

  it('refuses messages from the front end, too', async () => {
    const sender = await aSender();
    await bounce(await sent(sender, 'bob@example.org'));
    const created_by = await aUser(harness);
    await harness.admin('POST', `/service/${sender.service}/users/${created_by}`, { permissions: [] });
    const { status, body } = await harness.admin('POST', `/service/${sender.service}/send-notification`, {
      ...{ template_id: sender.template_id, to: 'Bob@example.org', created_by },
    });
    expect([status, body.message]).toEqual([400, bounceText]);
  });

  it('fails rows of files at once: not sent, not billed, with a callback, and exact figures', async () => {
    const sender = await aSender();
    const { service, key, template_id } = sender;
    await bounce(await sent(sender, 'bob@example.org'));
    await harness.app.db
      .insertInto('service_callback_api')
      .values({
        ...{ id: newId(harness.clock.now()), service_id: service, callback_type: 'delivery_status', version: 1 },
        url: 'https://example.org/callback',
        encrypted_bearer_token: encryptToken(
          harness.app,
          { service_id: service, callback_type: 'delivery_status' },
          'token-of-ten',
        ),
        created_at: timestamp(harness.clock.now()),
        updated_by_id: await aUser(harness),
      })
      .execute();
    const rows = [['email address'], ['a@example.org'], ['BOB@example.org'], ['c@example.org'], ['bob@example.org']];
    const bulk = (as: string) => harness.v2('POST', '/v2/notifications/bulk', as, { name: 'list', template_id, rows });
    const { status, body } = await bulk(key);
    expect(status).toBe(201);
    await harness.runTasks();
    const job = body.data.id;
    const ofJob = await harness.app.db
      .selectFrom('notifications')
      .select(['id', 'status', 'provider', 'sent_at', 'updated_at'])
      .where('job_id', '=', job)
      .orderBy('job_row_number')
      .execute();
    expect(ofJob.map((row) => row.status)).toEqual(['created', 'permanent-failure', 'created', 'permanent-failure']);
    const [, failed, , second] = ofJob;
    expect(failed).toMatchObject({ provider: null, sent_at: null, updated_at: expect.any(String) });
    expect(await queueOf(harness, failed?.id ?? '')).toBeUndefined();
    await harness.deliver();
    const callbacks = await harness.app.db
      .selectFrom('service_callbacks')
      .select(['subject_id', 'body'])
      .where('service_id', '=', service)
      .orderBy('subject_id')
      .execute();
    expect(callbacks.map(({ subject_id }) => subject_id)).toEqual([failed?.id, second?.id].sort());
    expect(JSON.parse(callbacks[0]?.body ?? '')).toMatchObject({
      status: 'permanent-failure',
      sent_at: null,
      completed_at: expect.any(String),
    });
    await harness.app.queue.add(harness.app.db, announceFailures, { notification_ids: ofJob.map(({ id }) => id) });
    await harness.runTasks();
    const { rows: usage } = await sql<{ sent: number }>`
      select coalesce(sum(notifications_sent), 0)::int as sent from usage_counts where service_id = ${service}`.execute(
      harness.app.db,
    );
    // The email that bounced, and two rows.
    expect(usage).toEqual([{ sent: 3 }]);
    const record = (await harness.admin('GET', `/service/${service}/job/${job}`)).body.data;
    expect(record.statistics).toEqual(
      expect.arrayContaining([
        { status: 'sending', count: 2 },
        { status: 'permanent-failure', count: 2 },
      ]),
    );
    expect(record.statistics).toHaveLength(2);
    await harness.addTask('reconcile-rollups');
    await harness.runTasks();
    expect(harness.logged.filter((line) => line.includes('rollups.compared'))).toHaveLength(1);
    const repaired = harness.logged.filter((line) => line.includes('rollup.repaired') && line.includes(service));
    expect(repaired).toEqual([]);

    const testKey = await anApiKey(harness, service, { key_type: 'test' });
    const tried = (await bulk(testKey)).body.data.id;
    await harness.runTasks();
    const statuses = await harness.app.db
      .selectFrom('notifications')
      .select('status')
      .distinct()
      .where('job_id', '=', tried)
      .execute();
    expect(statuses).toEqual([{ status: 'created' }]);
  });
});

describe('a service without the permission', () => {
  it('keeps no list', async () => {
    const sender = await aSender({});
    const id = await sent(sender, 'bob@example.org');
    await bounce(id);
    await complain(id);
    await unsubscribe(id, sender.key);
    expect(await listOf(sender.service)).toEqual([]);
    expect((await sender.send('bob@example.org')).status).toBe(201);
  });
});

describe('GET /service/{id}/suppression-list', () => {
  it('404 for an unknown service, 400 for a wrong cursor', async () => {
    expect((await harness.admin('GET', `/service/${unknownId}/suppression-list`)).status).toBe(404);
    const service = await aService(harness);
    expect((await harness.admin('GET', `/service/${service}/suppression-list?older_than=x`)).status).toBe(400);
  });

  it('200, page by page: 3,000 entries, each once, newest first', async () => {
    const service = await aService(harness);
    await sql`insert into suppressed_recipients
      select gen_random_uuid(), ${service}, 'person-' || n || '@example.org', 'complaint', gen_random_uuid(), now()
      from generate_series(1, 3000) n`.execute(harness.app.db);
    const path = `/service/${service}/suppression-list`;
    const first = (await harness.admin('GET', path)).body;
    const second = (await harness.admin('GET', `${path}?older_than=${first.older_than}`)).body;
    const ids = [...first.suppressed_recipients, ...second.suppressed_recipients].map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    expect(ids).toHaveLength(500);
    const seen = new Set<string>();
    for await (const entries of allSuppressions(harness.app, service)) for (const { id } of entries) seen.add(id);
    expect(seen.size).toBe(3000);
    const last = (await harness.admin('GET', `${path}?older_than=${[...seen][2900]}`)).body;
    expect([last.suppressed_recipients.length, last.older_than]).toEqual([99, null]);
  });
});

describe('POST /service/{id}/suppression-list/lift', () => {
  it.each([['nobody'], ['a@b'], [''], ['x'.repeat(700)]])('400 for the address %s', async (address) => {
    const { status, body } = await lift(await aService(harness), address);
    expect(status).toBe(400);
    expect(Object.keys(body.message)).toEqual(['email_address']);
  });

  it('400 without an address, 404 for an unknown service and for an entry of another service', async () => {
    const sender = await aSender();
    await bounce(await sent(sender, 'bob@example.org'));
    expect((await lift(sender.service, undefined)).status).toBe(400);
    expect((await lift(unknownId, 'bob@example.org')).status).toBe(404);
    expect((await lift(await aService(harness), 'bob@example.org')).status).toBe(404);
    expect(await listOf(sender.service)).toHaveLength(1);
  });
});

describe('/v2/suppressed-recipients', () => {
  const path = '/v2/suppressed-recipients';

  it('200 with the own list only, 200 for lifting, recorded in the audit log with the key', async () => {
    const sender = await aSender();
    const other = await aSender();
    await bounce(await sent(sender, 'bob@example.org'));
    expect((await harness.v2('GET', path, other.key)).body.suppressed_recipients).toEqual([]);
    const { status, body } = await harness.v2('GET', path, sender.key);
    expect([status, body.suppressed_recipients[0].email_address]).toEqual([200, 'bob@example.org']);
    expect(body.links).toEqual({ current: expect.stringMatching(/\/v2\/suppressed-recipients$/) });
    const liftAs = (key: string, email_address: unknown) =>
      harness.v2('POST', `${path}/lift`, key, { email_address }, { 'content-type': 'application/json' });
    expect((await liftAs(other.key, 'bob@example.org')).status).toBe(404);
    expect((await liftAs(sender.key, 'bob')).body.errors).toEqual([
      { error: 'ValidationError', message: 'email_address Not a valid email address' },
    ]);
    expect((await liftAs(sender.key, 7)).status).toBe(400);
    const testKey = await anApiKey(harness, sender.service, { key_type: 'test' });
    expect((await liftAs(testKey, 'bob@example.org')).status).toBe(403);
    expect(await liftAs(sender.key, 'Bob@example.org')).toMatchObject({
      status: 200,
      body: { email_address: 'bob@example.org' },
    });
    expect(await auditOf(sender.service)).toEqual([
      { actor_type: 'api_key', action: 'delete', before: { rows: 1 }, after: null },
    ]);
    expect((await harness.v2('GET', `${path}?page=2`, sender.key)).status).toBe(400);
  });
});

it('no log line has an address of a list', () => {
  expect(harness.logged.filter((line) => /bob@example|carol@example/i.test(line))).toEqual([]);
});
