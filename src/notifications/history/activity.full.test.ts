import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { aJob } from '../../../test/kit/builders/jobs.ts';
import { aLetter } from '../../../test/kit/builders/letters.ts';
import { aNotification, anApiKey, aReplyTo, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { laterPage, makePdf } from '../../../test/kit/samples/pdf-samples.ts';
import { letterReference } from '../../letters/print/print-provider.ts';
import { timestamp } from '../../platform/clock.ts';
import { newId } from '../../platform/id.ts';
import type { NewNotification } from '../notification.ts';
import { addUpChanges } from '../rollups/rollups.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
let service: string;
let sms: string;
let letters: string;

beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness);
  sms = await aTemplate(harness, service, { name: 'Reminder' });
  letters = await aTemplate(harness, service, { template_type: 'letter' });
});

function sent(fields: Partial<NewNotification> = {}) {
  return aNotification(harness, service, fields.notification_type === 'letter' ? letters : sms, fields);
}

function list(query = '') {
  return harness.admin('GET', `/service/${service}/notifications${query}`);
}

async function idsOf(query: string): Promise<string[]> {
  return (await list(query)).body.notifications.map(({ id }: { id: string }) => id);
}

describe('GET /service/{id}/notifications', () => {
  it('200 returns every key of a message', async () => {
    const created_by_id = await aUser(harness, { name: 'Grace', email_address: 'grace@example.org' });
    const id = await sent({ created_by_id, client_reference: 'mine', reply_to_text: 'TESTING' });
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toEqual({
      notifications: [
        {
          id,
          service,
          notification_type: 'sms',
          status: 'created',
          to: '07700900123',
          normalised_to: '447700900123',
          phone_prefix: '44',
          template: {
            id: sms,
            service,
            version: 1,
            name: 'Reminder',
            template_type: 'sms',
            subject: null,
            content: 'Hello ((name))',
            reply_to_text: 'TESTING',
            letter_attachment: null,
            letter_languages: null,
            letter_welsh_subject: null,
            letter_welsh_content: null,
            has_unsubscribe_link: false,
            redact_personalisation: false,
            is_precompiled_letter: false,
          },
          template_version: 1,
          subject: null,
          body: 'Hello Ada',
          personalisation: { name: 'Ada' },
          job: null,
          job_row_number: null,
          api_key: null,
          key_name: null,
          key_type: 'normal',
          created_by: { id: created_by_id, name: 'Grace', email_address: 'grace@example.org' },
          created_by_name: 'Grace',
          created_by_email_address: 'grace@example.org',
          client_reference: 'mine',
          reference: null,
          sent_by: null,
          reply_to_text: 'TESTING',
          unsubscribe_link: null,
          document_download_count: 0,
          postage: null,
          international: false,
          rate_multiplier: 1,
          billable_units: 0,
          scheduled_for: null,
          created_at: '2026-11-16T12:00:00.000000Z',
          sent_at: null,
          updated_at: null,
          completed_at: null,
        },
      ],
      page_size: 50,
      links: {},
    });
  });

  it('200 with the name of the key', async () => {
    const key = await anApiKey(harness, service, { name: 'my key' });
    const { id } = await harness.app.db
      .selectFrom('api_keys')
      .select('id')
      .where('name', '=', 'my key')
      .executeTakeFirstOrThrow();
    await sent({ api_key_id: id });
    expect(key).toContain('my key');
    expect((await list()).body.notifications[0]).toMatchObject({ api_key: id, key_name: 'my key' });
  });

  it('200 with the template version that was sent and its current sender', async () => {
    const reply_to = await aReplyTo(harness, service, 'letter', { text: 'Town Hall' });
    const template = await aTemplate(harness, service, {
      template_type: 'letter',
      letter_languages: 'welsh_then_english',
      letter_welsh_subject: 'Pwnc',
      letter_welsh_content: 'Annwyl ((name))',
      reply_to,
    });
    const id = await aNotification(harness, service, template, { notification_type: 'letter' });
    const shown = async () => (await list(`?template_type=letter`)).body.notifications[0].template;
    expect(await shown()).toMatchObject({
      service,
      reply_to_text: 'Town Hall',
      letter_attachment: null,
      letter_languages: 'welsh_then_english',
      letter_welsh_subject: 'Pwnc',
      letter_welsh_content: 'Annwyl ((name))',
      has_unsubscribe_link: false,
    });
    await harness.admin('POST', `/service/${service}/letter-contact/${reply_to}`, {
      contact_block: 'City Hall',
      is_default: false,
    });
    expect((await shown()).reply_to_text).toBe('City Hall');
    const one = await harness.admin('GET', `/service/${service}/notifications/${id}`);
    expect(one.body.template).toEqual(await shown());
  });

  it('200 with the letter’s attachment, even after it was archived', async () => {
    const author = await aUser(harness);
    const content = Buffer.from(await makePdf([laterPage()])).toString('base64');
    const attached = await harness.admin('POST', '/letter-attachment', {
      upload_id: newId(harness.clock.now()),
      template_id: letters,
      created_by_id: author,
      original_filename: 'map.pdf',
      page_count: 1,
      content,
    });
    await sent({ notification_type: 'letter', template_version: 2 });
    const shown = async () => (await list()).body.notifications[0].template.letter_attachment;
    expect(await shown()).toEqual(attached.body);
    await harness.admin('POST', `/letter-attachment/${attached.body.id}/archive`, { archived_by: author });
    expect(await shown()).toMatchObject({ id: attached.body.id, archived_by_id: author });
  });

  it('200 with the normalised recipient and the country calling code', async () => {
    const french = { recipient: '+33 6 12 34 56 78', normalised_recipient: '33612345678', international: true };
    await sent(french);
    await sent({ recipient: '+1 684 733 1234', normalised_recipient: '16847331234' });
    await sent({ notification_type: 'letter', recipient: 'Ada\n1 High Street\nSW1A 1AA', normalised_recipient: null });
    expect((await list()).body.notifications).toMatchObject([
      { normalised_to: 'ada1highstreetsw1a1aa', phone_prefix: null },
      { normalised_to: '16847331234', phone_prefix: '1684' },
      { to: '+33 6 12 34 56 78', normalised_to: '33612345678', phone_prefix: '33' },
    ]);
  });

  it('200 with the unsubscribe link and the file count of an email', async () => {
    await harness.app.db.updateTable('services').set({ contact_link: 'x' }).where('id', '=', service).execute();
    const email = { template_type: 'email' as const, subject: 's', content: '((a)) ((b))' };
    const template_id = await aTemplate(harness, service, email);
    const key = await anApiKey(harness, service);
    const file = { file: Buffer.from('%PDF-1.7').toString('base64') };
    const send = (change: object) =>
      harness.v2('POST', '/v2/notifications/email', key, { email_address: 'Ada@Example.org', template_id, ...change });
    const personalisation = { a: file, b: file };
    await send({ personalisation, one_click_unsubscribe_url: 'https://example.org/stop' });
    await send({ personalisation: { a: 'no', b: 'file' } });
    expect((await list('?template_type=email')).body.notifications).toMatchObject([
      { document_download_count: 0, unsubscribe_link: null },
      {
        to: 'Ada@Example.org',
        normalised_to: 'ada@example.org',
        phone_prefix: null,
        document_download_count: 2,
        unsubscribe_link: 'https://example.org/stop',
      },
    ]);
  });

  it.each(['normal', 'test'] as const)('200 with the provider and its reference for a %s key', async (key_type) => {
    const key = await anApiKey(harness, service, { key_type });
    const email = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'c' });
    const texting = { phone_number: '07700900123', template_id: sms, personalisation: { name: 'Ada' } };
    const ids = [
      (await harness.v2('POST', '/v2/notifications/sms', key, texting)).body.id,
      (await harness.v2('POST', '/v2/notifications/email', key, { email_address: 'a@b.org', template_id: email })).body
        .id,
    ];
    const shown = async () => (await list('?include_from_test_key=true')).body.notifications.reverse();
    expect(await shown()).toMatchObject(ids.map((id) => ({ id, reference: null, sent_by: null })));
    await harness.deliver();
    expect(await shown()).toMatchObject(ids.map((id) => ({ id, reference: id, sent_by: 'sandbox' })));
  });

  it('200 with the printer and its reference for a letter of a test key', async () => {
    const id = await aLetter(harness, service, letters, { key_type: 'test' });
    await harness.runTasks();
    const [letter] = (await list('?include_from_test_key=true')).body.notifications;
    expect(letter).toMatchObject({ id, status: 'delivered', reference: letterReference(id), sent_by: 'dvla' });
  });

  it('200 without redacted personalisation, also of messages sent before redaction', async () => {
    await sent({ personalisation: { name: 'Ada Lovelace' } });
    await harness.app.db.updateTable('templates').set({ redact_personalisation: true }).where('id', '=', sms).execute();
    const { text, body } = await list();
    expect(text).not.toContain('Lovelace');
    expect(body.notifications[0]).toMatchObject({ personalisation: { name: '[hidden]' }, body: 'Hello [hidden]' });
  });

  it('200 in pages, newest first', async () => {
    const ids = [await sent(), await sent(), await sent()].reverse();
    const first = await list('?page_size=2');
    expect(first.body.links).toEqual({ next: true });
    expect(await idsOf('?page_size=2')).toEqual(ids.slice(0, 2));
    expect((await list('?page_size=2&page=2')).body).toMatchObject({ page_size: 2, links: { prev: true } });
    expect(await idsOf('?page_size=2&page=2')).toEqual(ids.slice(2));
    expect(await idsOf('?page=99')).toEqual([]);
    expect(await idsOf(`?older_than=${ids[0]}`)).toEqual(ids.slice(1));
  });

  it('200 filtered', async () => {
    const person = await aUser(harness);
    const one = await sent({ client_reference: 'ABC-1' });
    const two = await sent({ status: 'permanent-failure', normalised_recipient: '447700900999' });
    const three = await sent({ notification_type: 'letter', status: 'delivered', normalised_recipient: null });
    const byHand = await sent({ created_by_id: person });
    const test = await sent({ key_type: 'test' });
    expect(await idsOf('')).toEqual([byHand, three, two, one]);
    expect(await idsOf('?include_from_test_key=true')).toEqual([test, byHand, three, two, one]);
    expect(await idsOf('?include_one_off=False')).toEqual([three, two, one]);
    expect(await idsOf('?template_type=letter')).toEqual([three]);
    expect(await idsOf('?template_type=letter&template_type=sms&status=failed&status=delivered')).toEqual([three, two]);
    expect(await idsOf('?to=0770%200900999')).toEqual([two]);
    expect(await idsOf('?to=abc')).toEqual([one]);
    expect(await idsOf('?to=%25')).toEqual([]);
    expect(await idsOf('?include_jobs=0&count_pages=false&to=high')).toEqual([three]);
  });

  it('200 with only the last days', async () => {
    harness.clock.set('2026-11-09T23:59:00Z');
    const old = await sent();
    harness.clock.set('2026-11-16T12:00:00Z');
    const young = await sent();
    expect(await idsOf('?limit_days=6')).toEqual([young]);
    expect(await idsOf('?limit_days=7')).toEqual([young, old]);
  });

  it.each([
    ['page=one', { page: ['Not a valid integer.'] }],
    ['include_jobs=yes', { include_jobs: ['Not a valid boolean.'] }],
    ['template_type=post', { template_type: ['Must be one of: sms, email, letter.'] }],
    ['older_than=x', { older_than: ['Not a valid UUID.'] }],
  ])('400 for ?%s', async (query, message) => {
    const response = await list(`?${query}`);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown service', async () => {
    const response = await harness.admin('GET', `/service/${unknown}/notifications`);
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ result: 'error', message: 'No result found' });
  });
});

