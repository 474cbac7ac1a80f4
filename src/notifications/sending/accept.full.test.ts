import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newNotification } from './send-context.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const url = '/v2/notifications/sms';

async function aSender() {
  const service = await aService(harness);
  const template_id = await aTemplate(harness, service, { content: 'Hello' });
  const key = await anApiKey(harness, service);
  const body = { phone_number: '07700900123', template_id };
  return { service, template_id, key, body, send: () => harness.v2('POST', url, key, body) };
}

/** Counts a service's messages in every table that records them. */
async function tracesOf(service: string) {
  const { rows } = await harness.app.pool.query(
    `select (select count(*)::int from notifications where service_id = $1) as notifications,
      (select count(*)::int from delivery_queue where service_id = $1) as queued,
      (select coalesce(sum(count), 0)::int from status_counts where service_id = $1) as in_statistics,
      (select coalesce(sum(count), 0)::int from daily_message_counts where service_id = $1) as in_limits`,
    [service],
  );
  return rows[0];
}

function every(count: number) {
  return { notifications: count, queued: count, in_statistics: count, in_limits: count };
}

describe('accepting messages', () => {
  it('commits concurrent requests together', async () => {
    const { service, send } = await aSender();
    await send();
    const responses = await Promise.all(Array.from({ length: 100 }, send));
    expect(responses.every(({ status }) => status === 201)).toBe(true);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(100);
    expect(await tracesOf(service)).toEqual(every(101));
    expect(await transactionsOf(service)).toBeLessThan(40);
  });

  async function transactionsOf(service: string): Promise<number> {
    const query = 'select count(distinct xmin::text)::int as count from notifications where service_id = $1';
    const { rows } = await harness.app.pool.query(query, [service]);
    return rows[0].count;
  }

  it('fails only the row that cannot be stored', async () => {
    const { service: serviceId, template_id, send } = await aSender();
    await send();
    const service = await harness.app.sending.services.find(serviceId);
    if (!service) throw new Error('There is no such service');
    const { acceptor } = harness.app.sending;
    const sender = {
      service,
      dialect: 'govuk',
      key_type: 'normal',
      api_key_id: null,
      created_by_id: null,
      now: harness.clock.now(),
      root: '',
      idempotency: undefined,
    } as const;
    const row = { id: template_id, version: 1, template_type: 'sms', process_type: 'normal' } as const;
    const accept = (recipient: string | null) =>
      acceptor.accept({
        service,
        abroad: false,
        notification: newNotification(sender, { row }, { recipient: recipient as string, personalisation: {} }),
      });
    const outcomes = await Promise.allSettled([accept('1'), accept(null), accept('2')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await tracesOf(serviceId)).toEqual(every(3));
  });

  /** Another transaction that has counted a message of the service, and does not end. */
  async function standStill(service: string) {
    const holder = await harness.app.pool.connect();
    await holder.query('begin');
    await holder.query('update daily_message_counts set count = count where service_id = $1', [service]);
    return {
      end: async () => {
        await holder.query('rollback');
        holder.release();
      },
    };
  }

  it.each([
    ['plain', () => ({})],
    ['with an Idempotency-Key', () => ({ 'idempotency-key': randomUUID() })],
  ])('503 for a service whose row stays locked, and 201 for others of the same commit: %s', async (_, headers) => {
    const [locked, ...others] = await Promise.all([aSender(), aSender(), aSender()]);
    const send = ({ key, body }: typeof locked) => harness.v2('POST', url, key, body, headers());
    for (const sender of [locked, ...others]) expect((await send(sender)).status).toBe(201);
    const holder = await standStill(locked.service);
    const began = performance.now();
    const [refused, ...stored] = await Promise.all([send(locked), ...others.map(send)]);
    const waited_ms = performance.now() - began;
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(refused.body.errors[0]).toEqual({
      error: 'ServiceUnavailableError',
      message: 'Other changes to the same data take too long, try again shortly',
    });
    expect(stored.map(({ status }) => status)).toEqual([201, 201]);
    expect(waited_ms).toBeGreaterThan(2_900);
    // From now on, the others do not wait for it: they have their response first.
    const order: string[] = [];
    const note = async (name: string, sender: typeof locked) => {
      const { status } = await send(sender);
      order.push(`${name} ${status}`);
    };
    await Promise.all([note('locked', locked), note('other', others[0] ?? locked)]);
    expect(order).toEqual(['other 201', 'locked 503']);
    await holder.end();
    expect((await send(locked)).status).toBe(201);
    expect(await tracesOf(locked.service)).toEqual(every(2));
    expect(await tracesOf(others[0]?.service ?? '')).toEqual(every(3));
  });

  it('503 for an Idempotency-Key that a standing transaction has claimed, then 201', async () => {
    const { service, key, body } = await aSender();
    const name = randomUUID();
    const holder = await harness.app.pool.connect();
    await holder.query('begin');
    await holder.query(
      `insert into idempotency_keys (service_id, key, request_digest, response, created_at) values ($1, $2, 'x', '{}', $3)`,
      [service, name, harness.clock.now()],
    );
    const send = () => harness.v2('POST', url, key, body, { 'idempotency-key': name });
    expect((await send()).status).toBe(503);
    await holder.query('rollback');
    holder.release();
    expect((await send()).status).toBe(201);
    expect(await tracesOf(service)).toEqual(every(1));
  });

  it('keeps no transaction open between statements for a message with an Idempotency-Key', async () => {
    const { key, body } = await aSender();
    const send = () => harness.v2('POST', url, key, body, { 'idempotency-key': randomUUID() });
    await send();
    const texts: string[] = [];
    const query = pg.Client.prototype.query;
    const spied = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      const text = typeof args[0] === 'string' ? args[0] : String((args[0] as { text?: string })?.text ?? '');
      texts.push(text);
      return Reflect.apply(query, this, args);
    });
    expect((await send()).status).toBe(201);
    spied.mockRestore();
    expect(texts.filter((text) => text.includes('insert into notifications'))).toHaveLength(1);
    expect(texts.filter((text) => /^begin/i.test(text))).toEqual([]);
  });

  it('503 when the database connection breaks, without partial rows, and 201 after it recovers', async () => {
    const { service, send } = await aSender();
    await send();
    const { app, serverUrl } = harness;
    const database = (await app.pool.query('select current_database() as name')).rows[0].name;
    const server = new pg.Client({ connectionString: serverUrl });
    await server.connect();
    const inFlight = [];
    for (let round = 0; round < 30; round += 1) {
      for (let request = 0; request < 10; request += 1) inFlight.push(send());
      if (round === 10) {
        await server.query(`alter database ${database} allow_connections false`);
        await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
      }
      await sleep(1);
    }
    const responses = await Promise.all(inFlight);
    await server.query(`alter database ${database} allow_connections true`);
    await server.end();

    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body, headers } of refused) {
      expect(status).toBe(503);
      expect(body.errors[0].error).toBe('ServiceUnavailableError');
      expect(headers['retry-after']).toBe('1');
    }
    expect((await send()).status).toBe(201);

    const traces = await tracesOf(service);
    expect(traces).toEqual(every(traces.notifications));
    // Every 201 is stored. Some others may be stored too: a commit whose response was lost.
    const accepted = responses.filter(({ status }) => status === 201).map(({ body }) => body.id);
    const { rows } = await app.pool.query(
      'select count(*)::int as found from notifications where id = any ($1::uuid[])',
      [accepted],
    );
    expect(rows[0].found).toBe(accepted.length);
  });

  it('survives a client that disconnects', async () => {
    const { service, key, body, send } = await aSender();
    harness.logged.length = 0;
    const address = await harness.http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = new URL(address);
    const text = JSON.stringify(body);
    const head = `POST ${url} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${text.length}\r\n\r\n`;
    for (const sent of [`${head}${text}`, `${head}${text.slice(0, 10)}`]) {
      const socket = connect(Number(port), '127.0.0.1');
      await new Promise((resolve) => socket.write(sent, resolve));
      socket.destroy();
    }
    await sleep(300);
    expect((await send()).status).toBe(201);
    const traces = await tracesOf(service);
    expect(traces).toEqual(every(traces.notifications));
    expect(harness.logged.filter((line) => line.includes('request.failed'))).toEqual([]);
  });
});
