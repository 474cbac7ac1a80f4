import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../../test/kit/harness.ts';
import { firstPage, makePdf } from '../../../test/kit/samples/pdf-samples.ts';
import { recordComplaint } from '../../complaints/complaints.ts';
import { recordInboundText } from '../../inbound/inbound-texts.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { newId } from '../../platform/id.ts';
import { encryptToken } from '../../services/settings/callback-api.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const path = '/platform-admin/erase-recipient';
const wrongRecipient =
  'Not a valid email address or phone number. For letters, give the name and the postcode on separate lines.';

function erase(recipient: unknown) {
  return harness.admin('POST', path, { recipient });
}

async function aSender() {
  const service = await aService(harness);
  const key = await anApiKey(harness, service);
  const sms = await aTemplate(harness, service, { content: 'Hello ((name))' });
  const email = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'Hello ((name))' });
  const send = async (recipient: string) => {
    const to = recipient.includes('@')
      ? { email_address: recipient, template_id: email }
      : { phone_number: recipient, template_id: sms };
    const channel = recipient.includes('@') ? 'email' : 'sms';
    const body = { ...to, reference: 'case 7', personalisation: { name: 'Canary Person' } };
    const response = await harness.v2('POST', `/v2/notifications/${channel}`, key, body);
    expect(response.status).toBe(201);
    return response.body.id as string;
  };
  return { service, key, send };
}

async function deliverAll() {
  await harness.deliver();
  harness.clock.advance({ seconds: 5 });
  await harness.deliver();
}

async function anEndedCallback(service_id: string, subject_id: string, body: object, status: 'delivered' | 'waiting') {
  const { app, clock } = harness;
  await app.db
    .insertInto('service_callbacks')
    .values({
      ...{ id: newId(clock.now()), service_id, callback_type: 'delivery_status', subject_id, status },
      ...{ url: 'https://example.org', body: JSON.stringify(body), due_at: '2099-01-01T00:00:00Z' },
      ...{ created_at: clock.now().toISOString() },
      encrypted_bearer_token: encryptToken(app, { service_id, callback_type: 'delivery_status' }, 'token'),
    })
    .execute();
}

