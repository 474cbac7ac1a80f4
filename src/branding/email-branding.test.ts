import { describe, expect, it } from 'vitest';
import { anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const now = '2026-11-15T12:00:00.000000Z';
const oneOfTwo = 'Email branding must have exactly one of alt_text and text.';

let made = 0;
async function aBrand(fields: object = {}) {
  made += 1;
  const { status, body } = await admin('POST', '/email-branding', {
    name: `Brand ${made}`,
    brand_type: 'org',
    text: 'Department of Examples',
    ...fields,
  });
  expect(status).toBe(201);
  return body.data;
}

async function readBrand(id: string) {
  return (await admin('GET', `/email-branding/${id}`)).body.email_branding;
}

describe('POST /email-branding', () => {
  it('201 with twelve fields in data', async () => {
    const created_by = await aUser(harness);
    const brand = {
      name: 'Whole',
      colour: '#12aBcd',
      logo: 'logo.png',
      alt_text: 'A crest',
      brand_type: 'both',
      created_by,
    };
    const { status, body } = await admin('POST', '/email-branding', brand);
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        ...brand,
        id: expect.any(String),
        text: null,
        active: true,
        created_at: now,
        updated_at: null,
        updated_by: null,
      },
    });
  });

  it.each(['org', 'both', 'org_banner'])('201 for the brand type %s', async (brand_type) => {
    expect(await aBrand({ brand_type })).toMatchObject({ brand_type });
  });

  it.each([
    ['neither text nor alt_text', {}],
    ['both', { text: 'a', alt_text: 'b' }],
    ['an empty text beside an alt_text', { text: '', alt_text: 'b' }],
    ['both null', { text: null, alt_text: null }],
  ])('400 for %s', async (_what, fields) => {
    const { status, body } = await admin('POST', '/email-branding', { name: 'Odd', brand_type: 'org', ...fields });
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: oneOfTwo });
  });

  it('400 when the name is taken', async () => {
    const { name } = await aBrand();
    const { status, body } = await admin('POST', '/email-branding', { name, brand_type: 'org', text: 'x' });
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: { name: ['An email branding with that name already exists.'] } });
  });

  it('201 once and 400 once for two concurrent requests with the same name', async () => {
    const brand = { name: 'At once', brand_type: 'org', text: 'x' };
    const responses = await Promise.all([1, 2].map(() => admin('POST', '/email-branding', brand)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
  });

  const missing = 'Missing data for required field.';
  const tooLong = 'x'.repeat(256);
  const brand = { name: 'Refused', brand_type: 'org', text: 'x' };
  it.each([
    ['nothing', undefined, { name: [missing], brand_type: [missing] }],
    ['a null name', { ...brand, name: null }, { name: ['Field may not be null.'] }],
    ['an empty name', { ...brand, name: '' }, { name: ['Shorter than minimum length 1.'] }],
    [
      'an unknown brand type',
      { ...brand, brand_type: 'NOT A TYPE' },
      { brand_type: ['Must be one of: org, both, org_banner.'] },
    ],
    ['a null brand type', { ...brand, brand_type: null }, { brand_type: ['Field may not be null.'] }],
    ['a colour name', { ...brand, colour: 'red' }, { colour: ['Not a valid hex colour.'] }],
    ['a short colour', { ...brand, colour: '#fff' }, { colour: ['Not a valid hex colour.'] }],
    ['a colour that is a number', { ...brand, colour: 7 }, { colour: ['Not a valid string.'] }],
    [
      'strings that are too long',
      { ...brand, name: tooLong, logo: tooLong, text: tooLong, alt_text: tooLong },
      Object.fromEntries(
        ['name', 'logo', 'text', 'alt_text'].map((field) => [field, ['Longer than maximum length 255.']]),
      ),
    ],
    [
      'wrong types',
      { ...brand, name: 1, text: {}, logo: true },
      {
        name: ['Not a valid string.'],
        text: ['Not a valid string.'],
        logo: ['Not a valid string.'],
      },
    ],
    ['a creator that is not an id', { ...brand, created_by: 'me' }, { created_by: ['Not a valid UUID.'] }],
    ['a null creator', { ...brand, created_by: null }, { created_by: ['Field may not be null.'] }],
    ['an unknown creator', { ...brand, created_by: newId(new Date()) }, { created_by: ['No result found'] }],
  ])('400 for %s', async (_what, request, message) => {
    const { status, body } = await admin('POST', '/email-branding', request);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });
});

