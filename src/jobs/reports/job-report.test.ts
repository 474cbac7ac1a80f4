import { beforeEach, describe, expect, it } from 'vitest';
import { aJob, rowsOfJob } from '../../../test/kit/builders/jobs.ts';
import { aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-07-16T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
const header = ['phone number', 'name', 'item', 'item'];
let service: string;
let job: string;

beforeEach(async () => {
  harness.clock.set('2026-07-16T12:00:00Z');
  service = await aService(harness);
  const template = await aTemplate(harness, service, { name: 'Réminder / 1' });
  job = await aJob(harness, service, template, { original_file_name: 'pupils, all.xlsx' });
  await rowsOfJob(harness, job, header, [
    { cells: ['+447700900123', '=1+1', 'pen', 'book'], status: 'delivered' },
    { cells: ['bad'], status: null },
    { cells: ['07700900124', 'Ada "A" Smith', ['a', 'b']], status: 'temporary-failure' },
  ]);
  await rowsOfJob(harness, job, header, [{ cells: ['07700900125'], status: 'created' }]);
  await rowsOfJob(harness, job, header, [{ cells: ['07700900126', 'later'], status: null }]);
});

const get = (file: string, of = service, which = job) => harness.admin('GET', `/service/${of}/job/${which}/${file}`);

describe('GET /service/{id}/job/{id}/report.csv', () => {
  it('200 with the rows that are messages, their cells and their statuses', async () => {
    const { status, headers, text } = await get('report.csv');
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers['content-disposition']).toBe('attachment; filename="Réminder _ 1 - 2026-07-16.csv"');
    expect(text.split('\r\n')).toEqual([
      'Row number,phone number,name,item,Template,Type,Job,Status,Time',
      `1,'+447700900123,'=1+1,"pen, book",Réminder / 1,sms,"pupils, all.xlsx",Delivered,2026-07-16 13:00:00`,
      `3,07700900124,"Ada ""A"" Smith","a, b",Réminder / 1,sms,"pupils, all.xlsx",Phone not accepting messages right now,2026-07-16 13:00:00`,
      '4,07700900125,,,Réminder / 1,sms,"pupils, all.xlsx",Sending,2026-07-16 13:00:00',
      '',
    ]);
  });

  it('200 without rows whose messages were deleted', async () => {
    await harness.app.db.deleteFrom('notifications').where('job_id', '=', job).execute();
    expect((await get('report.csv')).text.split('\r\n')).toHaveLength(2);
  });
});

describe('GET /service/{id}/job/{id}/original.csv', () => {
  it('200 with all rows as they were uploaded', async () => {
    const { status, headers, text } = await get('original.csv');
    expect(status).toBe(200);
    expect(headers['content-disposition']).toBe('attachment; filename="pupils, all.csv"');
    expect(text.split('\r\n')).toEqual([
      'phone number,name,item,item',
      '+447700900123,=1+1,pen,book',
      'bad,,,',
      '07700900124,"Ada ""A"" Smith","a, b",',
      '07700900125,,,',
      '07700900126,later,,',
      '',
    ]);
  });
});

describe.each(['report.csv', 'original.csv'])('GET /service/{id}/job/{id}/%s', (file) => {
  it('404 for an unknown service, an unknown job, and one of another service', async () => {
    const other = await aService(harness);
    for (const response of [
      await get(file, unknown),
      await get(file, service, unknown),
      await get(file, service, 'x'),
      await get(file, other),
    ]) {
      expect([response.status, response.body.result]).toEqual([404, 'error']);
    }
  });

  it('404 once the rows were deleted', async () => {
    await harness.app.db.updateTable('jobs').set({ archived: true }).where('id', '=', job).execute();
    expect((await get(file)).body).toEqual({ result: 'error', message: 'No result found' });
  });
});
