import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { type Harness, useHarness } from '../../test/kit/harness.ts';
import { senderIdentities } from '../delivery/providers/sender-identities.ts';
import { InvalidatedCache } from './cache.ts';

const harness = useHarness();
let service: string;
let key: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
});

const ask = (who: Pick<Harness, 'v2'>, withKey: string) => who.v2('GET', '/v2/templates', withKey);

/** Number of database queries during the given work. */
async function reads(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const note = () => {
    count += 1;
  };
  harness.app.pool.on('acquire', note);
  await work();
  harness.app.pool.off('acquire', note);
  return count;
}

describe('InvalidatedCache', () => {
  it('is kept after rejected requests', async () => {
    // Notifications of creating the service may still be in flight.
    await expect.poll(async () => (await ask(harness, key)) && harness.app.serviceKeys.peek(service)).toBeDefined();
    const kept = harness.app.serviceKeys.peek(service);
    expect((await harness.request({ method: 'POST', url: '/service', payload: '{}' })).status).toBe(401);
    expect((await harness.admin('POST', '/service', {})).status).toBe(400);
    expect((await harness.admin('POST', '/no-such-route', {})).status).toBe(404);
    expect(harness.app.serviceKeys.peek(service)).toBe(kept);
  });

  it('reloads after a successful write', async () => {
    await ask(harness, key);
    const before = harness.app.serviceKeys.peek(service);
    expect((await harness.admin('POST', `/service/${service}`, { prefix_sms: false })).status).toBe(200);
    await ask(harness, key);
    expect(harness.app.serviceKeys.peek(service)).not.toBe(before);
  });

  it('keeps what it has of other services when one is changed', async () => {
    const other = await aService(harness);
    const templateOfOther = await aTemplate(harness, other);
    await harness.app.changeListener.catchUp();
    await ask(harness, await anApiKey(harness, other));
    await harness.app.changeListener.catchUp();
    const caches = async () => [
      await harness.app.serviceKeys.find(other),
      await harness.app.sending.services.find(other),
      await harness.app.compiledTemplates.find(other, templateOfOther),
    ];
    const before = await caches();
    const organisation = { name: randomUUID(), crown: false, organisation_type: 'local' };
    expect((await harness.admin('POST', `/service/${service}`, { prefix_sms: true })).status).toBe(200);
    expect((await harness.admin('POST', '/organisations', organisation)).status).toBe(201);
    const after = await caches();
    expect(after.map((value, index) => value === before[index])).toEqual([true, true, true]);
  });

  it('shows every write to the next request', async () => {
    const template = await aTemplate(harness, service, { content: 'Version 0' });
    for (let version = 1; version <= 20; version += 1) {
      const content = `Version ${version}`;
      await harness.admin('POST', `/service/${service}/template/${template}`, { content });
      const shown = await harness.v2('GET', `/v2/template/${template}`, key);
      expect(shown.body.body).toBe(content);
    }
  });

  it('shows a change of the author of a template, and of a brand, to the next request', async () => {
    const author = await aUser(harness);
    const template = await aTemplate(harness, service, { created_by_id: author });
    const shown = async () => (await harness.v2('GET', `/v2/template/${template}`, key)).body.created_by;
    await shown();
    const email_address = `${randomUUID()}@example.org`;
    expect((await harness.admin('POST', `/user/${author}`, { email_address })).status).toBe(200);
    expect(await shown()).toBe(email_address);
    const brand = await harness.admin('POST', '/email-branding', {
      name: randomUUID(),
      brand_type: 'org',
      text: 'Before',
    });
    const { id } = brand.body.data;
    expect((await harness.admin('POST', `/service/${service}`, { email_branding: id })).status).toBe(200);
    const identities = senderIdentities(harness.app);
    expect(await identities.find(service)).toMatchObject({ text: 'Before' });
    expect((await harness.admin('POST', `/email-branding/${id}`, { text: 'After' })).status).toBe(200);
    expect(await identities.find(service)).toMatchObject({ text: 'After' });
  });

  it('reads services that are requested together in a few statements', async () => {
    const keys: string[] = [];
    for (let made = 0; made < 30; made += 1) keys.push(await anApiKey(harness, await aService(harness)));
    await harness.app.changeListener.catchUp();
    const answers = () => Promise.all(keys.map((each) => harness.v2('GET', '/v2/notifications', each)));
    const isCached = () => keys.every((each) => harness.app.serviceKeys.peek(each.slice(-73, -37)));
    const cold = await reads(async () => {
      for (const { status } of await answers()) expect(status).toBe(200);
    });
    const warm = await reads(answers);
    expect(isCached()).toBe(true);
    expect(cold - warm).toBeLessThanOrEqual(6);
  });

  it('is not evicted by any number of made-up keys', async () => {
    const load = async (id: string) => (id === 'real' ? 'its row' : undefined);
    const rows = new InvalidatedCache(harness.app.changeListener, {
      channel: 'nothing',
      max_bytes: 3,
      bytesOf: () => 1,
      load,
    });
    await rows.find('real');
    await Promise.all(Array.from({ length: 50 }, (_, index) => rows.find(`made up ${index}`)));
    expect(rows.peek('real')).toBe('its row');
  });
});

describe('a key of an unknown service', () => {
  it('costs one read, however often it is used', async () => {
    const madeUp = `k-${randomUUID()}-${randomUUID()}`;
    const tries = async () => {
      for (let time = 0; time < 20; time += 1) expect((await ask(harness, madeUp)).status).toBe(403);
    };
    expect(await reads(tries)).toBe(1);
  });

  it('is looked up again after a few seconds', async () => {
    const madeUp = `k-${randomUUID()}-${randomUUID()}`;
    await ask(harness, madeUp);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 5_001);
    onTestFinished(() => clock.mockRestore());
    expect(await reads(() => ask(harness, madeUp))).toBe(1);
  });

  it('works as soon as the service is created, here or in another process', async () => {
    const id = randomUUID();
    const [key, secret] = [randomUUID(), randomUUID()];
    const another = await harness.anotherProcess();
    for (const process of [harness, another]) expect((await ask(process, `k-${id}-${secret}`)).status).toBe(403);
    const created_by_id = await aUser(harness);
    await harness.app.pool.query(
      `insert into services
       select (jsonb_populate_record(s, jsonb_build_object('id', $1::text, 'name', $1::text, 'normalised_name', $1::text))).*
       from services s where s.id = $2`,
      [id, service],
    );
    await harness.app.pool.query(
      `insert into api_keys (id, service_id, name, encrypted_secret, key_type, created_by_id, created_at)
       values ($1, $2, 'k', $3, 'normal', $4, $5)`,
      [key, id, harness.app.secrets.encrypt('api-key', secret, `${id} ${key}`), created_by_id, harness.clock.now()],
    );
    for (const process of [harness, another]) {
      // Before it would be looked up again anyway.
      await expect.poll(async () => (await ask(process, `k-${id}-${secret}`)).status, { timeout: 4_000 }).toBe(200);
    }
  });
});