describe('POST /platform-admin/erase-recipient', () => {
  it.each(['ada@bücher.example', 'ada@xn--bcher-kva.example'])(
    '200: erases both spellings of an international domain: %s',
    async (recipient) => {
      const { service, send } = await aSender();
      for (const each of ['ada@bücher.example', 'ADA@xn--bcher-kva.example']) await send(each);
      await send('ada@bucher.example');
      await deliverAll();
      const held = (await harness.admin('POST', '/platform-admin/find-recipient', { recipient })).body;
      expect(held.services.map(({ service_id }: { service_id: string }) => service_id)).toEqual([service]);
      expect(held.total.notification).toBe(2);
      const erased = (await erase(recipient)).body;
      expect(erased.erased.notifications).toBe(2);
      expect(erased.erased.sandbox_messages).toBe(2);
      const again = (await harness.admin('POST', '/platform-admin/find-recipient', { recipient })).body;
      expect(again.services).toEqual([]);
    },
  );

  it('200: erases a phone number, in any format, everywhere; keeps other recipients', async () => {
    const { service, key, send } = await aSender();
    const [theirs, other] = [await send('07700 900 551'), await send('07700900552')];
    await deliverAll();
    await inTransaction(harness.app.db, (tx) =>
      recordInboundText(
        tx,
        harness.app.country.phone,
        { service_id: service, notify_number: '1', user_number: '07700900551', content: 'hi', provider: 'mmg' },
        harness.clock.now(),
      ),
    );
    await anEndedCallback(service, theirs, { to: '07700 900 551', notification_type: 'sms' }, 'delivered');
    await anEndedCallback(service, newId(new Date()), { to: '+447700900551', notification_type: 'sms' }, 'delivered');
    await anEndedCallback(service, newId(new Date()), { to: '07700900551', notification_type: 'sms' }, 'waiting');
    await anEndedCallback(service, other, { to: '07700900552', notification_type: 'sms' }, 'delivered');
    const figures = () => harness.admin('GET', `/service/${service}/statistics?today_only=False`);
    const before = (await figures()).body;
    const files = join(harness.app.config.storage.dataDir, 'outbox');
    await mkdir(files, { recursive: true });
    // Release 0.3 wrote such files.
    await writeFile(join(files, `${theirs}.eml`), 'Canary');

    const response = await erase('+44 7700 900551');
    expect([response.status, response.body]).toEqual([
      200,
      {
        erased: {
          notifications: 1,
          plan_messages: 0,
          inbound_texts: 1,
          callbacks: 2,
          sandbox_messages: 1,
          unsubscribe_requests: 0,
          suppressed_recipients: 0,
          opted_out_numbers: 0,
          complaints: 0,
          file_rows: 0,
          documents: 0,
          guest_list: 0,
          letter_files: 0,
        },
        left: { notifications: 0, plan_messages: 0, callbacks: 1, unsubscribe_requests: 0, file_rows: 0 },
      },
    ]);
    const row = await harness.app.db
      .selectFrom('notifications')
      .selectAll()
      .where('id', '=', theirs)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ status: 'delivered', recipient: '[erased]', normalised_recipient: null });
    expect([row.personalisation, row.client_reference]).toEqual([{}, null]);
    const read = await harness.v2('GET', `/v2/notifications/${theirs}`, key);
    expect([read.status, read.body.phone_number]).toEqual([200, '[erased]']);
    expect(read.text).not.toContain('Canary');
    expect((await harness.admin('GET', `/service/${service}/notifications/${theirs}`)).status).toBe(200);
    await expect(access(join(files, `${theirs}.eml`))).rejects.toThrow();
    expect((await harness.v2('GET', `/v2/notifications/${other}`, key)).body.body).toBe('Hello Canary Person');
    expect((await figures()).body).toEqual(before);
    expect(harness.logged.join('')).not.toContain('7700900551');
    expect((await erase('07700900551')).body.erased.notifications).toBe(0);
  });

  it('200: erases rows of files and contact lists; rows that are not sent yet are left', async () => {
    const service = await aService(harness);
    const template = await aTemplate(harness, service, { content: 'Hello' });
    const user = await aUser(harness);
    const post = async (query: string, payload: string) => {
      const { body } = await harness.request({
        method: 'POST',
        url: `/service/${service}/upload?filename=a.csv&${query}`,
        headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
        payload,
      });
      return body.data.id as string;
    };
    const file = 'phone number,name\n07700900671,Ann\n+44 7700 900672,Canary Person\n07700900673,Cy\n';
    const sent = await post(`template_id=${template}`, file);
    const unsent = await post(`template_id=${template}`, file);
    const list = await post('contact_list=true', 'phone number\n07700900671\n07700-900-672\n');
    await harness.admin('POST', `/service/${service}/contact-list`, {
      ...{ id: list, original_file_name: 'a.csv', row_count: 2, template_type: 'sms', created_by: user },
    });
    expect((await harness.admin('POST', `/service/${service}/job`, { id: sent, created_by: user })).status).toBe(201);
    await harness.runTasks();
    await deliverAll();
    const { body } = await erase('07700900672');
    expect([body.erased.notifications, body.erased.file_rows, body.left.file_rows]).toEqual([1, 2, 1]);
    const rows = async (id: string) =>
      JSON.parse(
        (await harness.app.pool.query('select cells from upload_chunks where upload_id = $1', [id])).rows[0].cells,
      );
    expect(await rows(sent)).toEqual([['07700900671', 'Ann'], [], ['07700900673', 'Cy']]);
    expect(await rows(list)).toEqual([['07700900671']]);
    expect((await harness.admin('GET', `/service/${service}/contact-list/${list}`)).body.row_count).toBe(1);
    expect((await rows(unsent))[1]).toEqual(['+44 7700 900672', 'Canary Person']);
    const stored = await harness.app.pool.query(
      'select u.summary, c.cells, c.messages from uploads u join upload_chunks c on c.upload_id = u.id where u.id = any($1)',
      [[sent, list]],
    );
    expect(JSON.stringify(stored.rows)).not.toMatch(/7700.?900.?672|Canary/);
    expect((await erase('07700900672')).body.erased.file_rows).toBe(0);
  });

  it.each([
    ['list of Canary.Person@example.org.csv', 'canary.person@example.org'],
    ['reply to +44 7700-900 679.csv', '07700900679'],
  ])('200: %s is not in the names of files, and not in the audit log', async (filename, recipient) => {
    const service = await aService(harness);
    const template_id = await aTemplate(harness, service, { content: 'Hello' });
    const created_by = await aUser(harness);
    const upload = async (query: Record<string, string>) => {
      const { body } = await harness.request({
        method: 'POST',
        url: `/service/${service}/upload?${new URLSearchParams({ filename, ...query })}`,
        headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
        payload: 'phone number\n07700900671\n',
      });
      return body.data.id as string;
    };
    const sent = await upload({ template_id });
    expect((await harness.admin('POST', `/service/${service}/job`, { id: sent, created_by })).status).toBe(201);
    const list = { id: await upload({ contact_list: 'true' }), original_file_name: filename, row_count: 1 };
    const saved = { ...list, template_type: 'sms', created_by };
    expect((await harness.admin('POST', `/service/${service}/contact-list`, saved)).status).toBe(201);
    expect((await erase(recipient)).status).toBe(200);
    const names = await harness.app.pool.query(
      `select original_file_name from uploads where service_id = $1
       union all select original_file_name from jobs where service_id = $1
       union all select original_file_name from contact_lists where service_id = $1`,
      [service],
    );
    expect(names.rows).toEqual(Array(4).fill({ original_file_name: 'erased' }));
    const entries = await harness.app.pool.query('select before, after from audit_log where service_id = $1', [
      service,
    ]);
    const text = JSON.stringify(entries.rows);
    expect(text).toContain('"original_file_name":"[not recorded]"');
    expect(text).not.toMatch(/canary|7700.?900.?679/i);
  });

  it('200: erases an address from files, in any spelling', async () => {
    const service = await aService(harness);
    const { body } = await harness.request({
      method: 'POST',
      url: `/service/${service}/upload?filename=a.csv&contact_list=true`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
      payload: 'email address\nFile-Person@Example.com\nother@example.com\n',
    });
    const created_by = await aUser(harness);
    await harness.admin('POST', `/service/${service}/contact-list`, {
      ...{ id: body.data.id, original_file_name: 'a.csv', row_count: 2, template_type: 'email', created_by },
    });
    expect((await erase('file-person@example.com')).body.erased.file_rows).toBe(1);
    const csv = await harness.admin('GET', `/service/${service}/contact-list/${body.data.id}/original.csv`);
    expect(csv.text).toBe('email address\r\nother@example.com\r\n');
  });

  it('200: erases letters by address, with their PDFs; templated, uploaded, and rows of files', {
    timeout: 60_000,
  }, async () => {
    harness.app.printer = { handOver: async () => {}, despatchesItselfAfter_ms: 0 };
    const service = await aService(harness);
    const key = await anApiKey(harness, service);
    const template = await aTemplate(harness, service, {
      template_type: 'letter',
      subject: 's',
      content: 'Hi ((name))',
    });
    const address = (name: string) => ({
      address_line_1: name,
      address_line_2: '1 Canary Wharf',
      address_line_3: 'se1 8ug',
    });
    const send = async (body: object) => {
      const { status, body: sent } = await harness.v2('POST', '/v2/notifications/letter', key, body);
      expect(status).toBe(201);
      return sent.id as string;
    };
    const theirs = await send({
      ...{ template_id: template, reference: 'case 9' },
      personalisation: { ...address('Ms Zoë O’Neil'), name: 'Zoë' },
    });
    const neighbour = await send({ template_id: template, personalisation: { ...address('Al Neil'), name: 'Al' } });
    const pdf = await makePdf([firstPage(['MS ZOË O’NEIL', '1 Canary Wharf', 'SE1 8UG'])]);
    const uploaded = await send({ reference: 'case 10', content: Buffer.from(pdf).toString('base64') });
    const { body: file } = await harness.request({
      method: 'POST',
      url: `/service/${service}/upload?filename=a.csv&template_id=${template}`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
      payload:
        'address line 1,address line 2,address line 3,name\nMs Zoë O’Neil,1 Canary Wharf,SE1 8UG,Zoë\nAl,1 Canary Wharf,SE1 8UG,Al\n',
    });
    await harness.runTasks();
    const find = (recipient: string) =>
      harness.admin('POST', '/platform-admin/find-recipient', { recipient, service_id: service });
    const sought = 'ms zoë o’neil\n  SE18UG ';
    expect((await find(sought)).body.total).toMatchObject({ notification: 2, file_row: 1 });
    expect((await find('Ms Zoë O’Neil, 1 Canary Wharf, SE1 8UG')).body.total).toMatchObject({ notification: 2 });
    expect((await find('Ms Zoë\nSE1 8UG')).body.total).toMatchObject({ notification: 0, file_row: 0 });
    const exported = await harness.admin('POST', '/platform-admin/export-recipient', { recipient: sought });
    expect(exported.body.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([theirs, uploaded]));
    expect((await erase(sought)).body.left).toMatchObject({ notifications: 2, file_rows: 1 });

    for (const id of [theirs, uploaded]) {
      await harness.app.db.updateTable('notifications').set({ status: 'delivered' }).where('id', '=', id).execute();
    }
    expect((await erase(sought)).body).toMatchObject({
      erased: { notifications: 2, letter_files: 3 },
      left: { file_rows: 1 },
    });
    expect([...harness.files.kept.keys()].filter((name) => name.includes(theirs) || name.includes(uploaded))).toEqual(
      [],
    );
    for (const id of [theirs, uploaded]) {
      const read = await harness.v2('GET', `/v2/notifications/${id}`, key);
      expect([read.status, read.body.reference, read.body.line_1]).toEqual([200, null, null]);
      expect(read.text).not.toMatch(/Canary|Zoë/i);
      expect((await harness.v2('GET', `/v2/notifications/${id}/pdf`, key)).status).toBe(400);
      expect((await harness.admin('GET', `/service/${service}/notifications/${id}`)).status).toBe(200);
    }
    expect((await harness.v2('GET', `/v2/notifications/${neighbour}`, key)).body.line_1).toBe('Al Neil');
    expect(file.data.id).toBeDefined();
    expect(harness.logged.join('')).not.toMatch(/Canary Wharf|O’Neil/i);
    const entries = await harness.app.pool.query("select a::text from audit_log a where noun = 'recipient'");
    expect(JSON.stringify(entries.rows)).not.toMatch(/Canary|O’Neil|SE1.?8UG/i);
  });

  it('200: reports messages still in delivery as left, and erases them when repeated', async () => {
    const { send } = await aSender();
    await send('waiting@example.org');
    expect((await erase('Waiting@Example.org')).body).toMatchObject({
      erased: { notifications: 0 },
      left: { notifications: 1 },
    });
    await deliverAll();
    expect((await erase('waiting@example.org')).body).toMatchObject({
      erased: { notifications: 1 },
      left: { notifications: 0 },
    });
  });

  it('200: erases processed unsubscribe requests and the provider ids of complaints', async () => {
    const { service, send } = await aSender();
    const id = await send('ada@erased.example');
    await deliverAll();
    const request = {
      ...{
        service_id: service,
        template_id: newId(new Date()),
        template_version: 1,
        email_address: 'Ada@erased.example',
      },
      ...{ created_at: harness.clock.now().toISOString() },
    };
    for (const processed of [true, false]) {
      const ids = { id: newId(harness.clock.now()), notification_id: id };
      await harness.app.db
        .insertInto('unsubscribe_requests')
        .values({ ...request, ...ids, processed })
        .execute();
    }
    const complaint = { notification_id: id, service_id: service, complaint_type: 'abuse', complaint_date: null };
    await inTransaction(harness.app.db, (tx) =>
      recordComplaint(tx, { ...complaint, ses_feedback_id: 'leads-to-ada' }, harness.clock.now()),
    );
    await harness.app.db
      .insertInto('suppressed_recipients')
      .values({
        ...{ id: newId(harness.clock.now()), service_id: service, notification_id: id, reason: 'complaint' },
        ...{ email_address: 'ada@erased.example', created_at: harness.clock.now().toISOString() },
      })
      .execute();
    const found = await harness.admin('POST', '/platform-admin/find-recipient', { recipient: 'ada@erased.example' });
    expect(found.body.total).toMatchObject({ suppressed_recipient: 1 });
    const { body } = await erase('ada@erased.example');
    const once = { notifications: 1, unsubscribe_requests: 1, suppressed_recipients: 1, complaints: 1 };
    expect(body.erased).toMatchObject(once);
    expect(body.left).toMatchObject({ unsubscribe_requests: 1 });
    const complaints = await harness.app.db
      .selectFrom('complaints')
      .selectAll()
      .where('notification_id', '=', id)
      .execute();
    expect(complaints).toMatchObject([{ ses_feedback_id: null }]);
  });

  it.each([
    ['nobody', wrongRecipient],
    ['ada@nowhere, SW1A 1AA', wrongRecipient],
    ['Ada Lovelace\nLondon', wrongRecipient],
    ['SW1A 1AA', wrongRecipient],
    ['', 'Shorter than minimum length 1.'],
    [undefined, 'Missing data for required field.'],
    [7, 'Not a valid string.'],
  ])('400 for %j', async (recipient, text) => {
    const { status, body } = await erase(recipient);
    expect(status).toBe(400);
    if (typeof recipient !== 'string' || recipient !== '') expect(body.message).toEqual({ recipient: [text] });
  });
});

