import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { chunksOf, openSpreadsheet } from '../../../test/kit/samples/read-spreadsheet.ts';
import { rowsXml, workbook } from '../../../test/kit/samples/spreadsheets.ts';
import type { Sheet } from '../../libraries/spreadsheet/sheet.ts';
import { defaultLimits } from '../../recipients/spreadsheet/limits.ts';
import type { ReadyTemplate } from '../../templates/compiled-templates.ts';
import { openWorkbookInThread } from './open-file.ts';
import { readReadyRows } from './ready-row.ts';
import { type NewUpload, storeSheet } from './store-sheet.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { bulk: { maxRows: 2_000 } } });
let serviceId: string;
let template: ReadyTemplate;

beforeAll(async () => {
  serviceId = await aService(harness);
  const id = await aTemplate(harness, serviceId, { content: 'Hello ((First name))' });
  const found = await harness.app.compiledTemplates.find(serviceId, id);
  if (found.found === 'here') template = found.template;
});

async function store(sheet: Sheet, fields: Partial<NewUpload> = {}) {
  const service = await harness.app.sending.services.find(serviceId);
  if (!service) throw new Error('no service');
  return storeSheet(
    harness.app,
    {
      service,
      template,
      key_type: 'normal',
      is_contact_list: false,
      original_file_name: 'a.csv',
      sender_id: null,
      api_key_id: null,
      digest: () => 'digest',
      ...fields,
    },
    sheet,
  );
}

const chunksOfUpload = (id: string) =>
  harness.app.db.selectFrom('upload_chunks').selectAll().where('upload_id', '=', id).orderBy('first_row').execute();

const countUploads = async () => {
  const { count } = await harness.app.db
    .selectFrom('uploads')
    .select((table) => table.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return count;
};

const csv = (rows: number) =>
  openSpreadsheet('a.csv', chunksOf(`phone number,first_name,other\n${'07700900460,Ann,x\n'.repeat(rows)}`));

describe('storeSheet', () => {
  it('stores chunks of 500 rows, with what their notifications need', async () => {
    const stored = await store(await csv(1_201));
    expect(stored).toMatchObject({
      state: 'checked',
      row_count: 1_201,
      encoding: 'utf-8',
      digest: 'digest',
      template_id: template.row.id,
      template_version: 1,
      header: { names: ['phone number', 'first_name', 'other'], width: 3 },
      summary: { row_count: 1_201, rows_with_problems: 0, missing_columns: [] },
    });
    const chunks = await chunksOfUpload(stored.id);
    expect(chunks.map(({ first_row, row_count, problem_count }) => [first_row, row_count, problem_count])).toEqual([
      [0, 500, 0],
      [500, 500, 0],
      [1_000, 201, 0],
    ]);
    expect(JSON.parse(chunks[2]?.cells ?? '')[200]).toEqual(['07700900460', 'Ann', 'x']);
    expect([...readReadyRows(chunks[2]?.messages ?? '')]).toHaveLength(201);
    expect([...readReadyRows(chunks[0]?.messages ?? '')][0]).toEqual({
      recipient: '07700900460',
      normalised_recipient: '447700900460',
      international: false,
      rate_multiplier: 1,
      postage: null,
      personalisation: { 'First name': 'Ann' },
      client_reference: null,
      abroad: false,
    });
  });

  it('marks rows with problems', async () => {
    const text = 'phone number,first name\n+12025550104,Ann\n,Ann\nabc,\n+12025550104,\n';
    const stored = await store(await openSpreadsheet('a.csv', chunksOf(text)));
    const [chunk] = await chunksOfUpload(stored.id);
    expect(chunk).toMatchObject({ problem_count: 3, abroad_count: 1 });
    expect([...readReadyRows(chunk?.messages ?? '')].map((row) => row !== null)).toEqual([true, false, false, false]);
    expect(JSON.parse(chunk?.problems ?? '')).toEqual([
      { row: 1, problems: [{ column: 'phone number', problem: 'Missing' }] },
      {
        row: 2,
        problems: [
          { column: 'phone number', problem: 'Mobile numbers can only include: 0 1 2 3 4 5 6 7 8 9 ( ) + -' },
          { column: 'first name', problem: 'Missing' },
        ],
      },
      { row: 3, problems: [{ column: 'first name', problem: 'Missing' }] },
    ]);
    expect(stored.summary.row_problem_counts).toEqual({ 'missing-data': 3, 'bad-recipient': 1 });
  });

  it('counts rows beyond the limit and does not store them', async () => {
    const stored = await store(await csv(2_600));
    expect(stored.summary).toMatchObject({ row_count: 2_600, max_rows: 2_000 });
    expect((await chunksOfUpload(stored.id)).map(({ row_count }) => row_count)).toEqual([500, 500, 500, 500]);
  });

  it('stores rows without a template', async () => {
    const stored = await store(await csv(2), { template: null });
    expect(stored.summary).toMatchObject({
      channel: null,
      rows_shown: [{ row: 2, recipient: null, problems: [] }, {}],
    });
    expect(await chunksOfUpload(stored.id)).toMatchObject([{ messages: null, problems: null }]);
  });

  it('reads workbooks in a thread', async () => {
    const rows = [['phone number', 'first name'], ...Array.from({ length: 1_100 }, () => ['07700900460', 'Ann'])];
    const bytes = new Uint8Array(workbook({ sheet: rowsXml(rows) }));
    const threads = harness.app.sheetThreads.readersFor(serviceId);
    const sheet = await openWorkbookInThread(threads, { fileName: 'a.xlsx', bytes, limits: defaultLimits });
    const stored = await store(sheet);
    expect(stored).toMatchObject({ row_count: 1_100, encoding: null });
    expect((await chunksOfUpload(stored.id)).map(({ row_count }) => row_count)).toEqual([500, 500, 100]);
  });

  it('passes on what is wrong with a workbook', async () => {
    const threads = harness.app.sheetThreads.readersFor(serviceId);
    const open = (bytes: Uint8Array) =>
      openWorkbookInThread(threads, { fileName: 'a.xlsx', bytes, limits: defaultLimits });
    await expect(open(new Uint8Array([1, 2, 3]))).rejects.toMatchObject({ kind: 'unreadable' });
    const rows = [['phone number', 'first name'], ...Array.from({ length: 600 }, () => ['07700900460', 'Ann'])];
    const damaged = workbook({ sheet: `${rowsXml(rows)}</oops>` });
    const before = await countUploads();
    await expect(open(new Uint8Array(damaged)).then((sheet) => store(sheet))).rejects.toMatchObject({
      kind: 'unreadable',
    });
    expect(await countUploads()).toBe(before);
  });

  it('leaves nothing if reading, checking or storing fails, or the client has gone', async () => {
    const before = await countUploads();
    const sheet = await csv(1_200);
    async function* failing() {
      for await (const batch of sheet.batches) {
        yield batch;
        if (batch.firstRow === 500) throw new Error('the body ended early');
      }
    }
    await expect(store({ ...sheet, batches: failing() })).rejects.toThrow('the body ended early');
    const aborting = new AbortController();
    const rest = await csv(1_200);
    async function* leaving() {
      for await (const batch of rest.batches) {
        yield batch;
        aborting.abort(new Error('the client has gone'));
      }
    }
    await expect(store({ ...rest, batches: leaving() }, { signal: aborting.signal })).rejects.toThrow('gone');
    expect(await countUploads()).toBe(before);
  });
});
