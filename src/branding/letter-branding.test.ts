import { describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const now = '2026-11-15T12:00:00.000000Z';

let made = 0;
async function aBrand(fields: { name?: string; filename?: string } = {}) {
  made += 1;
  const { body } = await admin('POST', '/letter-branding', {
    name: `Brand ${made}`,
    filename: `brand-${made}`,
    ...fields,
  });
  return body;
}

describe('POST /letter-branding', () => {
  it('201 with the bare object', async () => {
    const created_by_id = await aUser(harness);
    const { status, body } = await admin('POST', '/letter-branding', {
      name: 'Crest',
      filename: 'crest',
      created_by_id,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Crest',
      filename: 'crest',
      created_by: created_by_id,
      created_at: now,
      updated_at: null,
    });
  });

  it('201 without a creator', async () => {
    expect(await aBrand()).toMatchObject({ created_by: null });
  });

  it('201 when the name differs only in case', async () => {
    await aBrand({ name: 'Shield', filename: 'shield' });
    expect((await admin('POST', '/letter-branding', { name: 'shield', filename: 'SHIELD' })).status).toBe(201);
  });

  it('400 when the name is taken', async () => {
    await aBrand({ name: 'Taken name' });
    const { status, body } = await admin('POST', '/letter-branding', { name: 'Taken name', filename: 'free' });
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: { name: ['Name already in use'] } });
  });

  it('400 when the filename is taken', async () => {
    await aBrand({ filename: 'taken-file' });
    const { status, body } = await admin('POST', '/letter-branding', { name: 'Free', filename: 'taken-file' });
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: { filename: ['Filename already in use'] } });
  });

  it('400 with both fields when both are taken, by two brands', async () => {
    await aBrand({ name: 'First of two' });
    await aBrand({ filename: 'second-of-two' });
    const { body } = await admin('POST', '/letter-branding', { name: 'First of two', filename: 'second-of-two' });
    expect(body.message).toEqual({ name: ['Name already in use'], filename: ['Filename already in use'] });
  });

  it('201 once and 400 once for two concurrent requests with the same name', async () => {
    const responses = await Promise.all(
      ['a', 'b'].map((filename) =>
        admin('POST', '/letter-branding', { name: 'At once', filename: `at-once-${filename}` }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  const tooLong = 'x'.repeat(256);
  it.each([
    [
      'nothing',
      undefined,
      { name: ['Missing data for required field.'], filename: ['Missing data for required field.'] },
    ],
    [
      'null names',
      { name: null, filename: null },
      { name: ['Field may not be null.'], filename: ['Field may not be null.'] },
    ],
    ['wrong types', { name: 5, filename: [] }, { name: ['Not a valid string.'], filename: ['Not a valid string.'] }],
    [
      'names that are too long',
      { name: tooLong, filename: tooLong },
      { name: ['Longer than maximum length 255.'], filename: ['Longer than maximum length 255.'] },
    ],
    ['an empty name', { name: '', filename: 'f' }, { name: ['Shorter than minimum length 1.'] }],
    [
      'a creator that is not an id',
      { name: 'n', filename: 'f', created_by_id: 'me' },
      { created_by_id: ['Not a valid UUID.'] },
    ],
    [
      'a null creator',
      { name: 'n', filename: 'f', created_by_id: null },
      { created_by_id: ['Field may not be null.'] },
    ],
    [
      'an unknown creator',
      { name: 'n', filename: 'f', created_by_id: newId(new Date()) },
      { created_by_id: ['No result found'] },
    ],
  ])('400 for %s', async (_what, request, message) => {
    const { status, body } = await admin('POST', '/letter-branding', request);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });
});

describe('GET /letter-branding', () => {
  it('200 with a bare array, by name', async () => {
    await aBrand({ name: 'Zebra' });
    await aBrand({ name: 'Aardvark' });
    const { status, body } = await admin('GET', '/letter-branding');
    expect(status).toBe(200);
    const names = body.map((brand: { name: string }) => brand.name);
    expect(names).toEqual([...names].sort());
    expect(Object.keys(body[0]).sort()).toEqual(['created_at', 'created_by', 'filename', 'id', 'name', 'updated_at']);
  });
});

describe('GET /letter-branding/{id}', () => {
  it('200 with the bare object', async () => {
    const brand = await aBrand();
    expect(await admin('GET', `/letter-branding/${brand.id}`)).toMatchObject({ status: 200, body: brand });
  });

  it('404 for an unknown id', async () => {
    const { status, body } = await admin('GET', `/letter-branding/${newId(new Date())}`);
    expect(status).toBe(404);
    expect(body).toEqual({ result: 'error', message: 'No result found' });
  });

  it('404 for an invalid id', async () => {
    expect((await admin('GET', '/letter-branding/nonsense')).status).toBe(404);
  });
});

describe('POST /letter-branding/{id}', () => {
  it('201 with updated_at set', async () => {
    const brand = await aBrand();
    harness.clock.advance({ minutes: 1 });
    const change = { name: 'Changed', filename: 'changed', updated_by_id: await aUser(harness) };
    const { status, body } = await admin('POST', `/letter-branding/${brand.id}`, change);
    harness.clock.set('2026-11-15T12:00:00Z');
    expect(status).toBe(201);
    expect(body).toEqual({ ...brand, name: 'Changed', filename: 'changed', updated_at: '2026-11-15T12:01:00.000000Z' });
    expect((await admin('GET', `/letter-branding/${brand.id}`)).body).toEqual(body);
  });

  it('201 when the names do not change', async () => {
    const { id, name, filename } = await aBrand();
    expect((await admin('POST', `/letter-branding/${id}`, { name, filename })).status).toBe(201);
  });

  it('400 when name and filename are taken; changes nothing', async () => {
    const other = await aBrand();
    const brand = await aBrand();
    const { name, filename } = other;
    const { status, body } = await admin('POST', `/letter-branding/${brand.id}`, { name, filename });
    expect(status).toBe(400);
    expect(body.message).toEqual({ name: ['Name already in use'], filename: ['Filename already in use'] });
    expect((await admin('GET', `/letter-branding/${brand.id}`)).body).toEqual(brand);
  });

  it('400 when only one of the two is given', async () => {
    const { id } = await aBrand();
    const { status, body } = await admin('POST', `/letter-branding/${id}`, { name: 'Only a name' });
    expect(status).toBe(400);
    expect(body.message).toEqual({ filename: ['Missing data for required field.'] });
  });

  it('400 for an empty name', async () => {
    const { id } = await aBrand();
    expect((await admin('POST', `/letter-branding/${id}`, { name: '', filename: 'x' })).status).toBe(400);
  });

  it('404 for an unknown id', async () => {
    const { status, body } = await admin('POST', `/letter-branding/${newId(new Date())}`, { name: 'n', filename: 'f' });
    expect(status).toBe(404);
    expect(body.message).toBe('No result found');
  });
});

describe('GET /letter-branding/{id}/orgs_and_services', () => {
  it('200 with active users only, by name', async () => {
    const brand = await aBrand();
    const letter_branding_id = brand.id;
    const serviceB = await aService(harness, { name: 'Service B', letter_branding_id, restricted: true });
    const serviceA = await aService(harness, { name: 'Service A', letter_branding_id });
    await aService(harness, { name: 'Service gone', letter_branding_id, active: false });
    const organisation = await anOrganisation(harness, { name: 'Ministry', letter_branding_id });
    await anOrganisation(harness, { name: 'Ministry gone', letter_branding_id, active: false });
    const { status, body } = await admin('GET', `/letter-branding/${brand.id}/orgs_and_services`);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        organisations: [{ id: organisation, name: 'Ministry', active: true }],
        services: [
          { id: serviceA, name: 'Service A', active: true, restricted: false },
          { id: serviceB, name: 'Service B', active: true, restricted: true },
        ],
      },
    });
  });

  it('200 with empty lists when it is unused', async () => {
    const { id } = await aBrand();
    const { body } = await admin('GET', `/letter-branding/${id}/orgs_and_services`);
    expect(body).toEqual({ data: { organisations: [], services: [] } });
  });

  it('404 for an unknown id', async () => {
    expect((await admin('GET', `/letter-branding/${newId(new Date())}/orgs_and_services`)).status).toBe(404);
  });
});

