import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { storedMessage } from '../../../test/kit/builders/sends.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { firstPage, makePdf } from '../../../test/kit/samples/pdf-samples.ts';
import { deleteExpiredData } from '../retention.ts';
import { letterFiles } from '../tasks-for-others.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let created_by: string;
let template_id: string;

beforeAll(async () => {
  created_by = await aUser(harness, { name: 'Grace Sender', mobile_number: '07700900777' });
  service = await aService(harness, { name: 'Post', created_by_id: created_by });
  template_id = await aTemplate(harness, service);
});

function send(change: object = {}, of = service) {
  return harness.admin('POST', `/service/${of}/send-notification`, {
    template_id,
    to: '07700 900123',
    personalisation: { name: 'Ada' },
    created_by,
    ...change,
  });
}

const stored = (id: string) => storedMessage(harness, id);

describe('POST /service/{id}/send-notification', () => {
  it('201 returns the id; the public API shows who sent it', async () => {
    const sender_id = await aReplyTo(harness, service, 'sms', { text: 'DESK' });
    const { status, body } = await send({ sender_id, reference: 'mine' });
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.any(String) });
    expect(await stored(body.id)).toMatchObject({
      created_by_id: created_by,
      api_key_id: null,
      key_type: 'normal',
      recipient: '07700 900123',
      reply_to_text: 'DESK',
      client_reference: 'mine',
    });
    const read = await harness.v2('GET', `/v2/notifications/${body.id}`, await anApiKey(harness, service));
    expect(read.body).toMatchObject({ body: 'Hello Ada', created_by_name: 'Grace Sender' });
  });

  it('201 for an email and for a letter with spaces in address keys', async () => {
    const email = await aTemplate(harness, service, { template_type: 'email', subject: 's' });
    expect((await send({ template_id: email, to: 'Ada@example.org' })).status).toBe(201);
    const letter = await aTemplate(harness, service, { template_type: 'letter', subject: 's' });
    const personalisation = { name: 'x', 'address line 1': 'Ada', 'Address Line 2': 'London', postcode: 'SW1A 1AA' };
    const sent = await send({ template_id: letter, to: 'Ada', personalisation });
    expect(sent.status).toBe(201);
    expect((await stored(sent.body.id))?.recipient).toBe('Ada\nLondon\nSW1A 1AA');
  });

  it('201 for a simulated recipient, stored and delivered like any other', async () => {
    const email = await aTemplate(harness, service, { template_type: 'email', subject: 's' });
    const text = await send({ to: '07700 900000' });
    const mail = await send({ template_id: email, to: 'simulate-delivered@notifications.service.gov.uk' });
    expect([text.status, mail.status]).toEqual([201, 201]);
    await harness.deliver();
    for (const id of [text.body.id, mail.body.id]) expect(await stored(id)).toMatchObject({ status: 'sending' });
    const counted = await harness.app.db
      .selectFrom('daily_message_counts')
      .select('channel')
      .where('service_id', '=', service)
      .execute();
    expect(counted.map(({ channel }) => channel)).toContain('email');
  });

  it.each<[object, unknown]>([
    [{ to: '0770' }, { to: ['Mobile number is too short'] }],
    [{ personalisation: {} }, 'Missing personalisation: name'],
    [
      { to: null, created_by: 'x' },
      { to: ['Field may not be null.'], created_by: ['Not a valid UUID.'] },
    ],
    [{ sender_id: '4f46df42-f795-4cc4-83bb-65ca312f4900' }, expect.stringContaining('does not exist in database')],
  ])('400 for %j', async (change, message) => {
    const response = await send(change);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message });
  });

  it('201 at a time within 24 hours; 400 for others, and for letters', async () => {
    const { status, body } = await send({ scheduled_for: '2026-11-17T11:00:00+00:00' });
    expect([status, (await stored(body.id))?.scheduled_for]).toEqual([201, '2026-11-17T11:00:00.000000Z']);
    const late = await send({ scheduled_for: '2026-11-17T12:00:01Z' });
    expect(late.body.message).toEqual({ scheduled_for: ['datetime can only be 24 hours in the future'] });
    const letter = await aTemplate(harness, service, { template_type: 'letter', subject: 's' });
    const scheduled = await send({ template_id: letter, scheduled_for: '2026-11-17T11:00:00Z' });
    expect(scheduled.body.message).toEqual({ scheduled_for: ['Letters cannot be scheduled'] });
  });

  it('201 with the same message for each request with the same send_id', async () => {
    const send_id = randomUUID();
    const all = await Promise.all([send({ send_id }), send({ send_id }), send({ send_id: send_id.toUpperCase() })]);
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
    expect((await send({ send_id })).body).toEqual(all[0]?.body);
    expect((await send({ send_id: randomUUID() })).body.id).not.toBe(all[0]?.body.id);
  });

  it('400 when the sender is not a member', async () => {
    const stranger = await aUser(harness, { name: 'Eve' });
    expect((await send({ created_by: stranger })).body.message).toBe(
      'Can’t create notification - Eve is not part of the "Post" service',
    );
  });

  it('400 for other recipients in trial mode, 201 for the sender', async () => {
    const trial = await aService(harness, { restricted: true, created_by_id: created_by });
    const template = await aTemplate(harness, trial);
    expect((await send({ template_id: template }, trial)).body.message).toMatch(/trial mode/);
    expect((await send({ template_id: template, to: '07700900777' }, trial)).status).toBe(201);
  });

  it('404 when the service or the template does not exist; 429 over the daily limit', async () => {
    const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
    expect((await send({}, unknown)).status).toBe(404);
    expect((await send({ template_id: unknown })).status).toBe(404);
    const full = await aService(harness, { sms_message_limit: 1, created_by_id: created_by });
    const template = await aTemplate(harness, full);
    expect((await send({ template_id: template }, full)).status).toBe(201);
    expect((await send({ template_id: template }, full)).status).toBe(429);
  });
});

