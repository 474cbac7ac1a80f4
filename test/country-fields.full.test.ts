import { describe, expect, it } from 'vitest';
import { gb } from '../src/countries/gb.ts';
import type { CountryProfile } from '../src/countries/profile.ts';
import { aNotification, anApiKey, aService, aTemplate } from './kit/builders/rows.ts';
import { type Harness, useHarness } from './kit/harness.ts';

// Responses of other countries have further fields beside amounts. Two countries in one process, which share nothing.

const abroad: CountryProfile = {
  ...gb,
  code: 'x-abroad',
  locale: 'de-AT',
  money: { currency: 'EUR', priceDecimals: 4, style: 'intl' },
  prices: { sms: [], letters: {}, allowances: {}, highVolume: null },
};
const now = '2026-11-16T12:00:00Z';
const here = useHarness({ now });
const there = useHarness({ now, country: abroad });

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

/** Every field of every response, such as `get /v2/notifications 200 notifications[].currency`. */
async function listFields(harness: Harness): Promise<string[]> {
  const { body } = await harness.request({ method: 'GET', url: '/openapi.json' });
  const paths: Record<string, Record<string, Operation>> = body.paths;
  const fieldsOf = ({ $ref, properties = {}, items }: Schema, at: string): string[] => [
    ...($ref ? fieldsOf(body.components.schemas[$ref.split('/').at(-1) ?? ''], at) : []),
    ...(items ? fieldsOf(items, `${at}[]`) : []),
    ...Object.entries(properties).flatMap(([name, schema]) => [`${at}.${name}`, ...fieldsOf(schema, `${at}.${name}`)]),
  ];
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ schema = {} }) => fieldsOf(schema, `${method} ${path} ${status} `)),
      ),
    ),
  );
}

describe('fields beside amounts', () => {
  it('do not exist in the United Kingdom, and are the only ones that others add', async () => {
    const [usual, further] = [await listFields(here), await listFields(there)];
    expect(usual.length).toBeGreaterThan(500);
    // What an installation says about itself, it says in every country.
    expect(usual.filter((field) => /currency|price_known/.test(field))).toEqual(['get /country 200 .currency']);
    const added = further.filter((field) => !usual.includes(field));
    expect(usual.filter((field) => !further.includes(field))).toEqual([]);
    const ofPublic = added.filter((field) => field.includes('/v2/'));
    expect(ofPublic).toEqual([
      'get /v2/notifications/{notification_id} 200 .currency',
      'get /v2/notifications/{notification_id} 200 .price_known',
      'get /v2/notifications 200 .notifications[].currency',
      'get /v2/notifications 200 .notifications[].price_known',
    ]);
    expect(added.every((field) => /\.(currency|price_known)$/.test(field))).toBe(true);
  });

  it('are described in the currency of the country', async () => {
    const { body } = await there.request({ method: 'GET', url: '/openapi.json' });
    expect(JSON.stringify(body.paths)).toMatch(/"description":"EUR"/);
    expect(JSON.stringify(body.paths)).not.toMatch(/"description":"(Average )?GBP( per|")/);
  });

  it('say of a letter what its price is in, and whether it is known', async () => {
    for (const harness of [here, there]) {
      const service = await aService(harness);
      const template = await aTemplate(harness, service, { template_type: 'letter', content: 'Hello' });
      const key = await anApiKey(harness, service);
      const aLetter = (status: 'delivered' | 'cancelled') =>
        aNotification(harness, service, template, { notification_type: 'letter' }, { status, billable_units: 2 });
      const [printed, cancelled] = [await aLetter('delivered'), await aLetter('cancelled')];
      const get = async (id: string) => (await harness.v2('GET', `/v2/notifications/${id}`, key)).body;
      if (harness === here) {
        expect(await get(printed)).toMatchObject({ cost_in_pounds: 0.77, is_cost_data_ready: true });
        for (const id of [printed, cancelled]) {
          expect(await get(id)).not.toHaveProperty('currency');
          expect(await get(id)).not.toHaveProperty('price_known');
        }
        continue;
      }
      const unpriced = { cost_in_pounds: 0, is_cost_data_ready: true, currency: 'EUR' };
      expect(await get(printed)).toMatchObject({ ...unpriced, price_known: false });
      expect(await get(cancelled)).toMatchObject(unpriced);
      expect(await get(cancelled)).not.toHaveProperty('price_known');
      const rate = { post_class: 'second', sheet_count: 2, rate: 1.25, start_date: '2026-01-01' };
      expect((await harness.admin('POST', '/letter-rates', rate)).body).toMatchObject({ currency: 'EUR' });
      expect(await get(printed)).toMatchObject({ cost_in_pounds: 1.25, currency: 'EUR' });
      expect(await get(printed)).not.toHaveProperty('price_known');
    }
  });
});