describe('POST /service/{id}/notifications', () => {
  it('200 filtered by the body', async () => {
    const id = await sent({ normalised_recipient: 'grace@example.org' });
    await sent();
    const response = await harness.admin('POST', `/service/${service}/notifications`, {
      to: 'Grace@',
      template_type: 'sms',
      status: ['created'],
      page: 1,
      limit_days: null,
      include_from_test_key: true,
    });
    expect(response.status).toBe(200);
    expect(response.body.notifications.map((found: { id: string }) => found.id)).toEqual([id]);
  });

  it('400 for a field of the wrong type', async () => {
    const response = await harness.admin('POST', `/service/${service}/notifications`, { page: 'one', to: 5 });
    expect(response.body.message).toEqual({ page: ['Not a valid integer.'], to: ['Not a valid string.'] });
  });
});

describe('GET /service/{id}/notifications/{notification_id}', () => {
  it('200 returns the message', async () => {
    const id = await sent();
    const response = await harness.admin('GET', `/service/${service}/notifications/${id}`);
    expect(response.body).toMatchObject({ id, body: 'Hello Ada', template: { name: 'Reminder' }, created_by: null });
  });

  it('404 when it is unknown or belongs to another service', async () => {
    const foreign = await sent();
    const other = await aService(harness);
    for (const path of [`${service}/notifications/${unknown}`, `${other}/notifications/${foreign}`]) {
      expect((await harness.admin('GET', `/service/${path}`)).status).toBe(404);
    }
  });
});

