import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import { Calendar } from '../../countries/calendar.ts';
import { checkTimeZones } from './time-zones.ts';

const harness = useHarness();

describe('time zones of Node and PostgreSQL', () => {
  it.each(['Europe/London', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/Havana', 'Africa/Casablanca'])(
    'nothing to say where they agree: %s',
    async (zone) => {
      expect(await checkTimeZones(new Calendar(zone), harness.app.pool, harness.clock.now())).toEqual([]);
    },
  );

  it('a warning with both versions where a law is known to one of them only', async () => {
    // A server that has not heard of summer time.
    const query = async (text: string) => ({
      rows: text.includes('generate_series') ? [{ from: '2026-11-18T00:00:00Z', ahead_ms: 0 }] : [{ version: '17.2' }],
    });
    const client = { query } as unknown as Pool;
    expect(await checkTimeZones(new Calendar('Europe/London'), client, new Date('2026-11-18T00:10:00Z'))).toEqual([
      {
        name: 'time zones',
        ok: true,
        is_warning: true,
        description:
          `from 2027-03-28T01:00:00.000Z on, clocks of Europe/London are 1 hour ahead of UTC for Node ${process.versions.node} ` +
          `with time zones ${process.versions.tz}, and 0 hours ahead of UTC for PostgreSQL 17.2: update the older of the two: ` +
          'until then a message can be counted on one day and looked for on another',
      },
    ]);
  });

  it('a problem where PostgreSQL does not know the zone', async () => {
    const unknown = Object.assign(Object.create(new Calendar('Europe/London')), { zone: 'Nowhere/Else' }) as Calendar;
    const [found] = await checkTimeZones(unknown, harness.app.pool, harness.clock.now());
    expect(found).toMatchObject({ ok: false, description: expect.stringContaining('time zone "Nowhere/Else" not') });
  });
});

describe('GET /readyz', () => {
  it('200 without a word about time zones where they agree', async () => {
    const { status, body } = await harness.request({ method: 'GET', url: '/readyz' });
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } });
  });
});
