import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../../test/kit/harness.ts';
import { aPerson, joinService, password, signedIn } from '../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../test/kit/world/console-visitor.ts';
import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { type Actor, actAs, currentActor } from '../../platform/db/actor.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { newId } from '../../platform/id.ts';
import { readAuditEntries } from './audit-log.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

async function entriesOf(thingId: string) {
  const found = [];
  for await (const part of readAuditEntries(harness.app, { thing_id: thingId })) found.push(...part);
  return found;
}

const someActor = (): Actor => ({ type: 'command', client: 'test', at: harness.clock.now().toISOString() });

describe('a change by an admin client', () => {
  it('has an entry with the client, the user it names, and only what changed', async () => {
    const [service, created_by] = [await aService(harness, { name: 'Before' }), await aUser(harness)];
    const answer = await harness.request({
      method: 'POST',
      url: `/service/${service}`,
      headers: {
        authorization: `Bearer ${adminToken(harness.clock)}`,
        'user-agent': 'front end',
        'x-b3-traceid': 'abcdef0123456789',
      },
      remoteAddress: '192.0.2.7',
      payload: { name: 'After', created_by },
    });
    expect(answer.status).toBe(200);
    expect(await entriesOf(service)).toMatchObject([
      {
        actor_type: 'admin_client',
        client: 'notify-admin',
        user_id: null,
        claimed_user_id: created_by,
        claimed_user_name: 'Ada Sender',
        created_at: '2026-11-15T12:00:00.000000Z',
        address: '192.0.2.7',
        user_agent: 'front end',
        request_id: 'abcdef0123456789',
        request: 'POST /service/:service_id',
        action: 'update',
        noun: 'service',
        service_id: service,
        service_name: 'After',
        before: { name: 'Before' },
        after: { name: 'After' },
      },
    ]);
  });

  it('has none when it failed, and none when nothing changed', async () => {
    const [one, other] = [await aService(harness, { name: 'Taken' }), await aService(harness, { name: 'Free' })];
    const created_by = await aUser(harness);
    expect((await harness.admin('POST', `/service/${other}`, { name: 'Taken', created_by })).status).toBe(400);
    expect((await harness.admin('POST', `/service/${one}`, { name: 'Taken', created_by })).status).toBe(200);
    expect([await entriesOf(one), await entriesOf(other)]).toEqual([[], []]);
  });

  it('fails with everything else in its transaction when the entry cannot be written', async () => {
    const user = await aUser(harness, { name: 'Before' });
    await sql`alter table audit_log add constraint broken check (thing_id <> ${sql.lit(user)})`.execute(harness.app.db);
    try {
      expect((await harness.admin('POST', `/user/${user}`, { name: 'After' })).status).toBe(500);
      expect((await harness.admin('GET', `/user/${user}`)).body.data.name).toBe('Before');
    } finally {
      await sql`alter table audit_log drop constraint broken`.execute(harness.app.db);
    }
  });

  it('records no secrets and no recipients, and long texts in part', async () => {
    const user = await aUser(harness);
    await harness.admin('POST', `/user/${user}/update-password`, { _password: 'canary password 1' });
    const service = await aService(harness);
    const template = await aTemplate(harness, service, { template_type: 'email', subject: 's' });
    const created_by = await aUser(harness);
    const change = { content: `long ${'x'.repeat(9_000)}`, created_by };
    expect((await harness.admin('POST', `/service/${service}/template/${template}`, change)).status).toBe(200);
    const key = await harness.admin('POST', `/service/${service}/api-key`, {
      ...{ name: 'web', key_type: 'normal', created_by },
    });
    expect(key.status).toBe(201);
    const list = { email_addresses: ['canary@example.org'], phone_numbers: [] };
    expect((await harness.admin('PUT', `/service/${service}/guest-list`, list)).status).toBe(204);
    expect(await entriesOf(user)).toMatchObject([{ after: { password_hash: '[not recorded]' } }]);
    expect((await entriesOf(template))[0]?.after).toEqual({ content: `long ${'x'.repeat(1_995)} …` });
    expect(await entriesOf(service)).toMatchObject([{ noun: 'guest_list', action: 'create', after: { rows: 1 } }]);
    const { rows } = await sql`select a::text from audit_log a`.execute(harness.app.db);
    expect(JSON.stringify(rows)).not.toMatch(/canary/);
    expect(JSON.stringify(rows)).not.toContain(key.body.data);
  });
});

