import { describe, expect, it } from 'vitest';
import { aService } from '../../test/kit/builders.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { somePastMessages } from '../../test/kit/messages.ts';
import { messageOf } from '../../test/kit/queued-messages.ts';
import { printCallbackUrl } from '../letters/print-callback.ts';
import type { Status } from '../notifications/notification.ts';

const harness = useHarness({ now: '2026-07-02T12:00:00Z' });

async function aLetter(status: Status = 'sending'): Promise<string> {
  const service_id = await aService(harness);
  const [id = ''] = await somePastMessages(harness, [
    { service_id, notification_type: 'letter', created_at: '2026-06-30T12:00:00Z', status, billable_units: 2 },
  ]);
  return id;
}

const properties = (postageClass = '2ND', mailingProduct = 'MM', totalSheets = '2') => [
  { key: 'totalSheets', value: totalSheets },
  { key: 'postageClass', value: postageClass },
  { key: 'mailingProduct', value: mailingProduct },
];

function report(id: string, data: object = {}) {
  return {
    id: '1234',
    source: 'dvla',
    time: '2026-07-01T23:30:00Z',
    data: {
      jobId: id,
      jobStatus: 'DESPATCHED',
      transitionDate: '2026-06-30T23:30:00Z',
      despatchProperties: properties(),
      ...data,
    },
    metadata: { correlationId: 'b5d9b2bd-6e8f-4275-bdd3-c8086fe09c52' },
  };
}

function post(id: string, body: unknown) {
  const url = printCallbackUrl(harness.app, id).replace(harness.app.config.BASE_URL, '');
  return harness.request({ method: 'POST', url, payload: JSON.stringify(body) });
}

describe('POST /notifications/letter/status', () => {
  it('204 and the letter is delivered, despatched on a London day', async () => {
    const id = await aLetter();
    const answer = await post(id, report(id));
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect((await messageOf(harness, id)).status).toBe('delivered');
    const rows = await harness.app.db
      .selectFrom('letter_despatches')
      .selectAll()
      .where('notification_id', '=', id)
      .execute();
    expect(rows).toMatchObject([
      { despatched_on: '2026-07-01', cost_threshold: 'sorted', postage: 'second', sheets: 2 },
    ]);
  });

  it.each([
    ['2ND', 'MM', 'sorted'],
    ['2ND', 'MM ECONOMY', 'sorted'],
    ['1ST', 'MM', 'unsorted'],
    ['2ND', 'UNSORTED', 'unsorted'],
    ['INTERNATIONAL', 'INT EU', 'unsorted'],
  ])('204, %s and %s is %s', async (postageClass, mailingProduct, cost_threshold) => {
    const id = await aLetter();
    await post(id, report(id, { despatchProperties: properties(postageClass, mailingProduct) }));
    const [row] = await harness.app.db
      .selectFrom('letter_despatches')
      .select('cost_threshold')
      .where('notification_id', '=', id)
      .execute();
    expect(row).toEqual({ cost_threshold });
  });

  it('204 and a rejected letter is a technical failure', async () => {
    const id = await aLetter();
    expect((await post(id, report(id, { jobStatus: 'REJECTED', despatchProperties: undefined }))).status).toBe(204);
    expect((await messageOf(harness, id)).status).toBe('technical-failure');
  });

  it.each(['delivered', 'technical-failure', 'cancelled'] as const)(
    '204, and a letter that is %s stays so',
    async (status) => {
      const id = await aLetter(status);
      expect((await post(id, report(id))).status).toBe(204);
      expect((await post(id, report(id, { jobStatus: 'REJECTED' }))).status).toBe(204);
      expect((await messageOf(harness, id)).status).toBe(status);
    },
  );

  it('204 for a letter that is gone', async () => {
    const id = '6ce466d0-fd6a-11e5-82f5-e0accb9d11a6';
    expect((await post(id, report(id))).status).toBe(204);
  });

  it.each(['', '?token=', '?token=nonsense', '?token=a&token=b'])('403 for %j, before anything else', async (query) => {
    const answer = await harness.request({
      method: 'POST',
      url: `/notifications/letter/status${query}`,
      payload: 'not json',
    });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({
      status_code: 403,
      errors: [{ error: 'BadRequestError', message: 'A valid token must be provided in the query string' }],
    });
  });

  it('400 when the token is another letter’s', async () => {
    const id = await aLetter();
    const answer = await post(id, report('6ce466d0-fd6a-11e5-82f5-e0accb9d11a6'));
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      {
        error: 'BadRequestError',
        message: 'Notification ID in letter callback data does not match ID in token',
      },
    ]);
  });

  it.each([
    [{}, 'id is a required property'],
    [{ ...report('x'), data: {} }, 'jobId is a required property'],
    [{ ...report('x'), metadata: undefined }, 'metadata is a required property'],
    [report('x', { jobStatus: 'LOST' }), 'data LOST is not one of [DESPATCHED, REJECTED]'],
  ])('400 for %j', async (body, message) => {
    const id = await aLetter();
    const answer = await post(id, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((entry: { message: string }) => entry.message)).toContain(message);
  });

  it.each([
    [undefined, 'despatchProperties is a required property'],
    [properties('3RD'), 'data 3RD is not one of [1ST, 2ND, INTERNATIONAL]'],
  ])('400 for the despatch properties %j', async (despatchProperties, message) => {
    const id = await aLetter();
    const answer = await post(id, report(id, { despatchProperties }));
    expect(answer.body.errors).toEqual([{ error: 'ValidationError', message }]);
    expect((await messageOf(harness, id)).status).toBe('sending');
  });
});