describe('POST /letter-branding/get-unique-name/', () => {
  const ask = (name: unknown, path = '/letter-branding/get-unique-name/') => admin('POST', path, { name });

  it('200 with the name itself when it is free', async () => {
    expect(await ask('  Free as a bird ')).toMatchObject({ status: 200, body: { name: '  Free as a bird ' } });
  });

  it('200 at the path without the trailing slash', async () => {
    expect((await ask('Slashless', '/letter-branding/get-unique-name')).body).toEqual({ name: 'Slashless' });
  });

  it('200 with the first alternate when the name is taken in another case', async () => {
    await aBrand({ name: 'Lion' });
    expect((await ask('LION')).body).toEqual({ name: 'LION (alternate 1)' });
  });

  it('200 with the first free number', async () => {
    for (const name of ['Tiger', 'Tiger (alternate 1)', 'Tiger (alternate 2)', 'Tiger (alternate 4)'])
      await aBrand({ name });
    expect((await ask('Tiger')).body).toEqual({ name: 'Tiger (alternate 3)' });
  });

  it('200; matches percent signs and underscores literally', async () => {
    await aBrand({ name: 'A and B' });
    expect((await ask('A%B')).body).toEqual({ name: 'A%B' });
    expect((await ask('A_and_B')).body).toEqual({ name: 'A_and_B' });
  });

  it('400 when all 99 alternates are taken', async () => {
    await aBrand({ name: 'Popular' });
    for (let number = 1; number <= 98; number += 1) await aBrand({ name: `Popular (alternate ${number})` });
    expect((await ask('Popular')).body).toEqual({ name: 'Popular (alternate 99)' });
    await aBrand({ name: 'Popular (alternate 99)' });
    const { status, body } = await ask('Popular');
    expect(status).toBe(400);
    expect(body.message).toEqual({ name: ["All 99 alternates of 'Popular' are taken"] });
  });

  it.each([
    [undefined, 'Missing data for required field.'],
    [null, 'Field may not be null.'],
    [7, 'Not a valid string.'],
  ])('400 for the name %s', async (name, text) => {
    const { status, body } = await ask(name);
    expect(status).toBe(400);
    expect(body.message).toEqual({ name: [text] });
  });
});