describe('a change by a person', () => {
  it('has an entry with the person of the session', async () => {
    const service = await aService(harness);
    const person = await aPerson(harness);
    await joinService(harness, service, person.id);
    const browser = await signedIn(harness, person.id);
    const page = await browser.post(`/console/services/${service}/settings/name`, { name: 'Chosen' });
    expect(page.status).toBe(303);
    expect(await entriesOf(service)).toMatchObject([
      {
        actor_type: 'user',
        user_id: person.id,
        user_name: 'Ada Lovelace',
        claimed_user_id: null,
        request: 'POST /console/services/:service_id/settings/name',
        after: { name: 'Chosen' },
      },
    ]);
  });

  it('has one before signing in, as a visitor', async () => {
    const person = await aPerson(harness, { email_address: 'guess@example.org' });
    const visitor = new ConsoleVisitor(harness);
    await visitor.post('/console/sign-in', { email_address: 'guess@example.org', password: `not ${password}` });
    expect(await entriesOf(person.id)).toMatchObject([
      { actor_type: 'visitor', user_id: null, before: { failed_login_count: 0 }, after: { failed_login_count: 1 } },
    ]);
  });
});

describe('a change to messages', () => {
  async function aSender() {
    const service = await aService(harness);
    const person = await aPerson(harness);
    await joinService(harness, service, person.id);
    const template = await aTemplate(harness, service, { content: 'Hello ((name))' });
    const body = { template_id: template, to: '07700900987', personalisation: { name: 'Canary' } };
    const send = () =>
      harness.admin('POST', `/service/${service}/send-notification`, {
        ...{ ...body, created_by: person.id, reference: 'canary reference' },
      });
    return { service, template, person, send };
  }

  it('has an entry for each message sent by hand, also in a shared commit; without recipient, values and reference', async () => {
    const { service, template, person, send } = await aSender();
    const key = await anApiKey(harness, service);
    const other = () =>
      harness.v2('POST', '/v2/notifications/sms', key, {
        ...{ phone_number: '07700900988', template_id: template, personalisation: { name: 'Ada' } },
      });
    const sent = await Promise.all([other(), send(), other(), send(), other()]);
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    const ids = [sent[1]?.body.id, sent[3]?.body.id];
    for (const id of ids) {
      expect(await entriesOf(id)).toMatchObject([
        { action: 'create', noun: 'notification', service_id: service, claimed_user_id: person.id },
      ]);
    }
    const { rows } =
      await sql`select a::text from audit_log a where noun = 'notification' and service_id = ${service}`.execute(
        harness.app.db,
      );
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toMatch(/7700900987|canary/i);
  });

  it('has none for a message that is refused', async () => {
    const { service, send } = await aSender();
    await harness.app.db.updateTable('services').set({ sms_message_limit: 0 }).where('id', '=', service).execute();
    expect((await send()).status).toBe(429);
    const { rows } = await sql`select from audit_log where noun = 'notification' and service_id = ${service}`.execute(
      harness.app.db,
    );
    expect(rows).toEqual([]);
  });

  it('has one entry for each service whose letters are returned', async () => {
    const services = [await aService(harness), await aService(harness)];
    const at = harness.clock.now().toISOString();
    for (const [index, service_id] of services.entries()) {
      const template_id = await aTemplate(harness, service_id, { template_type: 'letter', subject: 's' });
      const letter = { reference: `RETURNED0000000${index}`, notification_id: newId(harness.clock.now()), service_id };
      const rest = { template_id, template_version: 1, created_at: at, printed_at: at };
      await harness.app.db
        .insertInto('printed_letters')
        .values({ ...letter, ...rest })
        .execute();
    }
    const references = ['RETURNED00000000', 'RETURNED00000001', 'UNKNOWN000000000'];
    expect((await harness.admin('POST', '/letters/returned', { references })).status).toBe(200);
    for (const service of services) {
      expect(await entriesOf(service)).toMatchObject([
        { noun: 'returned_letter', service_id: service, after: { rows: 1 } },
      ]);
    }
  });
});

