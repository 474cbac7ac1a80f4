import { beforeAll, describe, expect, it, vi } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { expectError, storedMessage } from '../../../test/kit/builders/sends.ts';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';
import { deleteExpiredData } from '../retention.ts';
import { letterFiles } from '../tasks-for-others.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const url = '/v2/notifications/letter';
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
const root = 'http://localhost:80';
const address = { address_line_1: 'Ada Lovelace', address_line_2: '1 High Street', postcode: 'sw1a1aa' };
let service: string;
let key: string;
let template_id: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, {
    template_type: 'letter',
    subject: 'About ((thing)) & more',
    content: 'Dear ((address_line_1)),\n\n((thing))',
  });
});

function send(change: Record<string, unknown> = {}, as = key): Promise<Answer> {
  return harness.v2('POST', url, as, { template_id, personalisation: { ...address, thing: 'tea' }, ...change });
}

function to(lines: Record<string, unknown>, as = key): Promise<Answer> {
  return send({ personalisation: { thing: 'tea', ...lines } }, as);
}

const stored = (id: string) => storedMessage(harness, id);

async function waitingJobs(notificationId: string): Promise<string[]> {
  const { rows } = await harness.app.pool.query(
    `select task_identifier from graphile_worker.jobs
     join graphile_worker._private_jobs using (id) where payload ->> 'notification_id' = $1`,
    [notificationId],
  );
  return rows.map((row) => row.task_identifier);
}

