import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../test/kit/builders/queued-messages.ts';
import { aNotification, anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { isTimeFaked } from '../../../test/kit/process/process-environment.ts';

const harness = useHarness({ config: { database: { readPoolSize: 2, readTimeout_ms: 1_000 } } });

describe('connections of read requests', () => {
  it('are separate: messages are accepted, delivered and receipted while all of them are in use', async () => {
    const service = await aService(harness);
    const key = await anApiKey(harness, service);
    const template_id = await aTemplate(harness, service);
    const { pool } = harness.app.apart.reading;
    const taken: pg.PoolClient[] = [await pool.connect(), await pool.connect()];
    const list = harness.v2('GET', '/v2/notifications', key);
    const message = { phone_number: '07700900123', template_id, personalisation: { name: 'Ada' } };
    const accepted = await harness.v2('POST', '/v2/notifications/sms', key, message);
    expect(accepted.status).toBe(201);
    await harness.deliver();
    const payload = JSON.stringify({ status: '3', CID: accepted.body.id });
    expect((await harness.request({ method: 'POST', url: '/notifications/sms/mmg', payload })).status).toBe(200);
    expect((await messageOf(harness, accepted.body.id)).status).not.toBe('created');
    expect((await harness.request({ method: 'GET', url: '/readyz' })).status).toBe(200);
    for (const client of taken) client.release();
    expect((await list).status).toBe(200);
  });

  it.skipIf(isTimeFaked)('503 for a list that takes too long', async () => {
    const service = await aService(harness);
    const key = await anApiKey(harness, service);
    const lock = await harness.app.pool.connect();
    await lock.query('begin; lock table notifications in access exclusive mode');
    const response = await harness.v2('GET', '/v2/notifications', key);
    await lock.query('rollback');
    lock.release();
    expect(response.status).toBe(503);
    expect(response.body.errors[0].message).toContain('took too long');
  });

  it('200 for a status without messages, without scanning messages', async () => {
    const service = await aService(harness);
    const key = await anApiKey(harness, service);
    const id = await aNotification(harness, service, await aTemplate(harness, service), { status: 'delivered' });
    const ask = (query: string) => harness.v2('GET', `/v2/notifications?${query}`, key);
    const found = await ask('status=delivered&template_type=sms');
    expect(found.body.notifications).toMatchObject([{ id }]);
    const lock = await harness.app.pool.connect();
    await lock.query('begin; lock table notifications in access exclusive mode');
    const none = [
      await ask('status=technical-failure'),
      await ask('status=delivered&template_type=email'),
      await ask('template_type=email'),
    ];
    await lock.query('rollback');
    lock.release();
    expect(none.map(({ status, body }) => [status, body.notifications])).toEqual([
      [200, []],
      [200, []],
      [200, []],
    ]);
  });

  it('allow sequential scans, like scheduled tasks; sending does not', async () => {
    const { pool, apart } = harness.app;
    const setting = async (connections: pg.Pool) =>
      (await connections.query('show enable_seqscan')).rows[0].enable_seqscan;
    expect([await setting(pool), await setting(apart.reading.pool), await setting(apart.tasks.pool)]).toEqual([
      'off',
      'on',
      'on',
    ]);
  });

  it('scheduled tasks have a statement timeout of one hour', async () => {
    const { rows } = await harness.app.apart.tasks.pool.query('show statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '1h' }]);
  });
});
