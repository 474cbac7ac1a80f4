import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { aJob } from '../../../test/kit/builders/jobs.ts';
import { aLetter, anUploadedLetter, letterRow } from '../../../test/kit/builders/letters.ts';
import { anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { firstPage, makePdf } from '../../../test/kit/samples/pdf-samples.ts';
import { letterFiles } from '../../notifications/tasks-for-others.ts';
import { letterReference } from '../print/print-provider.ts';

const harness = useHarness({ now: '2024-02-05T12:00:00Z', config: { providers: { sandbox: { delay_ms: 0 } } } });
let service: string;
let template: string;
let apiKey: string;

beforeAll(async () => {
  harness.app.printer = { handOver: async () => {}, despatchesItselfAfter_ms: 0 };
  service = await aService(harness);
  template = await aTemplate(harness, service, { template_type: 'letter', name: 'A letter' });
  await anApiKey(harness, service);
  const { id } = await harness.app.db.selectFrom('api_keys').select('id').executeTakeFirstOrThrow();
  apiKey = id;
  await harness.admin('POST', `/service/${service}/callback-api`, {
    url: 'https://example.org/returned',
    bearer_token: 'a-token-for-callbacks',
    updated_by_id: await aUser(harness),
    callback_type: 'returned_letter',
  });
});

async function printedLetters(): Promise<[string, string]> {
  harness.clock.set('2024-02-05T12:00:00Z');
  const templated = await aLetter(harness, service, template, { api_key_id: apiKey, client_reference: 'mine' });
  harness.clock.set('2024-02-05T12:00:01Z');
  const uploaded = await anUploadedLetter(harness, service, await makePdf([firstPage()]), { api_key_id: apiKey });
  await harness.runTasks();
  harness.clock.set('2024-02-05T17:30:00Z');
  await harness.addTask('collate-letters');
  await harness.runTasks();
  return [templated, uploaded];
}

const report = (references: unknown) => harness.admin('POST', '/letters/returned', { references });
const get = (path: string) => harness.admin('GET', `/service/${service}/${path}`);

describe('POST /letters/returned', () => {
  it('200 and sets the letters to returned; unknown and repeated references change nothing', async () => {
    expect((await get('returned-letter-statistics')).body).toEqual({
      returned_letter_count: 0,
      most_recent_report: null,
    });
    const ids = await printedLetters();
    harness.clock.set('2024-02-20T23:30:00Z');
    const references = [...ids.map(letterReference), 'AAAAAAAAAAAAAAAA'];
    const response = await report(references);
    expect([response.status, response.body]).toEqual([200, { references }]);
    expect((await letterRow(harness, ids[0])).status).toBe('returned-letter');
    await harness.runTasks();
    harness.clock.set('2024-02-21T12:00:00Z');
    expect((await report(references)).status).toBe(200);
    await harness.runTasks();
    const callbacks = await harness.app.db.selectFrom('service_callbacks').selectAll().orderBy('created_at').execute();
    expect(callbacks.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      [
        'https://example.org/returned',
        {
          notification_id: ids[0],
          reference: 'mine',
          date_sent: '2024-02-05T12:00:00.000000Z',
          sent_by: 'API',
          template_name: 'A letter',
          template_id: template,
          template_version: 1,
          spreadsheet_file_name: null,
          spreadsheet_row_number: null,
          upload_letter_file_name: null,
        },
      ],
      [
        'https://example.org/returned',
        expect.objectContaining({ notification_id: ids[1], reference: 'upload', template_name: null }),
      ],
    ]);

    expect((await get('returned-letter-statistics')).body).toEqual({
      returned_letter_count: 2,
      most_recent_report: '2024-02-20T00:00:00.000000Z',
    });
    expect((await get('returned-letter-summary')).body).toEqual([
      { returned_letter_count: 2, reported_at: '2024-02-20' },
    ]);
    expect((await get('returned-letters?reported_at=2024-02-20')).body).toEqual({
      orphaned_count: 0,
      returned_letters: [
        {
          notification_id: ids[1],
          client_reference: 'upload',
          reported_at: '2024-02-20',
          created_at: '2024-02-05 12:00:01',
          template_name: null,
          template_id: null,
          template_version: null,
          user_name: 'API',
          email_address: 'API',
          original_file_name: null,
          job_row_number: null,
          uploaded_letter_file_name: null,
        },
        {
          notification_id: ids[0],
          client_reference: 'mine',
          reported_at: '2024-02-20',
          created_at: '2024-02-05 12:00:00',
          template_name: 'A letter',
          template_id: template,
          template_version: 1,
          user_name: 'API',
          email_address: 'API',
          original_file_name: null,
          job_row_number: null,
          uploaded_letter_file_name: null,
        },
      ],
    });
    expect((await get('returned-letters?reported_at=2024-02-21')).body).toEqual({
      returned_letters: [],
      orphaned_count: 0,
    });

    harness.clock.set('2024-03-21T12:00:00Z');
    expect((await get('returned-letter-statistics')).body).toEqual({
      returned_letter_count: 0,
      most_recent_report: '2024-02-20T00:00:00.000000Z',
    });
  });

  it('200 for a letter whose notification was deleted, with its files deleted separately', async () => {
    const [id, other] = await printedLetters();
    await harness.app.db.deleteFrom('notifications').where('id', '=', id).execute();
    await harness.addTask('clean-letters');
    await harness.runTasks();
    expect(harness.files.kept.has(letterFiles.finished(id))).toBe(false);
    harness.clock.set('2024-04-01T12:00:00Z');
    await report([letterReference(id), letterReference(other)]);
    expect((await get('returned-letters?reported_at=2024-04-01')).body).toMatchObject({
      returned_letters: [{ notification_id: other }, { notification_id: id }],
      orphaned_count: 1,
    });
  });

  it('200 with London times, in summer too', async () => {
    harness.clock.set('2024-07-01T12:00:00Z');
    const id = await aLetter(harness, service, template);
    await harness.runTasks();
    harness.clock.set('2024-07-01T16:30:00Z');
    await harness.addTask('collate-letters');
    await harness.runTasks();
    harness.clock.set('2024-07-10T12:00:00Z');
    await report([letterReference(id)]);
    const { body } = await get('returned-letters?reported_at=2024-07-10');
    expect(body.returned_letters).toMatchObject([{ notification_id: id, created_at: '2024-07-01 13:00:00' }]);
  });

  it('200 for a letter uploaded by hand, with its file name and its user', async () => {
    harness.clock.set('2024-02-05T12:00:00Z');
    const created_by_id = await aUser(harness, { name: 'Grace', email_address: 'grace@example.gov.uk' });
    const pdf = await makePdf([firstPage()]);
    const id = await anUploadedLetter(harness, service, pdf, { created_by_id, client_reference: 'rent.pdf' });
    const file_id = randomUUID();
    await harness.app.db
      .insertInto('uploaded_letters')
      .values({ service_id: service, file_id, notification_id: id, created_at: '2024-02-05T12:00:00Z' })
      .execute();
    await harness.runTasks();
    harness.clock.set('2024-02-05T17:30:00Z');
    await harness.addTask('collate-letters');
    await harness.runTasks();
    harness.clock.set('2024-05-01T12:00:00Z');
    await report([letterReference(id)]);
    await harness.runTasks();
    const people = { user_name: 'Grace', email_address: 'grace@example.gov.uk' };
    expect((await get('returned-letters?reported_at=2024-05-01')).body.returned_letters).toMatchObject([
      { notification_id: file_id, client_reference: null, uploaded_letter_file_name: 'rent.pdf', ...people },
    ]);
    const { body } = await harness.app.db
      .selectFrom('service_callbacks')
      .select('body')
      .where('subject_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(body)).toMatchObject({
      notification_id: file_id,
      reference: null,
      sent_by: 'grace@example.gov.uk',
      upload_letter_file_name: 'rent.pdf',
    });
  });

  it('200 for a letter of a job, with its file and row, after its notification was deleted', async () => {
    harness.clock.set('2024-02-05T12:00:00Z');
    const job_id = await aJob(harness, service, template, { original_file_name: 'tenants.csv' });
    const id = await aLetter(harness, service, template);
    const row = { job_id, job_row_number: 7 };
    await harness.app.db.updateTable('notifications').set(row).where('id', '=', id).execute();
    await harness.runTasks();
    harness.clock.set('2024-02-05T17:30:00Z');
    await harness.addTask('collate-letters');
    await harness.runTasks();
    await harness.app.db.deleteFrom('notifications').where('id', '=', id).execute();
    harness.clock.set('2024-06-01T12:00:00Z');
    await report([letterReference(id)]);
    await harness.runTasks();
    expect((await get('returned-letters?reported_at=2024-06-01')).body.returned_letters).toMatchObject([
      { notification_id: id, original_file_name: 'tenants.csv', job_row_number: 9, uploaded_letter_file_name: null },
    ]);
    const { body } = await harness.app.db
      .selectFrom('service_callbacks')
      .select('body')
      .where('subject_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(body)).toMatchObject({ spreadsheet_file_name: 'tenants.csv', spreadsheet_row_number: 9 });
  });

  it.each([
    ['missing', undefined, 'Missing data for required field.'],
    ['not a list', 'AAAAAAAAAAAAAAAA', 'Not a valid list.'],
  ])('400 when the references are %s', async (_, references, text) => {
    const response = await report(references);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message: { references: [text] } });
  });

  it.each(['too-short', 'aaaaaaaaaaaaaaaa', 'AAAAAAAAAAAAAAAAA'])('400 when a reference is %s', async (reference) => {
    const response = await report([reference]);
    expect(response.status).toBe(400);
    expect(Object.keys(response.body.message)).toEqual(['references']);
  });
});

describe('GET /service/{service_id}/returned-letters', () => {
  it('400 without a day, or with an invalid one', async () => {
    expect((await get('returned-letters')).body.message).toEqual({ reported_at: ['Missing data for required field.'] });
    expect((await get('returned-letters?reported_at=yesterday')).body.message).toEqual({
      reported_at: ['Not a valid date.'],
    });
  });

  it.each(['returned-letters?reported_at=2024-02-20', 'returned-letter-summary', 'returned-letter-statistics'])(
    '404 when the service is unknown: %s',
    async (path) => {
      const response = await harness.admin('GET', `/service/4f46df42-f795-4cc4-83bb-65ca312f49cc/${path}`);
      expect([response.status, response.body]).toEqual([404, { result: 'error', message: 'No result found' }]);
    },
  );
});
