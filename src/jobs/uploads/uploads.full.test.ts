import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aReplyTo, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { aCheckedUpload, smsRows } from '../../../test/kit/builders/uploads.ts';
import { type Answer, adminToken, useHarness } from '../../../test/kit/harness.ts';
import { rowsXml, workbook } from '../../../test/kit/samples/spreadsheets.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { newId } from '../../platform/id.ts';
import { markUploadSent } from '../jobs.sql.ts';
import { beginCheck, updateChunk } from './uploads.sql.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z', config: { bulk: { maxRows: 1_000, maxBytes: 2_000_000 } } });
let service: string;
let template: string;

beforeAll(async () => {
  service = await aService(harness, { sms_message_limit: 5, international_sms_message_limit: 1 });
  template = await aTemplate(harness, service, { content: 'Hello ((name))' });
});
beforeEach(() => harness.clock.set('2026-11-16T12:00:00Z'));

function upload(
  body: string | Buffer,
  query: Record<string, string> = {},
  options: { of?: string; headers?: Record<string, string>; type?: string } = {},
): Promise<Answer> {
  const search = new URLSearchParams({ filename: 'people.csv', ...query });
  return harness.request({
    method: 'POST',
    url: `/service/${options.of ?? service}/upload?${search}`,
    headers: {
      authorization: `Bearer ${adminToken(harness.clock)}`,
      'content-type': options.type ?? 'text/csv',
      ...options.headers,
    },
    payload: body,
  });
}

const get = (id: string, of = service) => harness.admin('GET', `/service/${of}/upload/${id}`);
const change = (id: string, body: unknown, of = service) => harness.admin('POST', `/service/${of}/upload/${id}`, body);