describe('the table', () => {
  it('refuses to change or delete an entry, to the role that owns it', async () => {
    const service = await aService(harness);
    await harness.admin('POST', `/service/${service}`, { name: 'Kept', created_by: await aUser(harness) });
    const { db } = harness.app;
    for (const statement of [
      sql`update audit_log set noun = 'x'`,
      sql`delete from audit_log`,
      sql`truncate audit_log`,
      sql`with gone as (delete from audit_log returning 1) select 1`,
      sql`do $$ begin delete from audit_log /*
PL/pgSQL function delete_old_audit_entries(timestamp with time zone,integer) line 6 at SQL statement*/; end $$`,
      sql`insert into audit_log select * from audit_log limit 1 on conflict (id) do update set noun = 'x'`,
    ]) {
      await expect(statement.execute(db)).rejects.toThrow('The audit log is append-only');
    }
    expect(await entriesOf(service)).toHaveLength(1);
  });

  it('deletes entries after the retention, and never those of the last 30 days', async () => {
    const service = await aService(harness);
    const rename = async (name: string) =>
      harness.admin('POST', `/service/${service}`, { name, created_by: await aUser(harness) });
    await rename('Old');
    harness.clock.advance({ days: 729 });
    await rename('New');
    const clean = async () => {
      await harness.addTask('delete-old-records');
      await harness.runTasks();
      return (await entriesOf(service)).map(({ after }) => (after as { name: string }).name);
    };
    expect(await clean()).toEqual(['New', 'Old']);
    harness.clock.advance({ days: 2 });
    expect(await clean()).toEqual(['New']);
    await sql`select delete_old_audit_entries('2099-01-01', 1000)`.execute(harness.app.db);
    expect(await clean()).toEqual(['New']);
    harness.clock.set('2026-11-15T12:00:00Z');
  });
});