describe('POST /v2/notifications/letter, from a template', () => {
  it('201 returns every key, stores the letter and queues it for composition', async () => {
    const response = await send({ reference: 'mine' });
    expect(response.status).toBe(201);
    const { id } = response.body;
    expect(response.body).toEqual({
      id,
      reference: 'mine',
      uri: `${root}/v2/notifications/${id}`,
      template: { id: template_id, version: 1, uri: `${root}/services/${service}/templates/${template_id}` },
      scheduled_for: null,
      content: { subject: 'About tea &amp; more', body: 'Dear Ada Lovelace,\n\ntea' },
    });
    expect(await stored(id)).toMatchObject({
      notification_type: 'letter',
      status: 'created',
      recipient: 'Ada Lovelace\n1 High Street\nSW1A 1AA',
      personalisation: { ...address, thing: 'tea' },
      postage: 'second',
      international: false,
    });
    expect(await waitingJobs(id)).toEqual(['compose-letter']);
    const queued = await harness.app.db
      .selectFrom('delivery_queue')
      .select('lane')
      .where('notification_id', '=', id)
      .execute();
    expect(queued).toEqual([]);
    expect((await harness.v2('GET', `/v2/notifications/${id}`, key)).body).toMatchObject({ status: 'accepted' });
  });

  it.each<[Record<string, string>, string, string]>([
    [{ address_line_2: 'Paris', address_line_3: 'FRANCE' }, 'europe', 'Ada\nParis\nFrance'],
    [
      { address_line_2: 'Berlin', address_line_7: 'deutschland', postcode: 'ignored' },
      'europe',
      'Ada\nBerlin\nGermany',
    ],
    [{ address_line_2: 'Lima', postcode: 'Peru' }, 'rest-of-world', 'Ada\nLima\nPeru'],
    [{ address_line_2: 'Regiment', postcode: 'bfpo 12' }, 'second', 'Ada\nRegiment\nBFPO 12'],
  ])('201 to %j: postage %s', async (lines, postage, recipient) => {
    const { status, body } = await to({ address_line_1: 'Ada', ...lines });
    expect(status).toBe(201);
    expect(await stored(body.id)).toMatchObject({ postage, recipient, international: postage !== 'second' });
  });

  it('201 drops unused values and stores the address as spelled', async () => {
    const given = { ...address, 'Address Line 3': 'Westminster', THING: 'tea', unused: 'x'.repeat(1_000) };
    const { body } = await send({ personalisation: given });
    const { unused: _unused, ...kept } = given;
    expect((await stored(body.id))?.personalisation).toEqual(kept);
    const { body: read } = await harness.v2('GET', `/v2/notifications/${body.id}`, key);
    expect(read).toMatchObject({ line_1: 'Ada Lovelace', line_3: 'Westminster', postcode: 'sw1a1aa' });
  });

  it('201 with the template’s postage and contact block', async () => {
    const contact = await aReplyTo(harness, service, 'letter', { text: 'Post Office\n((desk))' });
    const first = await aTemplate(harness, service, { template_type: 'letter', postage: 'first', reply_to: contact });
    const missing = await send({ template_id: first, personalisation: { ...address, name: 'Ada', thing: 'x' } });
    expectError(missing, 400, 'BadRequestError', 'Missing personalisation: desk');
    const { body } = await send({
      template_id: first,
      personalisation: { ...address, name: 'Ada', thing: 'x', desk: 5 },
    });
    expect(await stored(body.id)).toMatchObject({ postage: 'first', reply_to_text: 'Post Office\n((desk))' });
  });

  describe('schema', () => {
    it.each<[unknown, string[]]>([
      [{}, ['template_id is a required property', 'personalisation is a required property']],
      [
        { template_id: 'x', personalisation: 5, postage: 'first', scheduled_for: null },
        [
          'id is not a valid UUID',
          'personalisation 5 is not of type object',
          'Additional properties are not allowed (postage, scheduled_for were unexpected)',
        ],
      ],
      [{ template_id: unknown, personalisation: {} }, ['address_line_1 is a required property in personalisation']],
      [
        { template_id: unknown, personalisation: { address_line_1: null } },
        ['address_line_1 is a required property in personalisation'],
      ],
      [
        { template_id: unknown, personalisation: { 'address line 1': 'x' } },
        ['address_line_1 is a required property in personalisation'],
      ],
      [
        { template_id: unknown, reference: 'a'.repeat(1001), personalisation: {} },
        [`reference ${'a'.repeat(1001)} is too long`],
      ],
    ])('400 for the body %j', async (body, messages) => {
      const response = await harness.v2('POST', url, key, body);
      expect(response.status).toBe(400);
      expect(response.body.errors).toEqual(messages.map((message) => ({ error: 'ValidationError', message })));
    });
  });

  describe('address', () => {
    it.each<[Record<string, unknown>, string]>([
      [{ address_line_1: ' ' }, 'Address must be at least 3 lines'],
      [{ address_line_1: 'Ada', postcode: 'SW1A 1AA' }, 'Address must be at least 3 lines'],
      [
        { address_line_1: 'a\nb\nc', address_line_2: 'd\ne\nf\ng', postcode: 'SW1A 1AA' },
        'Address must be no more than 7 lines',
      ],
      [
        { ...address, address_line_2: '---', address_line_3: 'x' },
        'The first 2 lines of the address must both include at least one alphanumeric character',
      ],
      [
        { ...address, address_line_3: 'BFPO 12', postcode: 'France' },
        'The last line of a BFPO address must not be a country.',
      ],
      [{ ...address, postcode: 'XX1 1XX' }, 'Last line of address must be a real UK postcode or another country'],
      [
        { ...address, address_line_3: '[London' },
        'Address lines must not start with any of the following characters: @ ( ) = [ ] ” \\ / , < >',
      ],
      [{ ...address, address_line_3: 'No fixed abode' }, 'Must be a real address'],
    ])('400 for %j', async (lines, message) => {
      expectError(await to(lines), 400, 'ValidationError', message);
    });

    it('400 for an international address without the permission', async () => {
      const home = await aService(harness, { permissions: ['letter'] });
      const homeKey = await anApiKey(harness, home);
      const template = await aTemplate(harness, home, { template_type: 'letter' });
      for (const postcode of ['France', 'XX1 1XX']) {
        const response = await send(
          { template_id: template, personalisation: { ...address, postcode, name: 'x', thing: 'y' } },
          homeKey,
        );
        expectError(response, 400, 'ValidationError', 'Must be a real UK postcode');
      }
    });
  });

  describe('keys and modes', () => {
    it('403 with a team key and in trial mode, before the address is checked', async () => {
      const teamKey = await anApiKey(harness, service, { key_type: 'team' });
      const bad = { address_line_1: 'x' };
      expectError(await to(bad, teamKey), 403, 'BadRequestError', 'Cannot send letters with a team api key');
      const trial = await aService(harness, { restricted: true });
      const template = await aTemplate(harness, trial, { template_type: 'letter', content: 'x', subject: 'y' });
      const change = { template_id: template, personalisation: bad };
      const text = 'Cannot send letters when service is in trial mode';
      expectError(await send(change, await anApiKey(harness, trial)), 403, 'BadRequestError', text);
      const both = await anApiKey(harness, trial, { key_type: 'team' });
      expectError(await send(change, both), 403, 'BadRequestError', 'Cannot send letters with a team api key');
    });

    it('201 in trial mode with a test key', async () => {
      const trial = await aService(harness, { restricted: true });
      const template = await aTemplate(harness, trial, { template_type: 'letter', content: 'x', subject: 'y' });
      const response = await send({ template_id: template }, await anApiKey(harness, trial, { key_type: 'test' }));
      expect(response.status).toBe(201);
    });

    it('403 when the service may not send letters', async () => {
      const other = await aService(harness, { permissions: ['sms'] });
      const response = await send({}, await anApiKey(harness, other));
      expectError(response, 403, 'BadRequestError', 'Service is not allowed to send letter');
    });
  });

  describe('content', () => {
    it('400 for a QR code of more than 500 characters', async () => {
      const data = 'https://example.org/'.padEnd(501, 'x');
      const response = await send({ personalisation: { ...address, thing: `\n\nqr: ${data}\n\n` } });
      expect(response.status).toBe(400);
      expect(response.body.errors).toEqual([
        {
          error: 'ValidationError',
          message: 'Cannot create a usable QR code - the link is too long',
          data,
          num_bytes: 501,
          max_bytes: 500,
        },
      ]);
      const short = await send({ personalisation: { ...address, thing: `\n\nqr: ${data.slice(0, 500)}\n\n` } });
      expect(short.status).toBe(201);
    });

    it('400 for a file, an unsuitable template, a missing value', async () => {
      const file = await send({ personalisation: { ...address, thing: { file: 'x' } } });
      expectError(file, 400, 'BadRequestError', 'Can only send a file by email');
      const text = 'sms template is not suitable for letter notification';
      expectError(await send({ template_id: await aTemplate(harness, service) }), 400, 'BadRequestError', text);
      const missing = await send({ personalisation: address });
      expectError(missing, 400, 'BadRequestError', 'Missing personalisation: thing');
    });
  });
});