describe('GET /email-branding', () => {
  it('200 with active brands only, oldest first', async () => {
    const older = await aBrand();
    const newer = await aBrand();
    await admin('POST', `/email-branding/${older.id}/archive`);
    const { status, body } = await admin('GET', '/email-branding');
    expect(status).toBe(200);
    const ids = body.email_branding.map((brand: { id: string }) => brand.id);
    expect(ids.at(-1)).toBe(newer.id);
    expect(ids).not.toContain(older.id);
    expect(body.email_branding.at(-1)).toEqual(newer);
  });
});

describe('GET /email-branding/{id}', () => {
  it('200 for an archived brand too', async () => {
    const brand = await aBrand();
    await admin('POST', `/email-branding/${brand.id}/archive`);
    const { status, body } = await admin('GET', `/email-branding/${brand.id}`);
    expect(status).toBe(200);
    expect(body.email_branding).toMatchObject({ id: brand.id, active: false });
  });

  it('404 for an unknown id', async () => {
    const { status, body } = await admin('GET', `/email-branding/${newId(new Date())}`);
    expect(status).toBe(404);
    expect(body).toEqual({ result: 'error', message: 'No result found' });
  });
});

describe('POST /email-branding/{id}', () => {
  it('200 with the given fields updated and the others unchanged', async () => {
    const brand = await aBrand({ colour: '#000000' });
    const updated_by = await aUser(harness);
    harness.clock.advance({ minutes: 1 });
    const { status, body } = await admin('POST', `/email-branding/${brand.id}`, { logo: 'new.png', updated_by });
    harness.clock.set('2026-11-15T12:00:00Z');
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { ...brand, logo: 'new.png', updated_by, updated_at: '2026-11-15T12:01:00.000000Z' },
    });
  });

  it('200 for an empty object', async () => {
    const brand = await aBrand();
    const { status, body } = await admin('POST', `/email-branding/${brand.id}`, {});
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...brand, updated_at: now });
  });

  it('200 when text and alt_text are swapped in one request', async () => {
    const brand = await aBrand({ text: 'Text' });
    const { body } = await admin('POST', `/email-branding/${brand.id}`, { text: null, alt_text: 'Alt' });
    expect(body.data).toMatchObject({ text: null, alt_text: 'Alt' });
  });

  it('200; an empty string clears a field', async () => {
    const brand = await aBrand({ text: 'Text', colour: '#123456', logo: 'x.png' });
    const change = { text: '', alt_text: 'Alt', colour: '', logo: '' };
    const { body } = await admin('POST', `/email-branding/${brand.id}`, change);
    expect(body.data).toMatchObject({ text: null, alt_text: 'Alt', colour: null, logo: null });
  });

  it.each([
    ['an alt_text beside the text', { alt_text: 'Alt' }],
    ['the only one set to null', { text: null }],
    ['the only one emptied', { text: '' }],
  ])('400 for %s; changes nothing', async (_what, change) => {
    const brand = await aBrand();
    const { status, body } = await admin('POST', `/email-branding/${brand.id}`, change);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: oneOfTwo });
    expect(await readBrand(brand.id)).toEqual(brand);
  });

  it('400 when the name is taken', async () => {
    const { name } = await aBrand();
    const brand = await aBrand();
    const { status, body } = await admin('POST', `/email-branding/${brand.id}`, { name });
    expect(status).toBe(400);
    expect(body.message).toEqual({ name: ['An email branding with that name already exists.'] });
  });

  it.each([
    [{ name: null }, { name: ['Field may not be null.'] }],
    [{ brand_type: 'x' }, { brand_type: ['Must be one of: org, both, org_banner.'] }],
    [
      { colour: '#12345g', name: '' },
      { name: ['Shorter than minimum length 1.'], colour: ['Not a valid hex colour.'] },
    ],
    [{ updated_by: 'x' }, { updated_by: ['Not a valid UUID.'] }],
  ])('400 for %o', async (change, message) => {
    const brand = await aBrand();
    const { status, body } = await admin('POST', `/email-branding/${brand.id}`, change);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown id', async () => {
    expect((await admin('POST', `/email-branding/${newId(new Date())}`, { name: 'x' })).status).toBe(404);
  });
});