describe('who acts', () => {
  it('is local to the transaction: the next one on the connection has nobody', async () => {
    const user = await aUser(harness);
    const { db } = harness.app.apart.reading;
    const rename = (name: string) => db.updateTable('users').set({ name }).where('id', '=', user).execute();
    await actAs(someActor(), () => rename('One'));
    await Promise.all(Array.from({ length: 20 }, (_, number) => rename(`Nobody ${number}`)));
    expect(currentActor()).toBeUndefined();
    expect(await entriesOf(user)).toMatchObject([{ actor_type: 'command', client: 'test', after: { name: 'One' } }]);
  });

  it('is named in a transaction that began without it', async () => {
    const user = await aUser(harness);
    const { db } = harness.app.apart.reading;
    const rename = (tx: typeof db, name: string) =>
      tx.updateTable('users').set({ name }).where('id', '=', user).execute();
    await inTransaction(db, async (tx) => {
      await actAs(someActor(), () => rename(tx, 'Inside'));
    });
    expect(await entriesOf(user)).toMatchObject([{ client: 'test', after: { name: 'Inside' } }]);
  });

  it('is nobody in work that goes on after the request, also while others act', async () => {
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const late = actAs(someActor(), () => ({ actor: waiting.then(currentActor) }));
    await actAs({ ...someActor(), client: 'other' }, async () => {
      goOn();
      expect(await late.actor).toBeUndefined();
      expect(currentActor()).toContain('other');
    });
  });

  it('is named with statements of the pool itself', async () => {
    const user = await aUser(harness);
    const { pool } = harness.app.apart.reading;
    await actAs(someActor(), () => pool.query("update users set name = 'Pooled' where id = $1", [user]));
    expect(await entriesOf(user)).toMatchObject([{ client: 'test', after: { name: 'Pooled' } }]);
    const wrong = actAs(someActor(), () => pool.query('update users set nonsense = 1'));
    await expect(wrong).rejects.toThrow('nonsense');
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('is never mixed up between requests at the same time', async () => {
    const { db } = harness.app.apart.reading;
    const users = await Promise.all(Array.from({ length: 20 }, () => aUser(harness)));
    await Promise.all(
      users.map((id) =>
        actAs({ ...someActor(), client: id }, () =>
          inTransaction(db, async (tx) => {
            await tx.updateTable('users').set({ name: 'Tx' }).where('id', '=', id).execute();
            await sql`select pg_sleep(0.01)`.execute(tx);
          }),
        ),
      ),
    );
    for (const id of users) expect(await entriesOf(id)).toMatchObject([{ client: id }]);
  });

  it('must be known where an entry is recorded by hand', async () => {
    const entry = { action: 'erase', noun: 'recipient', thing_id: 'hash' } as const;
    const record = () => inTransaction(harness.app.db, (tx) => recordAuditEntry(tx, entry));
    await expect(record()).rejects.toThrow('Nobody acts');
    await actAs(someActor(), record);
    expect(await entriesOf('hash')).toHaveLength(1);
  });

  it('is nobody for requests with API keys', async () => {
    const service = await aService(harness);
    const key = await anApiKey(harness, service);
    const template = await aTemplate(harness, service, { content: 'Hello' });
    const before = await sql<{ count: number }>`select count(*) from audit_log`.execute(harness.app.db);
    const body = { phone_number: '07700900123', template_id: template };
    expect((await harness.v2('POST', '/v2/notifications/sms', key, body)).status).toBe(201);
    expect(await sql`select count(*) from audit_log`.execute(harness.app.db)).toMatchObject({ rows: before.rows });
  });
});

describe('GET /platform-admin/audit-log', () => {
  const list = (query: Record<string, string>) =>
    harness.admin('GET', `/platform-admin/audit-log?${new URLSearchParams(query)}`);

  it('200 with what matches, the newest first, in pages', async () => {
    const [service, other, created_by] = [await aService(harness), await aService(harness), await aUser(harness)];
    for (const name of ['One', 'Two']) {
      harness.clock.advance({ seconds: 1 });
      await harness.admin('POST', `/service/${service}`, { name: `${name} of many`, created_by });
    }
    await harness.admin('POST', `/service/${other}`, { name: 'Other of many', created_by });
    const names = async (query: Record<string, string>) => {
      const { status, body } = await list(query);
      expect([status, body.message]).toEqual([200, undefined]);
      return body.data.map(({ after }: { after: { name: string } }) => after.name.split(' ')[0]);
    };
    expect(await names({ service_id: service })).toEqual(['Two', 'One']);
    expect(await names({ thing_id: service, action: 'update', noun: 'service' })).toEqual(['Two', 'One']);
    expect(await names({ service_id: service, action: 'delete' })).toEqual([]);
    expect((await names({ person_id: created_by })).sort()).toEqual(['One', 'Other', 'Two']);
    expect(await names({ service_id: service, after: '2026-11-15T12:00:02.000000Z' })).toEqual(['Two']);
    expect(await names({ service_id: service, before: '2026-11-15T12:00:02.000000Z' })).toEqual(['One']);
    const [newest] = (await list({ service_id: service })).body.data;
    expect(await names({ service_id: service, older_than: newest.id })).toEqual(['One']);
  });

  it.each([
    [{ noun: 'nonsense' }, 'noun'],
    [{ action: 'read' }, 'action'],
    [{ after: 'yesterday' }, 'after'],
    [{ older_than: '4f46df42-f795-4cc4-83bb-65ca312f49cc' }, 'older_than'],
  ])('400 for %j', async (query, field) => {
    const { status, body } = await list(query as Record<string, string>);
    expect([status, Object.keys(body.message)]).toEqual([400, [field]]);
  });
});
