import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const url = '/v2/notifications/sms';
let service: string;
let key: string;
let template_id: string;
let made = 0;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, { content: 'Hello ((name))' });
});

beforeEach(() => harness.clock.set('2026-11-16T12:00:00Z'));

function newKey(): string {
  made += 1;
  return `key ${made}`;
}

function send(idempotencyKey: string, change: object = {}, process: Pick<typeof harness, 'v2'> = harness, as = key) {
  const body = { phone_number: '07700900123', template_id, personalisation: { name: 'Ada' }, ...change };
  return process.v2('POST', url, as, body, { 'Idempotency-Key': idempotencyKey });
}

async function storedOf(id: string): Promise<number> {
  return (await harness.app.db.selectFrom('notifications').select('id').where('service_id', '=', id).execute()).length;
}

describe('Idempotency-Key', () => {
  it('201 returns the first response again', async () => {
    const name = newKey();
    const first = await send(name, { reference: 'mine' });
    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const again = await send(name, { reference: 'mine' });
    expect(again.status).toBe(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(again.text).toBe(first.text);
  });

  it('201 with the first response if the keys of the body are in another order', async () => {
    const name = newKey();
    const first = await send(name);
    const again = await harness.v2(
      'POST',
      url,
      key,
      { personalisation: { name: 'Ada' }, template_id, phone_number: '07700900123' },
      { 'idempotency-key': name },
    );
    expect(again.body.id).toBe(first.body.id);
  });

  it('422 with another body or on another endpoint', async () => {
    const name = newKey();
    await send(name);
    const response = await send(name, { personalisation: { name: 'Grace' } });
    expect(response.status).toBe(422);
    expect(response.body).toEqual({
      status_code: 422,
      errors: [
        { error: 'IdempotencyError', message: 'This Idempotency-Key was used before with a different request body' },
      ],
    });
    const email = await harness.v2('POST', '/v2/notifications/email', key, {}, { 'Idempotency-Key': name });
    expect(email.status).toBe(422);
  });

  it('201 creates a new message after 24 hours and for another service', async () => {
    const name = newKey();
    const first = await send(name);
    harness.clock.set('2026-11-17T11:59:59Z');
    expect((await send(name)).body.id).toBe(first.body.id);
    harness.clock.set('2026-11-17T12:00:00Z');
    const anew = await send(name);
    expect(anew.body.id).not.toBe(first.body.id);
    expect((await send(name)).body.id).toBe(anew.body.id);
    const other = await aService(harness);
    const template = await aTemplate(harness, other);
    const theirs = await send(name, { template_id: template }, harness, await anApiKey(harness, other));
    expect(theirs.status).toBe(201);
    expect(theirs.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('does not store errors', async () => {
    const name = newKey();
    expect((await send(name, { personalisation: {} })).status).toBe(400);
    expect((await send(name)).status).toBe(201);
  });

  it('releases the key of a message that a limit rejected', async () => {
    const small = await aService(harness, { sms_message_limit: 1 });
    const smallKey = await anApiKey(harness, small);
    const template = await aTemplate(harness, small);
    const names = [newKey(), newKey()];
    const responses = await Promise.all(names.map((name) => send(name, { template_id: template }, harness, smallKey)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 429]);
    const late = names[responses.findIndex(({ status }) => status === 429)] ?? '';
    harness.clock.set('2026-11-17T00:00:00Z');
    const response = await send(late, { template_id: template }, harness, smallKey);
    expect(response.status).toBe(201);
    expect(response.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('does not count repeated requests towards limits', async () => {
    const small = await aService(harness, { sms_message_limit: 1, rate_limit: 1 });
    const smallKey = await anApiKey(harness, small);
    const template = await aTemplate(harness, small);
    const name = newKey();
    const first = await send(name, { template_id: template }, harness, smallKey);
    for (let again = 0; again < 3; again += 1) {
      const response = await send(name, { template_id: template }, harness, smallKey);
      expect(response.status).toBe(201);
      expect(response.body.id).toBe(first.body.id);
    }
    expect(await storedOf(small)).toBe(1);
    expect((await send(newKey(), { template_id: template }, harness, smallKey)).status).toBe(429);
  });

  it('creates one notification for 50 parallel requests', async () => {
    const own = await aService(harness);
    const ownKey = await anApiKey(harness, own);
    const template = await aTemplate(harness, own);
    const name = newKey();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => send(name, { template_id: template }, harness, ownKey)),
    );
    expect(await storedOf(own)).toBe(1);
    const accepted = responses.filter(({ status }) => status === 201);
    expect(new Set(accepted.map(({ body }) => body.id)).size).toBe(1);
    expect(accepted.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
    expect(responses.filter(({ status }) => status !== 201).map(({ status }) => status)).toEqual(
      Array(50 - accepted.length).fill(409),
    );
    const later = await send(name, { template_id: template }, harness, ownKey);
    expect(later.body.id).toBe(accepted[0]?.body.id);
  });

  it('creates one notification for 50 parallel requests through two processes', async () => {
    const own = await aService(harness);
    const ownKey = await anApiKey(harness, own);
    const template = await aTemplate(harness, own);
    const other = await harness.anotherProcess();
    const name = newKey();
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) => send(name, { template_id: template }, n % 2 ? other : harness, ownKey)),
    );
    expect(await storedOf(own)).toBe(1);
    expect(new Set(responses.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(1);
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true);
  });

  it('works for precompiled letters and stores one file', async () => {
    const name = newKey();
    const body = { reference: 'r', content: Buffer.from('%PDF-').toString('base64') };
    const letter = () => harness.v2('POST', '/v2/notifications/letter', key, body, { 'idempotency-key': name });
    const first = await letter();
    const kept = harness.files.kept.size;
    const again = await letter();
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(harness.files.kept.size).toBe(kept);
  });

  it('returns the first response for simulated recipients too', async () => {
    const name = newKey();
    const first = await send(name, { phone_number: '07700900000' });
    expect((await send(name, { phone_number: '07700900000' })).body).toEqual(first.body);
  });

  it.each(['', 'x'.repeat(256)])('400 for the key %j', async (name) => {
    const response = await send(name);
    expect(response.status).toBe(400);
    expect(response.body.errors[0].error).toBe('ValidationError');
  });

  it('409 while the first request is being stored, without affecting other requests', async () => {
    const name = newKey();
    // Keys can be read but not claimed, so nothing is stored until the lock is released.
    const lock = await harness.app.pool.connect();
    await lock.query('begin; lock table idempotency_keys in share mode');
    const twins = [send(name), send(name)];
    const neighbours = [
      send(newKey()),
      harness.v2('POST', url, key, { phone_number: '07700900123', template_id, personalisation: { name: 'x' } }),
    ];
    const sooner = await Promise.race(twins);
    await lock.query('commit');
    lock.release();
    expect(sooner.status).toBe(409);
    expect((await Promise.all(twins)).map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await Promise.all(neighbours)).map(({ status }) => status)).toEqual([201, 201]);
  });
});