describe('POST /service/{id}/send-pdf-letter', () => {
  function sendPdf(change: object = {}, of = service) {
    const content = Buffer.from('%PDF-1.7').toString('base64');
    return harness.admin('POST', `/service/${of}/send-pdf-letter`, {
      filename: 'rent.pdf',
      created_by,
      content,
      ...change,
    });
  }

  it('201 returns the id, queues the check of the file and uses its name as reference', async () => {
    const { status, body } = await sendPdf({ postage: 'first' });
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.any(String) });
    expect(await stored(body.id)).toMatchObject({
      created_by_id: created_by,
      api_key_id: null,
      status: 'pending-virus-check',
      client_reference: 'rent.pdf',
      postage: 'first',
    });
    expect(harness.files.kept.get(letterFiles.uploaded(body.id))?.toString()).toBe('%PDF-1.7');
    const unsaid = await sendPdf({ postage: null });
    expect((await stored(unsaid.body.id))?.postage).toBe('second');
  });

  describe('with a file_id', () => {
    const get = (path: string, of = service) => harness.admin('GET', `/service/${of}${path}`);
    const lettersOf = async (of: string) => (await get('/notifications?template_type=letter', of)).body.notifications;

    it('201 uses that id for the letter everywhere', async () => {
      const of = await aService(harness, { created_by_id: created_by });
      const file_id = randomUUID();
      const pdf = Buffer.from(await makePdf([firstPage()])).toString('base64');
      const before = (await sendPdf({}, of)).body.id;
      harness.clock.advance({ seconds: 1 });
      const { status, body } = await sendPdf({ file_id: file_id.toUpperCase(), content: pdf }, of);
      expect([status, body]).toEqual([201, { id: file_id }]);
      harness.clock.advance({ seconds: 1 });
      const after = (await sendPdf({}, of)).body.id;
      await harness.runTasks();

      const ids = [after, file_id, before];
      expect((await lettersOf(of)).map(({ id }: { id: string }) => id)).toEqual(ids);
      expect((await get(`/notifications/${file_id}`, of)).body).toMatchObject({ id: file_id, status: 'created' });
      expect((await get('/notifications/csv', of)).body.notifications[1].id).toBe(file_id);
      const older = await get(`/notifications?older_than=${file_id}`, of);
      expect(older.body.notifications.map(({ id }: { id: string }) => id)).toEqual([before]);
      const preview = await get(`/template/preview/${file_id}/pdf`, of);
      expect([preview.status, preview.body.metadata.page_count]).toEqual([200, 1]);
      const key = await anApiKey(harness, of);
      expect((await harness.v2('GET', `/v2/notifications/${file_id}`, key)).body.id).toBe(file_id);
      expect((await harness.v2('GET', `/v2/notifications/${file_id}/pdf`, key)).status).toBe(200);
      const listed = await harness.v2('GET', `/v2/notifications?older_than=${after}`, key);
      expect(listed.body.notifications.map(({ id }: { id: string }) => id)).toEqual([file_id, before]);
      const found = await harness.admin('POST', '/platform-admin/find-by-uuid', { uuid: file_id });
      expect(found.body).toEqual({ type: 'notification', context: { service_id: of } });
      const cancelled = await harness.admin('POST', `/service/${of}/notifications/${file_id}/cancel`, {});
      expect(cancelled.body).toMatchObject({ id: file_id, status: 'cancelled' });
    });

    it('201 with the same id for a repeated request, even with another body, and no second letter', async () => {
      const of = await aService(harness, { letter_message_limit: 1, created_by_id: created_by });
      const file_id = randomUUID();
      const first = await sendPdf({ file_id }, of);
      harness.clock.advance({ days: 2 });
      const second = await sendPdf({ file_id, filename: 'other.pdf', postage: 'first' }, of);
      expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
      expect(await lettersOf(of)).toMatchObject([{ id: file_id, client_reference: 'rent.pdf', postage: 'second' }]);
      await harness.app.db.deleteFrom('notifications').where('service_id', '=', of).execute();
      expect((await sendPdf({ file_id }, of)).body).toEqual(first.body);
      expect(await lettersOf(of)).toEqual([]);
      harness.clock.set('2026-11-16T12:00:00Z');
    });

    it('201 for all concurrent requests, with one letter, one file and one count of the daily limit', async () => {
      const of = await aService(harness, { created_by_id: created_by });
      const file_id = randomUUID();
      const files = harness.files.kept.size;
      const responses = await Promise.all(Array.from({ length: 8 }, () => sendPdf({ file_id }, of)));
      expect(responses.map(({ status, body }) => [status, body.id])).toEqual(responses.map(() => [201, file_id]));
      expect(await lettersOf(of)).toHaveLength(1);
      expect(harness.files.kept.size).toBe(files + 1);
      const counts = await harness.app.db
        .selectFrom('daily_message_counts')
        .select('count')
        .where('service_id', '=', of)
        .execute();
      expect(counts).toEqual([{ count: 1 }]);
    });

    it('201 for two services with the same id: each gets its own letter', async () => {
      const one = await aService(harness, { created_by_id: created_by });
      const other = await aService(harness, { created_by_id: created_by });
      const file_id = randomUUID();
      await sendPdf({ file_id, filename: 'secret.pdf' }, one);
      expect((await get(`/notifications/${file_id}`, other)).status).toBe(404);
      expect((await sendPdf({ file_id, filename: 'mine.pdf' }, other)).status).toBe(201);
      for (const [of, client_reference] of [
        [one, 'secret.pdf'],
        [other, 'mine.pdf'],
      ] as const) {
        expect(await lettersOf(of)).toMatchObject([{ id: file_id, client_reference }]);
        expect((await get(`/notifications/${file_id}`, of)).body).toMatchObject({ id: file_id, client_reference });
      }
    });

    it('201 after a limit rejected the first request', async () => {
      const of = await aService(harness, { letter_message_limit: 0, created_by_id: created_by });
      const file_id = randomUUID();
      expect((await sendPdf({ file_id }, of)).status).toBe(429);
      await harness.admin('POST', `/service/${of}`, { letter_message_limit: 5 });
      expect((await sendPdf({ file_id }, of)).body).toEqual({ id: file_id });
      expect(await lettersOf(of)).toHaveLength(1);
    });

    it('400 for an invalid id or the id of another message of the service', async () => {
      expect((await sendPdf({ file_id: 'x' })).body.message).toEqual({ file_id: ['Not a valid UUID.'] });
      const { id } = (await send()).body;
      expect((await sendPdf({ file_id: id })).body.message).toEqual({ file_id: ['Already in use.'] });
    });

    it('is deleted after a year', async () => {
      const file_id = randomUUID();
      await sendPdf({ file_id });
      harness.clock.advance({ days: 365 });
      await deleteExpiredData(harness.app);
      expect((await get(`/notifications/${file_id}`)).status).toBe(200);
      harness.clock.advance({ seconds: 1 });
      await deleteExpiredData(harness.app);
      expect((await get(`/notifications/${file_id}`)).status).toBe(404);
      harness.clock.set('2026-11-16T12:00:00Z');
    });
  });

  it.each<[object, unknown]>([
    [
      { content: undefined, filename: '' },
      { content: ['Missing data for required field.'], filename: expect.anything() },
    ],
    [{ postage: 'air' }, { postage: ['Must be one of: first, second, economy, europe, rest-of-world.'] }],
    [{ content: 'hi' }, 'Cannot decode letter content (invalid base64 encoding)'],
  ])('400 for %j', async (change, message) => {
    const response = await sendPdf(change);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message });
  });

  it('403 in trial mode and without the letter permission, 404 for an unknown service', async () => {
    const trial = await aService(harness, { restricted: true, created_by_id: created_by });
    const refused = await sendPdf({}, trial);
    expect([refused.status, refused.body.message]).toEqual([403, 'Cannot send letters when service is in trial mode']);
    const texts = await aService(harness, { permissions: ['sms'], created_by_id: created_by });
    expect((await sendPdf({}, texts)).body.message).toBe('Service is not allowed to send letter');
    expect((await sendPdf({}, '4f46df42-f795-4cc4-83bb-65ca312f4900')).status).toBe(404);
  });
});