describe('retention of records outside notifications', () => {
  it('deletes callbacks by the retention of their service and channel', async () => {
    const { service } = await aSender();
    const rule = { notification_type: 'sms', days_of_retention: 3 };
    expect((await harness.admin('POST', `/service/${service}/data-retention`, rule)).status).toBe(201);
    const other = await aService(harness);
    await anEndedCallback(service, newId(new Date()), { to: 'x', notification_type: 'sms' }, 'delivered');
    await anEndedCallback(service, newId(new Date()), { to: 'x', notification_type: 'email' }, 'delivered');
    await anEndedCallback(other, newId(new Date()), { to: 'x', notification_type: 'sms' }, 'delivered');
    const left = async (of: string) => {
      await harness.addTask('clean-delivery');
      await harness.runTasks();
      const rows = await harness.app.db
        .selectFrom('service_callbacks')
        .select('body')
        .where('service_id', '=', of)
        .execute();
      return rows.map(({ body }) => JSON.parse(body).notification_type).sort();
    };
    harness.clock.advance({ days: 4 });
    expect([await left(service), await left(other)]).toEqual([['email'], ['sms']]);
    harness.clock.advance({ days: 4 });
    expect([await left(service), await left(other)]).toEqual([[], []]);
    harness.clock.set('2026-11-15T12:00:00Z');
  });

  it('deletes a sandbox message with its notification', async () => {
    const { send } = await aSender();
    const id = await send('07700900333');
    await deliverAll();
    await harness.app.db.deleteFrom('notifications').where('id', '=', id).execute();
    await harness.addTask('clean-delivery');
    await harness.runTasks();
    expect(
      await harness.app.db.selectFrom('sandbox_messages').select('reference').where('reference', '=', id).execute(),
    ).toEqual([]);
  });

  it('deletes events, complaints, reasons and references after a year', async () => {
    const { service } = await aSender();
    const { app, clock } = harness;
    const created_at = clock.now().toISOString();
    await app.db
      .insertInto('events')
      .values({ id: newId(clock.now()), event_type: 'x', data: '{}', created_at })
      .execute();
    const complaint = { notification_id: newId(clock.now()), service_id: service, complaint_type: null };
    await inTransaction(app.db, (tx) =>
      recordComplaint(tx, { ...complaint, complaint_date: null, ses_feedback_id: null }, clock.now()),
    );
    const requester_id = await aUser(harness);
    await app.db
      .insertInto('service_join_requests')
      .values({
        ...{ id: newId(clock.now()), service_id: service, requester_id, contacted_user_ids: [], reason: 'please' },
        ...{ status: 'pending', created_at },
      })
      .execute();
    const counts = async () => {
      await harness.addTask('delete-old-records');
      await harness.runTasks();
      const count = async (what: string, of: string) =>
        (await app.pool.query(`select count(${what})::int as count from ${of}`)).rows[0].count;
      return {
        events: await count('*', 'events'),
        complaints: await count('*', `complaints where service_id = '${service}'`),
        reasons: await count('reason', `service_join_requests where service_id = '${service}'`),
      };
    };
    clock.advance({ days: 364 });
    expect(await counts()).toMatchObject({ complaints: 1, reasons: 1 });
    clock.advance({ days: 2 });
    expect(await counts()).toEqual({ events: 0, complaints: 0, reasons: 0 });
  });
});