async function countUploads(): Promise<number> {
  const { count } = await harness.app.db
    .selectFrom('uploads')
    .select((table) => table.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const people = 'phone number,name,reference\n07700900460,Ann,a1\n07700900461,Bob,\n';

describe('POST /service/{service_id}/upload', () => {
  it('201 with the result of the check', async () => {
    const { status, body } = await upload(people, { template_id: template });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.any(String),
        original_file_name: 'people.csv',
        encoding: 'utf-8',
        row_count: 2,
        column_headers: ['phone number', 'name', 'reference'],
        template_id: template,
        template_version: 1,
        template_type: 'sms',
        sender_id: null,
        contact_list: false,
        contact_list_id: null,
        state: 'checked',
        valid: true,
        first_problem: null,
        problem_counts: {},
        row_problem_counts: {},
        missing_column_headers: [],
        duplicate_recipient_column_headers: [],
        rows_shown: [
          {
            row: 2,
            recipient: '07700900460',
            cells: { 'phone number': '07700900460', name: 'Ann', reference: 'a1' },
            problems: [],
          },
          {
            row: 3,
            recipient: '07700900461',
            cells: { 'phone number': '07700900461', name: 'Bob', reference: null },
            problems: [],
          },
        ],
        sent_before: false,
        created_at: '2026-11-16T12:00:00.000000Z',
        expires_at: '2026-11-17T12:00:00.000000Z',
      },
    });
    expect((await get(body.data.id)).body).toEqual(body);
  });

  it.each(['application/octet-stream', 'text/csv; charset=utf-8', 'application/json', 'nonsense', ''])(
    '201 whatever the content type is: %j',
    async (type) => {
      const { status, body } = await upload(people, { template_id: template }, { type });
      expect([status, body.data?.row_count]).toEqual([201, 2]);
    },
  );

  it('201 with every problem, the first one named', async () => {
    const text = `phone number,name\n${'07700900460,Ann\n'.repeat(4)}abc,Ann\n07700900460,\n`;
    const { body } = await upload(text, { template_id: template });
    expect(body.data).toMatchObject({
      valid: false,
      first_problem: 'row-errors',
      problem_counts: { 'row-errors': 2, 'too-many-messages': 1 },
      row_problem_counts: { 'bad-recipient': 1, 'missing-data': 1 },
    });
    expect(body.data.rows_shown.map(({ row }: { row: number }) => row)).toEqual([6, 7]);
    expect(body.data.rows_shown[1].problems).toEqual([{ column: 'name', problem: 'Missing' }]);
  });

  it('201 with limits as they are when it is read', async () => {
    const other = await aService(harness, { sms_message_limit: 3, international_sms_message_limit: 1 });
    const ofOther = await aTemplate(harness, other, { content: 'Hi' });
    const { body } = await upload(
      'phone number\n+12025550104\n+12025550104\n07700900460\n07700900461\n',
      { template_id: ofOther },
      { of: other },
    );
    expect(body.data).toMatchObject({
      valid: false,
      first_problem: 'too-many-messages',
      problem_counts: { 'too-many-messages': 1, 'too-many-international': 1 },
    });
    await harness.app.db
      .updateTable('services')
      .set({ sms_message_limit: 10, international_sms_message_limit: 4 })
      .where('id', '=', other)
      .execute();
    harness.app.changeListener.reset();
    expect((await get(body.data.id, other)).body.data.valid).toBe(true);
    const counts = (channel: string, count: number) => ({ service_id: other, utc_day: '2026-11-16', channel, count });
    await harness.app.db
      .insertInto('daily_message_counts')
      .values([counts('sms', 6), counts('international_sms', 3)] as never)
      .execute();
    expect((await get(body.data.id, other)).body.data.problem_counts).toEqual({ 'too-many-international': 1 });
  });

  it('201 in trial mode for members and guests only, and never for letters', async () => {
    const user = await aUser(harness, { mobile_number: '07700900777' });
    const trial = await aService(harness, { restricted: true, created_by_id: user });
    await harness.admin('PUT', `/service/${trial}/guest-list`, { phone_numbers: ['07700900888'], email_addresses: [] });
    const sms = await aTemplate(harness, trial, { content: 'Hi' });
    const letter = await aTemplate(harness, trial, { template_type: 'letter', content: 'Hi', subject: 'A' });
    const check = async (text: string, template_id: string) =>
      (await upload(text, { template_id }, { of: trial })).body.data.problem_counts;
    expect(await check('phone number\n07700900777\n+447700900888\n', sms)).toEqual({});
    expect(await check('phone number\n07700900777\n07700900999\n', sms)).toEqual({ 'not-allowed-to-send-to': 1 });
    expect(await check('address line 1,address line 2,postcode\nA,B,SW1A 1AA\n', letter)).toEqual({
      'letters-in-trial-mode': 1,
    });
  });

  it('201 without a template: it is chosen later', async () => {
    const { body } = await upload(people);
    expect(body.data).toMatchObject({ valid: false, first_problem: null, template_id: null, template_type: null });
    expect(body.data.rows_shown[0]).toMatchObject({ row: 2, cells: { name: 'Ann' }, recipient: null, problems: [] });
    expect((await upload('')).body.data).toMatchObject({ first_problem: 'no-rows', row_count: 0, column_headers: [] });
  });

  it('201 for more rows than can be sent', async () => {
    const { body } = await upload(`phone number,name\n${'07700900460,A\n'.repeat(1_300)}`, { template_id: template });
    expect(body.data).toMatchObject({ valid: false, first_problem: 'too-many-rows', row_count: 1_300 });
    const checked = await change(body.data.id, { template_id: template });
    expect(checked.body.data).toMatchObject({ valid: false, first_problem: 'too-many-rows', row_count: 1_300 });
  });

  it('201 for a workbook', async () => {
    const bytes = workbook({
      sheet: rowsXml([
        ['phone number', 'name'],
        ['07700900460', 'Ann'],
      ]),
    });
    const { status, body } = await upload(bytes, { filename: 'People.XLSX', template_id: template });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ row_count: 1, encoding: null, valid: true, original_file_name: 'People.XLSX' });
  });

  it.each([
    ['people.xls', 'x', 'Files of type xls cannot be read. Save the spreadsheet as xlsx or as CSV and upload it again'],
    ['people.pdf', 'x', 'The file must be a spreadsheet: csv, tsv, xlsx, xlsm or ods'],
    ['people', 'x', 'The file must be a spreadsheet: csv, tsv, xlsx, xlsm or ods'],
    [
      'people.xlsx',
      people,
      'The file is damaged or not of the type that its name says. Save it again as xlsx or as CSV',
    ],
    [
      'people.csv',
      Buffer.from([0x50, 0x4b, 3, 4, 0x90, 0x8f, 0x81]),
      'The file is not text. Save the spreadsheet as CSV (UTF-8) and upload it again',
    ],
    [
      'people.csv',
      `a\n"${'x'.repeat(1_100_000)}`,
      'Row 2 is longer than 1,000,000 characters. Check that every quotation mark has been closed',
    ],
  ])('400 for a file that cannot be read: %s', async (filename, content, message) => {
    const before = await countUploads();
    const { status, body } = await upload(content, { filename, template_id: template });
    expect([status, body]).toEqual([400, { result: 'error', message }]);
    expect(await countUploads()).toBe(before);
  });

  it('201 with the id that the caller chose, which becomes that of the job', async () => {
    const id = randomUUID();
    const of = await aService(harness);
    const template_id = await aTemplate(harness, of, { content: 'Hello ((name))' });
    const { status, body } = await upload(people, { template_id, id: id.toUpperCase() }, { of });
    expect([status, body.data.id]).toEqual([201, id]);
    const created_by = await aUser(harness);
    const job = await harness.admin('POST', `/service/${of}/job`, { id, created_by });
    expect([job.status, job.body.data.id]).toEqual([201, id]);
  });

  it('400 for an id that is in use, also by a job or another service, and nothing changes', async () => {
    const used = { result: 'error', message: { id: ['This id is already in use. Use another UUID.'] } };
    const of = await aService(harness);
    const template_id = await aTemplate(harness, of, { content: 'Hello ((name))' });
    const { body: first } = await upload(people, { template_id }, { of });
    const { id } = first.data;
    const again = await upload('phone number,name\n07700900462,Cat\n', { template_id, id }, { of });
    expect([again.status, again.body]).toEqual([400, used]);
    expect((await upload(people, { id })).body).toEqual(used);
    expect((await get(id, of)).body).toEqual(first);
    await harness.admin('POST', `/service/${of}/job`, { id, created_by: await aUser(harness) });
    await harness.app.db.deleteFrom('uploads').where('id', '=', id).execute();
    expect((await upload(people, { template_id, id }, { of })).body).toEqual(used);
    expect((await upload(people, { id: 'mine' })).status).toBe(400);
  });

  it('400 for all but one of several at once with the same id', async () => {
    const id = randomUUID();
    const answers = await Promise.all([1, 2, 3, 4].map(() => upload(people, { template_id: template, id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    expect((await get(id)).body.data.row_count).toBe(2);
  });

  it('413 for a file that is too large, announced or not', async () => {
    const before = await countUploads();
    const text = `phone number,name\n${'07700900460,Ann\n'.repeat(140_000)}`;
    const csv = await upload(text, { template_id: template });
    expect([csv.status, csv.body.message]).toEqual([413, 'The file must be smaller than 1 MB']);
    const chunked = await upload(text, { template_id: template }, { headers: { 'transfer-encoding': 'chunked' } });
    expect(chunked.status).toBe(413);
    const large = await upload(Buffer.alloc(11 * 1024 * 1024), { filename: 'a.xlsx' });
    expect([large.status, large.body.message]).toEqual([413, 'The file must be smaller than 10 MB']);
    expect(await countUploads()).toBe(before);
  });

  it('4xx for what does not belong together, and nothing is stored', async () => {
    const before = await countUploads();
    const elsewhere = await aService(harness);
    const foreign = await aTemplate(harness, elsewhere);
    const archived = await aTemplate(harness, service, { archived: true });
    const letter = await aTemplate(harness, service, { template_type: 'letter' });
    const smsSender = await aReplyTo(harness, service, 'sms');
    const emailSender = await aReplyTo(harness, service, 'email');
    const foreignSender = await aReplyTo(harness, elsewhere, 'sms');
    const unknown = newId(harness.clock.now());
    const refused = { sender_id: ['No result found'] };
    const cases: [Record<string, string>, number, unknown][] = [
      [{ template_id: foreign }, 404, 'No result found'],
      [{ template_id: unknown }, 404, 'No result found'],
      [{ template_id: archived }, 400, { template: ['Template has been deleted'] }],
      [{ template_id: 'x' }, 400, expect.anything()],
      [{ template_id: template, sender_id: foreignSender }, 400, refused],
      [{ template_id: template, sender_id: emailSender }, 400, refused],
      [{ template_id: letter, sender_id: smsSender }, 400, refused],
      [{ sender_id: unknown }, 400, refused],
      [{ contact_list: 'true', template_id: template }, 400, { template_id: ['A contact list has no template'] }],
      [{ contact_list: 'maybe' }, 400, expect.anything()],
      [{ filename: '' }, 400, expect.anything()],
    ];
    for (const [query, status, message] of cases) {
      const answer = await upload(people, query);
      expect([query, answer.status, answer.body]).toEqual([query, status, { result: 'error', message }]);
    }
    expect((await upload(people, {}, { of: unknown })).status).toBe(404);
    expect(await countUploads()).toBe(before);
    expect((await upload(people, { template_id: template, sender_id: smsSender })).body.data.sender_id).toBe(smsSender);
  });

  it('401 before the body is read', async () => {
    const { status } = await harness.request({
      method: 'POST',
      url: `/service/${service}/upload?filename=a.csv`,
      payload: Buffer.alloc(1_500_000, 0x61),
      headers: { 'content-type': 'text/csv' },
    });
    expect(status).toBe(401);
  });

  it('logs neither names of files nor cells', () => {
    const lines = harness.logged.filter((line) => line.includes('upload.checked'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join()).not.toMatch(/people|07700900|Ann/);
  });
});

describe('GET /service/{service_id}/upload/{upload_id}', () => {
  it('404 for one of another service, an unknown one and one that is still received', async () => {
    const other = await aService(harness);
    const { body } = await upload(people);
    expect((await get(body.data.id, other)).status).toBe(404);
    expect((await get(newId(harness.clock.now()))).body).toEqual({ result: 'error', message: 'No result found' });
    await harness.app.db.updateTable('uploads').set({ state: 'receiving' }).where('id', '=', body.data.id).execute();
    expect((await get(body.data.id)).status).toBe(404);
  });

  it('200 for one that was sent', async () => {
    const { body } = await upload(people, { template_id: template });
    await harness.app.db.updateTable('uploads').set({ state: 'sent' }).where('id', '=', body.data.id).execute();
    expect((await get(body.data.id)).body.data).toMatchObject({ state: 'sent', expires_at: null, row_count: 2 });
  });

  it('200 with a warning if the file was sent before', async () => {
    const sent = async (fields: object) => {
      const { body } = await upload(people, { template_id: template });
      await harness.app.db.updateTable('uploads').set({ state: 'sent' }).where('id', '=', body.data.id).execute();
      await harness.app.db
        .insertInto('jobs')
        .values({
          id: body.data.id,
          service_id: service,
          template_id: template,
          template_version: 1,
          notification_type: 'sms',
          original_file_name: 'other.csv',
          status: 'pending',
          key_type: 'normal',
          row_count: 2,
          created_at: '2026-11-16T11:00:00Z',
          ...fields,
        })
        .execute();
      return body.data.id as string;
    };
    const different = `${people}07700900462,Cy,\n`;
    const warned = async (text: string, query: Record<string, string> = {}) =>
      (await upload(text, { template_id: template, ...query })).body.data.sent_before;
    expect(await warned(people)).toBe(false);
    const first = await sent({ status: 'cancelled' });
    expect(await warned(people)).toBe(false);
    await harness.app.db.updateTable('jobs').set({ status: 'pending' }).where('id', '=', first).execute();
    expect(await warned(people)).toBe(true);
    expect((await get(first)).body.data.sent_before).toBe(false);
    expect(await warned(different)).toBe(false);
    expect(await warned(different, { filename: 'other.csv' })).toBe(true);
    harness.clock.set('2026-11-17T00:00:00Z');
    expect(await warned(different, { filename: 'other.csv' })).toBe(false);
    expect(await warned(people, { template_id: await aTemplate(harness, service) })).toBe(false);
  });
});

describe('POST /service/{service_id}/upload/{upload_id}', () => {
  it('200 with another template: all rows are checked again', async () => {
    const email = await aTemplate(harness, service, { template_type: 'email', content: 'Hi ((NAME))', subject: 'Hi' });
    const text = `phone number,email address,name\n${'07700900460,bad,Ann\n'.repeat(600)}`;
    const first = (await upload(text)).body.data;
    const asEmail = (await change(first.id, { template_id: email })).body.data;
    expect(asEmail).toMatchObject({
      template_id: email,
      template_type: 'email',
      first_problem: 'row-errors',
      problem_counts: { 'row-errors': 600 },
      row_count: 600,
      created_at: first.created_at,
    });
    const sender_id = await aReplyTo(harness, service, 'sms');
    const asText = (await change(first.id, { template_id: template, sender_id })).body.data;
    expect(asText).toMatchObject({ template_id: template, sender_id, problem_counts: { 'too-many-messages': 595 } });
    expect((await change(first.id, { sender_id: null })).body.data).toMatchObject({ sender_id: null, row_count: 600 });
    const chunks = await harness.app.db
      .selectFrom('upload_chunks')
      .select(['problem_count', 'problems'])
      .where('upload_id', '=', first.id)
      .execute();
    expect(chunks).toEqual([
      { problem_count: 0, problems: null },
      { problem_count: 0, problems: null },
    ]);
  });

  it('4xx for a wrong template or sender, and nothing changes', async () => {
    const { id } = (await upload(people, { template_id: template })).body.data;
    const before = (await get(id)).body;
    const foreign = await aTemplate(harness, await aService(harness));
    expect((await change(id, { template_id: foreign })).status).toBe(404);
    expect((await change(id, { sender_id: newId(harness.clock.now()) })).status).toBe(400);
    expect((await change(id, { template_id: 7 })).status).toBe(400);
    expect((await change(newId(harness.clock.now()), { template_id: template })).status).toBe(404);
    expect((await get(id)).body).toEqual(before);
  });

  it('400 once it was sent; of several at once the last one counts', async () => {
    const sent = await aCheckedUpload(harness, service, template, smsRows(1), { state: 'sent' });
    expect(await change(sent, { template_id: template })).toMatchObject({
      status: 400,
      body: { message: 'This upload has already been sent' },
    });
    const others = await Promise.all([1, 2, 3].map((n) => aTemplate(harness, service, { content: `${n} ((name))` })));
    const { id } = (await upload(people)).body.data;
    const answers = await Promise.all(others.map((template_id) => change(id, { template_id })));
    expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(200);
    const last = (await get(id)).body.data;
    expect(others).toContain(last.template_id);
    expect(last.valid).toBe(true);
  });
});

describe('checking again', () => {
  it('does not replace rows of an upload that is being sent', async () => {
    const { db, pool } = harness.app;
    const upload_id = await aCheckedUpload(harness, service, template, smsRows(1));
    const check_id = newId(harness.clock.now());
    await beginCheck(db, upload_id, check_id);
    let ended = false;
    let replacing: Promise<boolean> | undefined;
    await inTransaction(db, async (tx) => {
      await markUploadSent(tx, upload_id);
      const chunk = {
        upload_id,
        first_row: 0,
        messages: '[]',
        problems: null,
        problem_count: 0,
        abroad_count: 0,
        part_count: 0,
      };
      replacing = updateChunk(db, check_id, chunk).finally(() => {
        ended = true;
      });
      const isWaiting = async () => (await pool.query('select from pg_locks where not granted')).rowCount !== 0;
      while (!ended && !(await isWaiting()));
    });
    expect(await replacing).toBe(false);
    const { messages } = await db
      .selectFrom('upload_chunks')
      .select('messages')
      .where('upload_id', '=', upload_id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(messages ?? '')).toHaveLength(1);
  });
});

describe('GET /service/{service_id}/upload/{upload_id}/problems.csv', () => {
  it('200 with every row that has a problem, without formulas', async () => {
    const text = `phone number,name,note\nabc,Ann,=1+1\n07700900460,Bob,x\n07700900460,,"a,b",surplus\n`;
    const { id } = (await upload(text, { template_id: template })).body.data;
    const file = await harness.admin('GET', `/service/${service}/upload/${id}/problems.csv`);
    expect(file.status).toBe(200);
    expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(file.text.split('\r\n')).toEqual([
      'Row number,phone number,name,note,Problem',
      `2,abc,Ann,'=1+1,phone number: Mobile numbers can only include: 0 1 2 3 4 5 6 7 8 9 ( ) + -`,
      '4,07700900460,,"a,b",name: Missing',
      '',
    ]);
    expect((await harness.admin('GET', `/service/${await aService(harness)}/upload/${id}/problems.csv`)).status).toBe(
      404,
    );
  });

  it('200 with all of them, however many', async () => {
    const { id } = (await upload(`phone number,name\n${'07700900460,\n'.repeat(1_000)}`, { template_id: template }))
      .body.data;
    const file = await harness.admin('GET', `/service/${service}/upload/${id}/problems.csv`);
    expect(file.text.trim().split('\r\n')).toHaveLength(1_001);
    expect(file.text.trim().split('\r\n').at(-1)).toBe('1001,07700900460,,name: Missing');
  });
});

describe('DELETE /service/{service_id}/upload/{upload_id}', () => {
  it('204, with its rows', async () => {
    const { id } = (await upload(people)).body.data;
    const remove = () => harness.admin('DELETE', `/service/${service}/upload/${id}`);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect(
      await harness.app.db.selectFrom('upload_chunks').select('first_row').where('upload_id', '=', id).execute(),
    ).toEqual([]);
  });

  it('400 once it was sent', async () => {
    const id = await aCheckedUpload(harness, service, template, smsRows(1), { state: 'sent' });
    expect((await harness.admin('DELETE', `/service/${service}/upload/${id}`)).status).toBe(400);
    expect((await get(id)).status).toBe(200);
  });
});

describe('delete-old-uploads', () => {
  it('deletes uploads that were not received within an hour or not sent within a day', async () => {
    const at = (created_at: string, state: 'receiving' | 'checked' | 'sent' | 'saved') =>
      aCheckedUpload(harness, service, template, smsRows(1), { created_at, state });
    const deleted = [await at('2026-11-16T10:59:59Z', 'receiving'), await at('2026-11-15T12:00:00Z', 'checked')];
    const kept = [
      await at('2026-11-16T11:00:00Z', 'receiving'),
      await at('2026-11-15T12:00:01Z', 'checked'),
      await at('2026-01-01T12:00:00Z', 'sent'),
      await at('2026-01-01T12:00:00Z', 'saved'),
    ];
    await Promise.all(Array.from({ length: 45 }, () => at('2026-11-01T12:00:00Z', 'checked')));
    await harness.addTask('delete-old-uploads');
    await harness.runTasks();
    const { rows } = await harness.app.pool.query('select id, created_at from uploads');
    const ids = rows.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(kept));
    expect(ids.filter((id) => deleted.includes(id))).toEqual([]);
    expect(rows.filter(({ created_at }) => created_at.startsWith('2026-11-01'))).toEqual([]);
    const chunks = await harness.app.pool.query('select from upload_chunks where upload_id = any($1)', [deleted]);
    expect(chunks.rows).toEqual([]);
  });
});