describe('POST /letter-branding/{id}/archive', () => {
  it('204; it is no longer listed, is in no pool, and its names are free again', async () => {
    const brand = (await admin('POST', '/letter-branding', { name: 'Short lived', filename: 'short' })).body;
    const organisation = await anOrganisation(harness);
    const pool = `/organisations/${organisation}/letter-branding-pool`;
    await admin('POST', pool, { branding_ids: [brand.id] });
    const { status, text } = await admin('POST', `/letter-branding/${brand.id}/archive`);
    expect([status, text]).toEqual([204, '']);
    const listed = (await admin('GET', '/letter-branding')).body.map(({ id }: { id: string }) => id);
    expect(listed).not.toContain(brand.id);
    expect((await admin('GET', pool)).body.data).toEqual([]);
    expect((await admin('POST', pool, { branding_ids: [brand.id] })).status).toBe(400);
    expect((await admin('POST', '/letter-branding', { name: 'Short lived', filename: 'short' })).status).toBe(201);
    expect((await admin('POST', `/letter-branding/${brand.id}/archive`)).status).toBe(204);
  });

  it('400 when a service or an organisation uses it; 404 for an unknown id', async () => {
    for (const use of [aService, anOrganisation]) {
      const name = `In use by ${use.name}`;
      const brand = (await admin('POST', '/letter-branding', { name, filename: name })).body;
      await use(harness, { letter_branding_id: brand.id });
      const { status, body } = await admin('POST', `/letter-branding/${brand.id}/archive`);
      expect([status, body.message]).toEqual([400, "Letter branding is in use and so it can't be archived."]);
      expect((await admin('GET', `/letter-branding/${brand.id}`)).body).toEqual(brand);
    }
    expect((await admin('POST', `/letter-branding/${newId(new Date())}/archive`)).status).toBe(404);
  });
});