describe('POST /email-branding/get-name-for-alt-text/', () => {
  it('200 with the alt text itself, then with alternates', async () => {
    const ask = () => admin('POST', '/email-branding/get-name-for-alt-text/', { alt_text: 'Royal Mint' });
    expect(await ask()).toMatchObject({ status: 200, body: { name: 'Royal Mint' } });
    await aBrand({ name: 'Royal Mint' });
    expect((await ask()).body).toEqual({ name: 'Royal Mint (alternate 1)' });
    await aBrand({ name: 'Royal Mint (alternate 1)' });
    expect((await ask()).body).toEqual({ name: 'Royal Mint (alternate 2)' });
  });

  it('200 at the path without the trailing slash', async () => {
    const { body } = await admin('POST', '/email-branding/get-name-for-alt-text', { alt_text: 'Slashless' });
    expect(body).toEqual({ name: 'Slashless' });
  });

  it('400 without an alt text', async () => {
    const { status, body } = await admin('POST', '/email-branding/get-name-for-alt-text/', {});
    expect(status).toBe(400);
    expect(body.message).toEqual({ alt_text: ['Missing data for required field.'] });
  });
});

describe('GET /email-branding/{id}/orgs_and_services', () => {
  it('200 with organisations by default brand and services', async () => {
    const { id } = await aBrand();
    const service = await aService(harness, { name: 'Wearer', email_branding_id: id });
    const organisation = await anOrganisation(harness, { name: 'Owner', email_branding_id: id });
    const { status, body } = await admin('GET', `/email-branding/${id}/orgs_and_services`);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        organisations: [{ id: organisation, name: 'Owner', active: true }],
        services: [{ id: service, name: 'Wearer', active: true, restricted: false }],
      },
    });
  });

  it('404 for an unknown id', async () => {
    expect((await admin('GET', `/email-branding/${newId(new Date())}/orgs_and_services`)).status).toBe(404);
  });
});

describe('POST /email-branding/{id}/archive', () => {
  it('204 without a body; deactivates and renames it, so its name is free again', async () => {
    const brand = await aBrand({ name: 'Short lived' });
    const { status, text } = await admin('POST', `/email-branding/${brand.id}/archive`);
    expect(status).toBe(204);
    expect(text).toBe('');
    expect(await readBrand(brand.id)).toEqual({
      ...brand,
      active: false,
      name: '_archived_2026-11-15-12:00:00_Short lived',
      updated_at: now,
    });
    expect((await aBrand({ name: 'Short lived' })).id).not.toBe(brand.id);
  });

  it('204 twice, with two prefixes', async () => {
    const brand = await aBrand({ name: 'Twice' });
    await admin('POST', `/email-branding/${brand.id}/archive`);
    expect((await admin('POST', `/email-branding/${brand.id}/archive`)).status).toBe(204);
    expect(await readBrand(brand.id)).toMatchObject({
      name: '_archived_2026-11-15-12:00:00__archived_2026-11-15-12:00:00_Twice',
    });
  });

  it('204 for two brands with the same name within a second, and for a name of maximum length', async () => {
    for (const name of ['Same second', 'Same second', 'n'.repeat(255)]) {
      const { id } = await aBrand({ name });
      expect((await admin('POST', `/email-branding/${id}/archive`)).status).toBe(204);
    }
  });

  it('204 when only pools and inactive services or organisations use it; deletes it from the pools', async () => {
    const { id } = await aBrand();
    await aService(harness, { email_branding_id: id, active: false });
    await anOrganisation(harness, { email_branding_id: id, active: false });
    const organisation_id = await anOrganisation(harness);
    const pool = 'organisation_email_branding_pool';
    await harness.app.db.insertInto(pool).values({ organisation_id, email_branding_id: id }).execute();
    expect((await admin('POST', `/email-branding/${id}/archive`)).status).toBe(204);
    const left = await harness.app.db.selectFrom(pool).selectAll().where('email_branding_id', '=', id).execute();
    expect(left).toEqual([]);
  });

  it.each(['a service', 'an organisation'])('400 when %s uses it', async (who) => {
    const brand = await aBrand();
    if (who === 'a service') await aService(harness, { email_branding_id: brand.id });
    else await anOrganisation(harness, { email_branding_id: brand.id });
    const { status, body } = await admin('POST', `/email-branding/${brand.id}/archive`);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message: "Email branding is in use and so it can't be archived." });
    expect(await readBrand(brand.id)).toEqual(brand);
  });

  it('404 for an unknown id, 405 for GET', async () => {
    expect((await admin('POST', `/email-branding/${newId(new Date())}/archive`)).status).toBe(404);
    expect((await admin('GET', `/email-branding/${newId(new Date())}/archive`)).status).toBe(405);
  });
});
