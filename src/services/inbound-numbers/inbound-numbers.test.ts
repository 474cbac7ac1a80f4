import { describe, expect, it } from 'vitest';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { newId } from '../../platform/id.ts';
import { seedNormalisedNumbers } from './inbound-numbers.seed.ts';

const harness = useHarness();
const add = (number: string) => harness.admin('POST', '/inbound-number', { number, provider: 'mmg' });

describe('POST /inbound-number', () => {
  it.each(['447700900701', '+44 7700 900702', '07700900703', '60777'])(
    '201 for %s, as it was entered',
    async (number) => {
      const { status, body } = await add(number);
      expect([status, body.data.number]).toEqual([201, number]);
      expect(Object.keys(body.data).sort()).toEqual(
        ['active', 'created_at', 'id', 'number', 'provider', 'service', 'updated_at'].sort(),
      );
    },
  );

  it('400 for a number that is there in another form', async () => {
    expect((await add('07700900710')).status).toBe(201);
    for (const same of ['07700900710', '447700900710', '+447700900710']) {
      const { status, body } = await add(same);
      expect([status, body.message]).toEqual([400, { number: ['Inbound number already exists'] }]);
    }
  });
});

describe('numbers that an earlier version stored', () => {
  it('are normalised, and of two that are the same the one that a service uses receives its texts', async () => {
    const { app, clock } = harness;
    const service = await aService(harness);
    const stored = async (number: string, service_id: string | null) => {
      const now = clock.now();
      const row = { id: newId(now), number, provider: 'mmg', service_id, created_at: timestamp(now) };
      await app.db.insertInto('inbound_numbers').values(row).execute();
      return row.id;
    };
    const alone = await stored('+12025550187', null);
    const free = await stored('07700900720', null);
    const used = await stored('447700900720', service);
    for (let start = 0; start < 2; start += 1)
      await inTransaction(app.db, (tx) => seedNormalisedNumbers(tx, clock.now(), app.country, app.languages));
    const rows = await app.db
      .selectFrom('inbound_numbers')
      .select(['id', 'normalised_number'])
      .where('id', 'in', [alone, free, used])
      .execute();
    expect(new Map(rows.map(({ id, normalised_number }) => [id, normalised_number]))).toEqual(
      new Map([
        [alone, '12025550187'],
        [free, null],
        [used, '447700900720'],
      ]),
    );
    const available = (await harness.admin('GET', '/inbound-number/available')).body.data;
    const ids = available.map(({ id }: { id: string }) => id);
    expect([ids.includes(alone), ids.includes(free)]).toEqual([true, false]);
    const all = (await harness.admin('GET', '/inbound-number')).body.data;
    expect(all.find(({ id }: { id: string }) => id === free).number).toBe('07700900720');
    expect(all[0]).not.toHaveProperty('normalised_number');
  });
});
