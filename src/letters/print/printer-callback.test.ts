import { beforeAll, describe, expect, it } from 'vitest';
import { aLetter, letterRow } from '../../../test/kit/builders/letters.ts';
import { aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import type { PrintedFile } from './print-provider.ts';
import { printerCallbackUrl } from './printer-callback.ts';

const harness = useHarness({ now: '2024-07-22T12:00:00Z' });
let service: string;
let template: string;
let handedOver: PrintedFile[] = [];

beforeAll(async () => {
  harness.app.printer = { handOver: async ({ letters }) => void handedOver.push(...letters) };
  service = await aService(harness);
  template = await aTemplate(harness, service, { template_type: 'letter' });
});

/** A letter at the printer, with the callback URL of the printer. */
async function printed(): Promise<{ id: string; link: string }> {
  handedOver = [];
  harness.clock.set('2024-07-22T12:00:00Z');
  const id = await aLetter(harness, service, template);
  await harness.runTasks();
  harness.clock.set('2024-07-22T16:30:00Z');
  await harness.addTask('collate-letters');
  await harness.runTasks();
  const url = handedOver.find((file) => file.notification_id === id)?.callback_url ?? '';
  return { id, link: url.slice(url.indexOf('/notifications')) };
}

function report(id: string, data: object = {}, properties: Record<string, string> = {}) {
  const all = { totalSheets: '1', postageClass: '2ND', mailingProduct: 'MM', ...properties };
  return {
    id: '1234',
    time: '2024-07-24T12:00:00Z',
    data: {
      jobId: id,
      jobStatus: 'DESPATCHED',
      transitionDate: '2024-07-23T23:30:00Z',
      despatchProperties: Object.entries(all).map(([key, value]) => ({ key, value })),
      ...data,
    },
    metadata: { correlationId: 'c-1' },
  };
}

const post = (url: string, body: unknown) =>
  harness.request({
    method: 'POST',
    url,
    payload: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

function despatches(id: string) {
  return harness.app.db.selectFrom('letter_despatches').selectAll().where('notification_id', '=', id).execute();
}

describe('POST /notifications/letter/status', () => {
  it.each([
    ['MM', '2ND', 'sorted'],
    ['MM ECONOMY', '2ND', 'sorted'],
    ['MM', '1ST', 'unsorted'],
    ['UNSORTED', '2ND', 'unsorted'],
    ['INT EU', 'INTERNATIONAL', 'unsorted'],
  ])(
    '204 for a despatch (%s, %s: %s); a repeated report changes nothing',
    async (mailingProduct, postageClass, threshold) => {
      const { id, link } = await printed();
      expect((await letterRow(harness, id)).status).toBe('sending');
      const response = await post(link, report(id, {}, { mailingProduct, postageClass }));
      expect([response.status, response.text]).toEqual([204, '']);
      expect((await letterRow(harness, id)).status).toBe('delivered');
      expect(await despatches(id)).toMatchObject([
        { despatched_on: '2024-07-24', sheets: 1, cost_threshold: threshold },
      ]);
      expect((await post(link, report(id))).status).toBe(204);
      expect((await post(link, report(id, { jobStatus: 'REJECTED' }))).status).toBe(204);
      expect((await letterRow(harness, id)).status).toBe('delivered');
      expect(await despatches(id)).toHaveLength(1);
    },
  );

  it('204 for a rejection, which is final', async () => {
    const { id, link } = await printed();
    const rejected = report(id, { jobStatus: 'REJECTED', despatchProperties: undefined });
    expect((await post(link, rejected)).status).toBe(204);
    expect((await letterRow(harness, id)).status).toBe('technical-failure');
    expect((await post(link, report(id))).status).toBe(204);
    expect((await letterRow(harness, id)).status).toBe('technical-failure');
    expect(await despatches(id)).toEqual([]);
  });

  it('204 when the letter is unknown, or the number of sheets differs', async () => {
    const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cc';
    const url = printerCallbackUrl(harness.app, unknown);
    expect((await post(url.slice(url.indexOf('/notifications')), report(unknown))).status).toBe(204);
    const { id, link } = await printed();
    expect((await post(link, report(id, {}, { totalSheets: '3' }))).status).toBe(204);
    expect(harness.logged.some((line) => line.includes('number of sheets'))).toBe(true);
  });

  it.each(['', '?token=', '?token=4f46df42-f795-4cc4-83bb-65ca312f49cc.nonsense', '?token=a&token=b'])(
    '403 without a valid token, with any body: %j',
    async (query) => {
      const response = await harness.request({
        method: 'POST',
        url: `/notifications/letter/status${query}`,
        payload: 'not JSON',
      });
      expect(response.status).toBe(403);
      expect(response.body.errors[0].message).toBe('A valid token must be provided in the query string');
    },
  );

  it('403 ninety days after the letter was created', async () => {
    const { id, link } = await printed();
    harness.clock.set('2024-10-20T11:59:00Z');
    expect((await post(link, report(id, { jobStatus: 'LOST' }))).status).toBe(400);
    harness.clock.set('2024-10-20T12:01:00Z');
    const response = await post(link, report(id));
    expect(response.status).toBe(403);
    expect(response.body.errors[0].message).toBe('A valid token must be provided in the query string');
    expect((await letterRow(harness, id)).status).toBe('sending');
  });

  it('400 when the report is for another letter', async () => {
    const { link } = await printed();
    const response = await post(link, report('4f46df42-f795-4cc4-83bb-65ca312f49cc'));
    expect(response.status).toBe(400);
    expect(response.body).toEqual({
      status_code: 400,
      errors: [
        {
          error: 'BadRequestError',
          message: 'Notification ID in letter callback data does not match ID in token',
        },
      ],
    });
  });

  it('400 when the report is incomplete', async () => {
    const { id, link } = await printed();
    const { id: _, ...anonymous } = report(id);
    expect((await post(link, anonymous)).body.errors).toEqual([
      { error: 'ValidationError', message: 'id is a required property' },
    ]);
    for (const data of [
      { jobStatus: 'LOST' },
      { transitionDate: 'yesterday' },
      { jobId: undefined },
      { despatchProperties: undefined },
      { despatchProperties: [] },
    ]) {
      expect((await post(link, report(id, data))).status, JSON.stringify(data)).toBe(400);
    }
    expect((await post(link, report(id, {}, { postageClass: '3RD' }))).status).toBe(400);
    expect((await letterRow(harness, id)).status).toBe('sending');
  });
});
