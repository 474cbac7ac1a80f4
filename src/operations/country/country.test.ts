import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import { us } from '../../countries/us.ts';

const british = useHarness();
const american = useHarness({ country: us });

describe('GET /country', () => {
  it('200 describes the country of the installation', async () => {
    const { status, body } = await american.admin('GET', '/country');
    expect(status).toBe(200);
    expect(body).toEqual({
      code: 'us',
      name: 'United States',
      locale: 'en-US',
      languages: ['en', 'es'],
      time_zone: 'America/New_York',
      financial_year_start: '01-01',
      currency: 'USD',
      phone_region: 'US',
      postage: {
        default: 'domestic',
        classes: [
          { id: 'domestic', label: 'United States', zone: 'home' },
          { id: 'international', label: 'International', zone: 'abroad' },
        ],
      },
      organisation_types: [
        { id: 'federal', label: 'Federal government' },
        { id: 'state', label: 'State, local or tribal government' },
        { id: 'other', label: 'Other' },
      ],
    });
    expect((await british.admin('GET', '/country')).body).toMatchObject({ code: 'gb', currency: 'GBP' });
  });
});

describe('types of organisations', () => {
  const create = (harness: typeof british, organisation_type: string) =>
    harness.admin('POST', '/organisations', { name: `Of ${organisation_type}`, crown: true, organisation_type });

  it('201 are those of the country, or other names of them; nobody is part of the Crown elsewhere', async () => {
    expect((await create(american, 'state')).body).toMatchObject({ organisation_type: 'state', crown: false });
    expect((await create(american, 'central')).body).toMatchObject({ organisation_type: 'federal', crown: false });
    expect((await create(british, 'nhs_gp')).body).toMatchObject({ organisation_type: 'nhs_gp', crown: true });
  });

  it('400 for those of another country', async () => {
    expect((await create(american, 'nhs_gp')).status).toBe(400);
    expect((await create(british, 'federal')).status).toBe(400);
  });

  it('204 change with the same names, for an organisation and its services', async () => {
    const { body: organisation } = await create(american, 'other');
    const change = { organisation_type: 'local', crown: true };
    expect((await american.admin('POST', `/organisations/${organisation.id}`, change)).status).toBe(204);
    expect((await american.admin('GET', `/organisations/${organisation.id}`)).body).toMatchObject({
      organisation_type: 'state',
      crown: false,
    });
  });
});