describe('POST /v2/notifications/letter, precompiled', () => {
  const pdf = Buffer.from('%PDF-1.7 a letter');
  const letter = (change: Record<string, unknown> = {}, as = key) =>
    harness.v2('POST', url, as, { reference: 'mine', content: pdf.toString('base64'), ...change });

  it('201 returns exactly three keys, stores the file and queues the virus check', async () => {
    const response = await letter();
    expect(response.status).toBe(201);
    const { id } = response.body;
    expect(response.body).toEqual({ id, reference: 'mine', postage: 'second' });
    expect(await stored(id)).toMatchObject({
      status: 'pending-virus-check',
      recipient: 'Provided as PDF',
      client_reference: 'mine',
      postage: 'second',
    });
    expect(await harness.files.get(letterFiles.uploaded(id))).toEqual(pdf);
    expect(await waitingJobs(id)).toEqual(['check-precompiled-letter']);
    const read = await harness.v2('GET', `/v2/notifications/${id}`, key);
    expect(read.body).toMatchObject({
      status: 'pending-virus-check',
      line_1: 'Provided as PDF',
      subject: 'Pre-compiled PDF',
      is_cost_data_ready: false,
    });
  });

  it('503 when the database connection breaks; the file is deleted an hour later', async () => {
    const { body } = await letter();
    const before = [...harness.files.kept.keys()];
    const lock = await harness.app.apart.tasks.pool.connect();
    await lock.query('begin; lock table notifications in access exclusive mode');
    const responding = letter();
    await vi.waitFor(async () => {
      const { rowCount } = await lock.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pg_backend_pid() = any (pg_blocking_pids(pid))`,
      );
      expect(rowCount).toBe(1);
    }, 10_000);
    expect((await responding).status).toBe(503);
    await lock.query('rollback');
    lock.release();
    const left = () => [...harness.files.kept.keys()].filter((path) => !before.includes(path));
    await deleteExpiredData(harness.app);
    expect(left()).toEqual([expect.stringContaining('letters/precompiled/')]);
    harness.clock.advance({ hours: 1, seconds: 1 });
    await deleteExpiredData(harness.app);
    expect(left()).toEqual([]);
    expect(await harness.files.get(letterFiles.uploaded(body.id))).toEqual(pdf);
  });

  it.each(['first', 'second', 'economy', 'europe', 'rest-of-world'])('201 with postage %s', async (postage) => {
    expect((await letter({ postage })).body.postage).toBe(postage);
  });

  it.each(['', 'aGk=xx', 'a G k =', 'bm90IGEgUERG'])('201 for any base64 content: %j', async (content) => {
    expect((await letter({ content })).status).toBe(201);
  });

  it.each(['hi', 'aGk', 'not base64!!', 'aGk=é'])('400 for the content %j', async (content) => {
    const text = 'Cannot decode letter content (invalid base64 encoding)';
    expectError(await letter({ content }), 400, 'BadRequestError', text);
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{ content: null }, ['reference is a required property', 'content None is not of type string']],
    [{ content: 'x' }, ['reference is a required property']],
    [
      { content: 'x', reference: 'a', postage: 'third' },
      ['postage invalid. It must be first, second, economy, europe or rest-of-world.'],
    ],
    [{ content: 'x', reference: 'a', postage: 1 }, ['postage 1 is not of type string']],
    [
      { content: 'x', reference: 'a', template_id: unknown },
      ['Additional properties are not allowed (template_id was unexpected)'],
    ],
    [{ content: 'x', reference: 'a'.repeat(1001) }, [`reference ${'a'.repeat(1001)} is too long`]],
  ])('400 for the body %j', async (body, messages) => {
    const response = await harness.v2('POST', url, key, body);
    expect(response.status).toBe(400);
    const found = response.body.errors.map(({ message }: { message: string }) => message);
    expect(found.sort()).toEqual([...messages].sort());
    expect(response.body.errors.every(({ error }: { error: string }) => error === 'ValidationError')).toBe(true);
  });

  it('400 for a file over 5 MB, without storing it', async () => {
    const before = harness.files.kept.size;
    const largest = Buffer.alloc(5 * 1024 * 1024, 7);
    expect((await letter({ content: largest.toString('base64') })).status).toBe(201);
    const over = Buffer.alloc(largest.length + 1, 7).toString('base64');
    const text = 'Letter must not be larger than 5MB';
    expectError(await letter({ content: over }), 400, 'BadRequestError', text);
    expectError(await letter({ content: 'A'.repeat(12_000_000) }), 400, 'BadRequestError', text);
    expect(harness.files.kept.size).toBe(before + 1);
  });

  it('403 with a team key, in trial mode and without the permission, before the content is checked', async () => {
    const team = await letter({ content: 'hi' }, await anApiKey(harness, service, { key_type: 'team' }));
    expectError(team, 403, 'BadRequestError', 'Cannot send letters with a team api key');
    const trial = await aService(harness, { restricted: true });
    const refused = await letter({ content: 'hi' }, await anApiKey(harness, trial));
    expectError(refused, 403, 'BadRequestError', 'Cannot send letters when service is in trial mode');
    const other = await aService(harness, { permissions: ['sms'] });
    const notAllowed = await letter({}, await anApiKey(harness, other));
    expectError(notAllowed, 403, 'BadRequestError', 'Service is not allowed to send letter');
  });

  it('429 over the daily limit, and the file is deleted', async () => {
    const small = await aService(harness, { letter_message_limit: 1 });
    const smallKey = await anApiKey(harness, small);
    const before = harness.files.kept.size;
    const responses = await Promise.all([letter({}, smallKey), letter({}, smallKey), letter({}, smallKey)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 429, 429]);
    expect(harness.files.kept.size).toBe(before + 1);
    expect((await harness.app.pool.query('select from unconfirmed_files')).rowCount).toBe(0);
  });
});
