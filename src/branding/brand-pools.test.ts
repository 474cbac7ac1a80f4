import { describe, expect, it } from 'vitest';
import { anOrganisation } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;

let made = 0;
const kinds = {
  email: async (name?: string) => {
    made += 1;
    const brand = { name: name ?? `Brand ${made}`, brand_type: 'org', text: 'x' };
    return (await admin('POST', '/email-branding', brand)).body.data;
  },
  letter: async (name?: string) => {
    made += 1;
    return (await admin('POST', '/letter-branding', { name: name ?? `Brand ${made}`, filename: `file-${made}` })).body;
  },
};

describe.each(['email', 'letter'] as const)('/organisations/{id}/%s-branding-pool', (kind) => {
  const aBrand = kinds[kind];
  const pool = (organisation: string) => `/organisations/${organisation}/${kind}-branding-pool`;

  it('POST 204 adds, GET 200 lists by name, DELETE 204 removes', async () => {
    const organisation = await anOrganisation(harness);
    const [b, a] = [await aBrand(`B of ${kind}`), await aBrand(`A of ${kind}`)];
    expect((await admin('GET', pool(organisation))).body).toEqual({ data: [] });
    const { status, text } = await admin('POST', pool(organisation), { branding_ids: [b.id, a.id, a.id] });
    expect([status, text]).toEqual([204, '']);
    expect((await admin('GET', pool(organisation))).body).toEqual({ data: [a, b] });
    expect((await admin('POST', pool(organisation), { branding_ids: [a.id] })).status).toBe(204);
    expect((await admin('DELETE', `${pool(organisation)}/${a.id}`)).status).toBe(204);
    expect((await admin('GET', pool(organisation))).body).toEqual({ data: [b] });
  });

  it('POST 400 for an unknown brand; adds nothing', async () => {
    const organisation = await anOrganisation(harness);
    const brand = await aBrand();
    const { status, body } = await admin('POST', pool(organisation), { branding_ids: [brand.id, newId(new Date())] });
    expect(status).toBe(400);
    expect(body.message).toEqual({ branding_ids: ['No result found'] });
    expect((await admin('GET', pool(organisation))).body).toEqual({ data: [] });
  });

  it.each([
    [{}, 'Missing data for required field.'],
    [{ branding_ids: 'x' }, 'Not a valid list.'],
    [{ branding_ids: ['x'] }, 'Not a valid UUID.'],
  ])('POST 400 for %o', async (request, text) => {
    const { status, body } = await admin('POST', pool(await anOrganisation(harness)), request);
    expect(status).toBe(400);
    expect(body.message).toEqual({ branding_ids: [text] });
  });

  it('DELETE 404 for a brand that is not in the pool', async () => {
    const organisation = await anOrganisation(harness, { name: `Elsewhere ${kind}` });
    const brand = await aBrand();
    const { status, body } = await admin('DELETE', `${pool(organisation)}/${brand.id}`);
    expect(status).toBe(404);
    const word = kind === 'email' ? 'Email' : 'Letter';
    expect(body.message).toBe(`${word} branding ${brand.id} not in Elsewhere ${kind}'s pool`);
  });

  it('DELETE 400 for the default, which stays in the pool', async () => {
    const brand = await aBrand();
    const organisation = await anOrganisation(harness, { [`${kind}_branding_id`]: brand.id });
    await admin('POST', pool(organisation), { branding_ids: [brand.id] });
    const { status, body } = await admin('DELETE', `${pool(organisation)}/${brand.id}`);
    expect(status).toBe(400);
    expect(body.message).toBe(`You cannot remove an organisation's default ${kind} branding`);
    expect((await admin('GET', pool(organisation))).body.data).toHaveLength(1);
  });

  it('404 for an unknown organisation', async () => {
    const unknown = newId(new Date());
    expect((await admin('GET', pool(unknown))).status).toBe(404);
    expect((await admin('POST', pool(unknown), { branding_ids: [] })).status).toBe(404);
    expect((await admin('DELETE', `${pool(unknown)}/${unknown}`)).status).toBe(404);
  });
});