describe('POST /service/{id}/notifications/{notification_id}/cancel', () => {
  function cancel(id: string) {
    return harness.admin('POST', `/service/${service}/notifications/${id}/cancel`, {});
  }

  it.each(['created', 'pending-virus-check'] as const)('200 for a letter in %s', async (status) => {
    const id = await sent({ notification_type: 'letter', status });
    const response = await cancel(id);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ id, status: 'cancelled', updated_at: '2026-11-16T12:00:00.000000Z' });
    await addUpChanges(harness.app.db);
    const counts = await harness.app.db
      .selectFrom('daily_status_counts')
      .select(['status', 'count'])
      .where('service_id', '=', service)
      .where('count', '>', 0)
      .execute();
    expect(counts).toEqual([{ status: 'cancelled', count: 1 }]);
  });

  it('400 when it is already cancelled', async () => {
    const id = await sent({ notification_type: 'letter' });
    await cancel(id);
    expect((await cancel(id)).body).toEqual({ result: 'error', message: 'This letter has already been cancelled.' });
  });

  it('400 when it is not a letter', async () => {
    const response = await cancel(await sent());
    expect(response.status).toBe(400);
    expect(response.body.message).toBe('Notification cannot be cancelled - only letters can be cancelled');
  });

  it('400 after printing has begun', async () => {
    const id = await sent({ notification_type: 'letter' });
    harness.clock.set('2026-11-16T17:30:00Z');
    expect((await cancel(id)).body.message).toBe(
      'It’s too late to cancel this letter. Printing started today at 5.30pm',
    );
    harness.clock.set('2026-11-18T09:00:00Z');
    expect((await cancel(id)).body.message).toBe(
      'It’s too late to cancel this letter. Printing started on 16 November at 5.30pm',
    );
  });

  it('400 when it is being printed', async () => {
    const response = await cancel(await sent({ notification_type: 'letter', status: 'sending' }));
    expect(response.body.message).toBe(
      'We could not cancel this letter. Letter status: sending, created_at: 2026-11-16T12:00:00.000000Z',
    );
  });

  it('404 when it does not exist', async () => {
    const response = await cancel(unknown);
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ result: 'error', message: 'Notification not found' });
  });
});

