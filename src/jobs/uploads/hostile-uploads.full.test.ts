import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../../test/kit/harness.ts';
import { processorTimeSince_ms } from '../../../test/kit/process/processor-time.ts';
import { rowsXml, workbook } from '../../../test/kit/samples/spreadsheets.ts';

/** Over real connections: a client that is refused while it is still sending must be able to read why. */

const maxBytes = 8_000_000;
/** Enough on a machine that does much else. */
const maxWait_ms = 4_000;
const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { http: { requestTimeout_ms: 2_000 }, bulk: { maxRows: 2_000, maxBytes } },
});
let port: number;
let service: string;
let template: string;
let key: string;

beforeAll(async () => {
  await harness.http.listen({ port: 0, host: '127.0.0.1' });
  port = (harness.http.server.address() as AddressInfo).port;
  service = await aService(harness, { sms_message_limit: 100_000 });
  template = await aTemplate(harness, service, { content: 'Hello ((name))' });
  key = await anApiKey(harness, service);
  // The threads start, so that what is measured is not that.
  await Promise.all([admin(Readable.from([`${header}07700900460,A\n`])), admin(Readable.from([good]), 'a.xlsx')]);
});

interface Response {
  status: number | undefined;
  body: string;
}

/** Goes on sending until it has the whole response, as many clients do. */
function send(path: string, authorization: string, file: Readable): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${authorization}`, 'content-type': 'text/csv' };
    const client = request({ port, host: '127.0.0.1', path, method: 'POST', headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        file.destroy();
        client.destroy();
        resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() });
      });
    });
    client.on('error', reject);
    file.pipe(client);
  });
}

const admin = (file: Readable, name = 'a.csv') =>
  send(`/service/${service}/upload?filename=${name}&template_id=${template}`, adminToken(harness.clock), file);
const bulk = (file: Readable) => send(`/v2/notifications/bulk?template_id=${template}&name=a`, key, file);

async function* repeated(start: string, text: string, { bytes = Number.POSITIVE_INFINITY, every_ms = 0 } = {}) {
  yield Buffer.from(start);
  const piece = Buffer.from(text);
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (every_ms > 0) await sleep(every_ms);
    yield piece;
  }
}

const header = 'phone number,name\n';
const good = workbook({
  sheet: rowsXml([
    ['phone number', 'name'],
    ['07700900460', 'Ann'],
  ]),
});
const errorOf = ({ status, body }: Response): [number | undefined, string] => {
  const { message, errors } = JSON.parse(body);
  return [status, message ?? errors[0].message];
};

async function expectNothingStored(): Promise<void> {
  const { rows } = await harness.app.pool.query(
    `select (select count(*) from uploads where state <> 'checked')::int as unfinished,
      (select count(*) from jobs)::int as jobs, (select count(*) from notifications)::int as messages`,
  );
  expect(rows).toEqual([{ unfinished: 0, jobs: 0, messages: 0 }]);
}

/** The most work that others waited for while `work` went on. On a busy machine it takes longer than its processor time. */
async function longestWait(work: Promise<unknown>): Promise<number> {
  let ended = false;
  const end = work.finally(() => {
    ended = true;
  });
  let longest = 0;
  while (!ended) {
    const [began, processor] = [performance.now(), process.cpuUsage()];
    expect((await fetch(`http://127.0.0.1:${port}/status`)).status).toBe(200);
    longest = Math.max(longest, Math.min(performance.now() - began, processorTimeSince_ms(processor)));
    await sleep(10);
  }
  await end;
  return longest;
}

describe.each([
  ['POST /service/{service_id}/upload', admin, 'The file must be smaller than 7 MB'],
  ['POST /v2/notifications/bulk', bulk, 'Request body is too large'],
] as const)('%s', (_door, upload, tooLarge) => {
  it.each([
    [413, 'a file that never ends', tooLarge, () => repeated(header, '07700900460,Ann\n'.repeat(4_096))],
    [
      400,
      'a million columns',
      'The spreadsheet must have no more than 20,000 columns',
      () => repeated('phone number', ',abcdefg'.repeat(8_192), { bytes: maxBytes - 100_000 }),
    ],
    [
      400,
      'a row of a million cells',
      'The spreadsheet must have no more than 20,000 columns',
      () => repeated(header, ',a'.repeat(32_768), { bytes: 2_000_000 }),
    ],
    [
      400,
      'a cell that never ends',
      'Row 2 is longer than 1,000,000 characters. Check that every quotation mark has been closed',
      () => repeated(`${header}07700900460,"`, 'x\n'.repeat(32_768)),
    ],
    [
      408,
      'a client that sends a byte now and then',
      'The request did not arrive within 2 seconds',
      () => repeated(header, '0', { every_ms: 100 }),
    ],
  ])('%d for %s, and others do not wait', async (status, _what, message, file) => {
    const response = upload(Readable.from(file()));
    expect(await longestWait(response)).toBeLessThan(maxWait_ms);
    expect(errorOf(await response)).toEqual([status, message]);
    await expectNothingStored();
  });

  it('names one short row among many', async () => {
    const rows = '07700900460,Ann\n'.repeat(1_000);
    const { status, body } = await upload(
      Readable.from([`${header}${rows}07700900460\n${rows.slice(0, 16_000 - 160)}`]),
    );
    if (status === 400) expect(body).toContain('Some rows have errors. Row 1001 - `name`: Missing.');
    else expect(JSON.parse(body).data).toMatchObject({ row_count: 1_991, row_problem_counts: { 'missing-data': 1 } });
    await expectNothingStored();
  });
});

describe('POST /service/{service_id}/upload of a workbook', () => {
  const tooLarge = 'The spreadsheet is too large to read. Save it as CSV and upload it again';
  const damaged = 'The file is damaged or not of the type that its name says. Save it again as xlsx or as CSV';
  const sheet = (data: string, declaredSize?: number) =>
    workbook({ parts: [{ name: 'xl/worksheets/sheet1.xml', data, ...(declaredSize ? { declaredSize } : {}) }] });

  it.each([
    ['unpacks to gigabytes', tooLarge, () => sheet('<worksheet/>', 3_000_000_000)],
    ['repeats the same over and over', tooLarge, () => sheet('<c/>'.repeat(16_800_000))],
    ['lies about its size', damaged, () => sheet(`<worksheet>${' '.repeat(10_000_000)}</worksheet>`, 1_000)],
  ])('400 for one that %s, and others do not wait', async (_what, message, file) => {
    const response = admin(Readable.from([file()]), 'a.xlsx');
    expect(await longestWait(response)).toBeLessThan(maxWait_ms);
    expect(errorOf(await response)).toEqual([400, message]);
    await expectNothingStored();
  });
});

describe('many files at once', () => {
  it('429 for more than four of a service; the others are checked', async () => {
    const files = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? admin(Readable.from([good]), 'a.xlsx')
        : bulk(Readable.from(repeated(header, 'x,y\n', { bytes: 4_000 }))),
    );
    const all = Promise.all(files);
    expect(await longestWait(all)).toBeLessThan(maxWait_ms);
    const statuses = (await all).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201, 400, 429]));
    await expectNothingStored();
  });
});
