import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { recordInboundText } from '../../../inbound/inbound-texts.ts';
import { readAuditEntries } from '../../../operations/audit/audit-log.ts';
import { inTransaction } from '../../../platform/db/database.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const number = '07700 900 561';
let [own, other]: string[] = [];
let manager: ConsoleVisitor;
let admin: ConsoleVisitor;

async function send(service: string, phone_number: string) {
  const template_id = await aTemplate(harness, service, { content: 'Hello ((name))' });
  const body = { phone_number, template_id, personalisation: { name: 'Canary' } };
  expect((await harness.v2('POST', '/v2/notifications/sms', await anApiKey(harness, service), body)).status).toBe(201);
}

beforeAll(async () => {
  [own, other] = [await aService(harness, { name: 'Town Hall' }), await aService(harness, { name: 'Library' })];
  for (const service of [own, other]) {
    await send(service, number);
    await inTransaction(harness.app.db, (tx) =>
      recordInboundText(
        tx,
        harness.app.country.phone,
        { service_id: service, notify_number: '1', user_number: '447700900561', content: 'Hello', provider: 'x' },
        harness.clock.now(),
      ),
    );
    const list = { email_addresses: [], phone_numbers: [number] };
    expect((await harness.admin('PUT', `/service/${service}/guest-list`, list)).status).toBe(204);
  }
  await harness.deliver();
  harness.clock.advance({ seconds: 5 });
  await harness.deliver();
  const person = await aPerson(harness);
  await joinService(harness, own, person.id);
  manager = await signedIn(harness, person.id);
  admin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
});

async function entries() {
  const found = [];
  for await (const part of readAuditEntries(harness.app, { noun: 'recipient' })) found.push(...part);
  return found.map(({ action, service_id, thing_id, after, user_id }) => ({
    action,
    service_id,
    thing_id,
    after,
    user_id,
  }));
}

describe('/operator/recipients and /services/{id}/recipients', () => {
  const ofService = () => `/console/services/${own}/recipients`;
  const ofAll = '/console/operator/recipients';

  it('finds what is held, in any format of the number, and says where', async () => {
    const page = await admin.post(ofAll, { recipient: '+44 7700 900561' });
    expect([page.status, page.location]).toEqual([200, undefined]);
    for (const text of ['>Messages<', 'Received texts', 'Guest lists', 'Town Hall', 'Library']) {
      expect(page.text).toContain(text);
    }
    harness.clock.advance({ seconds: 1 });
    const inOne = await manager.post(ofService(), { recipient: number });
    expect(inOne.text).toContain('Received texts');
    expect(inOne.text).not.toContain('Library');
    harness.clock.advance({ seconds: 1 });
    expect((await manager.post(ofService(), { recipient: '07700900562' })).text).toContain('We hold nothing');
    const [newest, ...others] = await entries();
    expect(newest).toMatchObject({ action: 'find', service_id: own, after: { notification: 0 } });
    expect(others.map(({ action, service_id }) => [action, service_id])).toEqual([
      ['find', own],
      ['find', null],
    ]);
  });

  it('400 for what is no recipient', async () => {
    for (const [recipient, text] of [
      ['', 'Enter an email address, a phone number or a postal address.'],
      [
        'nobody',
        'Not a valid email address or phone number. For letters, give the name and the postcode on separate lines.',
      ],
    ] as const) {
      const page = await manager.post(ofService(), { recipient, do: 'erase' });
      expect([page.status, page.problems]).toEqual([400, { recipient: text }]);
    }
  });

  it('downloads everything as JSON, with the text of messages', async () => {
    harness.clock.advance({ seconds: 1 });
    const file = await manager.post(ofService(), { recipient: number, do: 'export' });
    expect([file.status, String(file.headers['content-disposition'])]).toEqual([
      200,
      expect.stringMatching(/^attachment; filename="data about one recipient 2026-11-15.json"$/),
    ]);
    const records = JSON.parse(file.text);
    expect(records.map(({ kind, service_id }: Record<string, string>) => [kind, service_id])).toEqual([
      ['notification', own],
      ['inbound_text', own],
      ['guest_list', own],
    ]);
    expect(records[0]).toMatchObject({ type: 'sms', status: 'delivered', personalisation: { name: 'Canary' } });
    expect(records[0].body).toContain('Canary');
    expect(records[1]).toMatchObject({ content: 'Hello' });
    expect((await entries())[0]).toMatchObject({ action: 'export', service_id: own });
  });

  it('erases of one service, then of all; the log has no recipient', async () => {
    harness.clock.advance({ seconds: 1 });
    const answer = await manager.post(ofService(), { recipient: number, do: 'erase' });
    harness.clock.advance({ seconds: 1 });
    expect([answer.status, answer.location]).toEqual([303, ofService()]);
    expect((await manager.follow(answer)).text).toContain('records were erased. We keep the totals.');
    const left = await admin.post(ofAll, { recipient: number });
    expect(left.text).toContain('Library');
    expect(left.text).not.toContain('Town Hall');
    await admin.post(ofAll, { recipient: number, do: 'erase' });
    expect((await admin.post(ofAll, { recipient: number })).text).toContain('We hold nothing');
    const recorded = await entries();
    expect(recorded.filter(({ action }) => action === 'erase')).toMatchObject([
      { service_id: null, after: { erased: { notifications: 1, inbound_texts: 1, guest_list: 1 } } },
      { service_id: own, after: { erased: { notifications: 1, inbound_texts: 1, guest_list: 1 } } },
    ]);
    expect(new Set(recorded.slice(0, 5).map(({ thing_id }) => thing_id)).size).toBe(1);
    const { rows } = await harness.app.pool.query('select a::text from audit_log a');
    expect(JSON.stringify(rows)).not.toMatch(/7700.?900.?561|Canary/);
    expect(harness.logged.join('')).not.toMatch(/7700.?900.?561/);
  });
});

describe('POST /platform-admin/find-recipient and export-recipient', () => {
  const ask = (path: string, body: object) => harness.admin('POST', `/platform-admin/${path}`, body);

  it('200 with counts by service, and with everything', async () => {
    await send(own as string, '07700900563');
    const { status, body } = await ask('find-recipient', { recipient: '07700900563' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      total: { notification: 1 },
      services: [{ service_id: own, service_name: 'Town Hall' }],
    });
    const all = await ask('export-recipient', { recipient: '07700900563', service_id: own });
    expect(all.body).toMatchObject([{ kind: 'notification', service_id: own, phone_number: '07700900563' }]);
    expect((await ask('export-recipient', { recipient: '07700900563', service_id: other })).body).toEqual([]);
  });

  it('404 for another service, 400 for no recipient', async () => {
    const service_id = '4f46df42-f795-4cc4-83bb-65ca312f49cc';
    expect((await ask('find-recipient', { recipient: '07700900563', service_id })).status).toBe(404);
    expect((await ask('export-recipient', { recipient: 'x' })).body.message).toEqual({
      recipient: [
        'Not a valid email address or phone number. For letters, give the name and the postcode on separate lines.',
      ],
    });
  });
});