describe('GET /service/{id}/notifications/csv', () => {
  it('200 with readable statuses and times', async () => {
    harness.clock.set('2026-07-01T12:00:00Z');
    const ids = [
      await sent({ status: 'permanent-failure', client_reference: 'mine' }),
      await sent({ notification_type: 'letter', status: 'delivered' }),
    ];
    const response = await harness.admin('GET', `/service/${service}/notifications/csv`);
    expect(response.body.notifications).toEqual([
      expect.objectContaining({ id: ids[1], status: 'Received', template_type: 'letter' }),
      {
        id: ids[0],
        row_number: '',
        recipient: '07700900123',
        client_reference: 'mine',
        template_name: 'Reminder',
        template_type: 'sms',
        job_name: '',
        status: 'Phone number doesn’t exist',
        created_at: '2026-07-01 13:00:00',
        created_by_name: null,
        created_by_email_address: null,
        api_key_name: null,
      },
    ]);
    const next = await harness.admin('GET', `/service/${service}/notifications/csv?older_than=${ids[1]}&page_size=1`);
    expect(next.body.notifications.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
  });

  const csv = async (query: string) =>
    (await harness.admin('GET', `/service/${service}/notifications/csv${query}`)).body;

  it('200 ignores the page number with older_than', async () => {
    const ids = [await sent(), await sent(), await sent()].reverse();
    const page = await csv(`?older_than=${ids[0]}&page=7&page_size=1`);
    expect(page).toMatchObject({ notifications: [{ id: ids[1] }], page_size: 1, links: { next: true } });
    expect(page.links).toEqual({ next: true });
    expect((await csv('?page=2&page_size=1')).notifications).toMatchObject([{ id: ids[1] }]);
  });

  it('200 with up to 10,000 rows', async () => {
    await sql`insert into notifications (id, service_id, template_id, template_version, notification_type, key_type, status,
          recipient, personalisation, created_at)
        select gen_random_uuid(), ${service}, ${sms}, 1, 'sms', 'normal', 'created', '07700900123', '{}',
          ${timestamp(harness.clock.now())} from generate_series(1, 10001)`.execute(harness.app.db);
    for (const size of ['10000', '99999']) {
      const { notifications, page_size, links } = await csv(`?page_size=${size}`);
      expect([notifications.length, page_size, links]).toEqual([10_000, 10_000, { next: true }]);
    }
    expect((await list('?page_size=99999')).body.page_size).toBe(1_000);
  });
});

describe('messages of jobs', () => {
  let job: string;
  let rows: string[];
  let single: string;

  beforeEach(async () => {
    const created_by_id = await aUser(harness, { name: 'Grace' });
    job = await aJob(harness, service, sms, { original_file_name: 'pupils.csv' });
    const row = (job_row_number: number) =>
      aNotification(harness, service, sms, { created_by_id }, { job_id: job, job_row_number });
    rows = [await row(0)];
    harness.clock.advance({ seconds: 1 });
    single = await sent();
    harness.clock.advance({ seconds: 1 });
    rows.push(await row(1));
  });

  it('200 with the job and the row, and merged with the others by time', async () => {
    const { notifications } = (await list()).body;
    const { id, created_by, job: shown, job_row_number } = notifications[0];
    expect({ id, name: created_by.name, shown, job_row_number }).toEqual({
      id: rows[1],
      name: 'Grace',
      shown: { id: job, original_file_name: 'pupils.csv' },
      job_row_number: 1,
    });
    expect(notifications[1]).toMatchObject({ id: single, job: null, job_row_number: null });
    expect(notifications[2]).toMatchObject({ id: rows[0], job_row_number: 0 });
    expect(notifications[2]).not.toHaveProperty('job_id');
    expect(await idsOf('?page_size=2')).toEqual([rows[1], single]);
    expect(await idsOf('?page_size=2&page=2')).toEqual([rows[0]]);
    expect(await idsOf(`?older_than=${rows[1]}`)).toEqual([single, rows[0]]);
    expect(await idsOf('?status=created')).toEqual([rows[1], single, rows[0]]);
  });

  it('200 without them on request; they are not one-off messages', async () => {
    expect(await idsOf('?include_jobs=false')).toEqual([single]);
    expect(await idsOf('?include_jobs=True')).toHaveLength(3);
    expect(await idsOf('?include_one_off=false')).toEqual([rows[1], single, rows[0]]);
    const search = (body: object) => harness.admin('POST', `/service/${service}/notifications`, body);
    expect((await search({ include_jobs: false })).body.notifications).toMatchObject([{ id: single }]);
    expect((await search({ job_id: job })).body.notifications).toHaveLength(2);
  });

  it('200 of one job, newest first; none of an unknown job or of another service', async () => {
    expect(await idsOf(`?job_id=${job}`)).toEqual([rows[1], rows[0]]);
    expect(await idsOf(`?job_id=${job}&page_size=1&page=2`)).toEqual([rows[0]]);
    expect(await idsOf(`?job_id=${job}&older_than=${rows[1]}`)).toEqual([rows[0]]);
    expect(await idsOf(`?job_id=${job}&status=delivered`)).toEqual([]);
    expect(await idsOf(`?job_id=${job}&include_jobs=false`)).toEqual([]);
    expect(await idsOf(`?job_id=${unknown}`)).toEqual([]);
    const other = await aService(harness);
    const { body } = await harness.admin('GET', `/service/${other}/notifications?job_id=${job}`);
    expect(body.notifications).toEqual([]);
    expect((await list('?job_id=x')).body.message).toEqual({ job_id: ['Not a valid UUID.'] });
  });

  it('200 with row number and file name in the export', async () => {
    const { body } = await harness.admin('GET', `/service/${service}/notifications/csv`);
    expect(body.notifications).toMatchObject([
      { id: rows[1], row_number: 2, job_name: 'pupils.csv', created_by_name: 'Grace' },
      { id: single, row_number: '', job_name: '' },
      { id: rows[0], row_number: 1, job_name: 'pupils.csv' },
    ]);
  });
});

describe('GET /service/{id}/notifications/count', () => {
  it('200 counts messages of the last days, without test keys', async () => {
    harness.clock.set('2026-11-01T12:00:00Z');
    await sent();
    harness.clock.set('2026-11-16T12:00:00Z');
    await sent();
    await sent({ notification_type: 'letter' });
    await sent({ key_type: 'test' });
    const count = async (query: string) =>
      (await harness.admin('GET', `/service/${service}/notifications/count${query}`)).body;
    expect(await count('')).toEqual({ notifications_sent_count: 2 });
    expect(await count('?template_type=sms')).toEqual({ notifications_sent_count: 1 });
    expect(await count('?limit_days=30&template_type=sms')).toEqual({ notifications_sent_count: 2 });
  });

  it('404 for an unknown service', async () => {
    expect((await harness.admin('GET', `/service/${unknown}/notifications/count`)).status).toBe(404);
  });
});
