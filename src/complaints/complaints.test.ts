import { describe, expect, it } from 'vitest';
import { aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { inTransaction } from '../platform/db/database.ts';
import { newId } from '../platform/id.ts';
import { recordComplaint } from './complaints.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

function complaints(service: string, count: number) {
  const { app, clock } = harness;
  return inTransaction(app.db, async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const notification_id = newId(clock.now());
      await recordComplaint(
        tx,
        {
          notification_id,
          service_id: service,
          ses_feedback_id: `feedback-${index}`,
          complaint_type: 'abuse',
          complaint_date: '2026-11-15T11:00:00Z',
        },
        clock.now(),
      );
    }
  });
}

describe('GET /complaint', () => {
  it('200 with an empty first page', async () => {
    const { status, body } = await harness.admin('GET', '/complaint');
    expect(status).toBe(200);
    const first = '/complaint?page=1';
    expect(body).toEqual({
      complaints: [],
      links: { first, last: first, next: null, prev: null },
      page_size: 50,
      total: 0,
    });
  });

  it('200 with pages, newest first', async () => {
    const service = await aService(harness, { name: 'Complained about' });
    await complaints(service, 101);
    harness.clock.advance({ seconds: 1 });
    await complaints(service, 1);
    const first = await harness.admin('GET', '/complaint?page=1');
    expect(first.body.complaints).toHaveLength(50);
    expect(first.body.complaints[0].created_at).toBe('2026-11-15T12:00:01.000000Z');
    expect(first.body.complaints[0]).toMatchObject({ service_id: service, service_name: 'Complained about' });
    expect(first.body.links).toEqual({
      first: '/complaint?page=1',
      last: '/complaint?page=3',
      next: '/complaint?page=2',
      prev: null,
    });
    expect(first.body).toMatchObject({ total: 102, page_size: 50 });
    const last = await harness.admin('GET', '/complaint?page=3');
    expect(last.body.complaints).toHaveLength(2);
    expect(last.body.links).toMatchObject({ next: null, prev: '/complaint?page=2' });
    const ids = [first, await harness.admin('GET', '/complaint?page=2'), last].flatMap(({ body }) =>
      body.complaints.map(({ id }: { id: string }) => id),
    );
    expect(new Set(ids).size).toBe(102);
  });

  it.each(['4', '0', '-1', '999999999999999'])('404 for page %s', async (page) => {
    const response = await harness.admin('GET', `/complaint?page=${page}`);
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ result: 'error', message: 'No result found' });
  });

  it.each(['one', '1.5', ''])('400 for page %j', async (page) => {
    const response = await harness.admin('GET', `/complaint?page=${page}`);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message: { page: ['Not a valid integer.'] } });
  });
});

describe('GET /complaint/count-by-date-range', () => {
  const count = (query: string) => harness.admin('GET', `/complaint/count-by-date-range${query}`);

  it('200 with a bare integer; both dates default to today', async () => {
    const { status, text } = await count('');
    expect(status).toBe(200);
    expect(text).toBe('102');
    expect((await count('?start_date=2026-11-16&end_date=2026-11-20')).text).toBe('0');
    expect((await count('?start_date=2026-11-01')).text).toBe('102');
    expect((await count('?end_date=2026-11-14')).text).toBe('0');
  });

  it('200 by London day, both ends inclusive', async () => {
    const service = await aService(harness);
    // 00:30 in London, in summer time.
    harness.clock.set('2026-06-30T23:30:00Z');
    await complaints(service, 1);
    expect((await count('?start_date=2026-07-01&end_date=2026-07-01')).body).toBe(1);
    expect((await count('?start_date=2026-06-30&end_date=2026-06-30')).body).toBe(0);
    // The hour that repeats when the clocks go back.
    harness.clock.set('2026-10-25T00:30:00Z');
    await complaints(service, 1);
    harness.clock.set('2026-10-25T01:30:00Z');
    await complaints(service, 1);
    expect((await count('?start_date=2026-10-25&end_date=2026-10-25')).body).toBe(2);
    harness.clock.set('2026-11-15T12:00:00Z');
  });

  it.each(['1234-56-78', '2019-02-30', 'not-date', '2026-1-1', '2026-11-15T00:00:00Z'])('400 for %s', async (date) => {
    const response = await count(`?start_date=${date}&end_date=${date}`);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({
      result: 'error',
      message: { start_date: ['Not a valid date.'], end_date: ['Not a valid date.'] },
    });
  });
});
