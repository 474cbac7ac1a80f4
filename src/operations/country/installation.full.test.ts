import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../../../test/kit/process/database.ts';
import { de } from '../../countries/de.ts';
import { gb } from '../../countries/gb.ts';
import { nl } from '../../countries/nl.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import { createLog } from '../../platform/log.ts';
import { seeds } from '../../seeds.ts';
import { prepareDatabase } from './installation.ts';

const log = createLog('silent');
let database: TestDatabase;
let client: pg.Client;

beforeEach(async () => {
  database = await emptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

const start = (profile: CountryProfile) => prepareDatabase(database.url, log, { profile, seeds });
const command = (profile: CountryProfile) => prepareDatabase(database.url, log, { profile, seeds, isCommand: true });

async function stored() {
  const { rows } = await client.query('select country, zone, currency, postage from installation');
  return rows[0];
}

/** The slot in which usage counts a letter of one sheet. */
const slotOf = async (postage: string) =>
  (
    await client.query('select letter_kind($1, 1) - letter_kind($1, 0) as factor, letter_kind($1, 0) as slot', [
      postage,
    ])
  ).rows[0];

const rateCount = async () => (await client.query('select count(*)::integer as count from sms_rates')).rows[0].count;

async function entries() {
  const text = `select actor_type, client, thing_id, before, after from audit_log where noun = 'installation' order by created_at`;
  return (await client.query(text)).rows;
}

/** As if a message had been sent and deleted. */
const countMessage = () =>
  client.query(`insert into platform_status_totals (london_day, notification_type, status, count)
    values ('2026-11-17', 'sms', 'delivered', 1)`);

/** Everything that a refused start must leave as it was. */
async function everything() {
  const { rows } = await client.query(`
    select (select jsonb_agg(i) from installation i) as installation, (select count(*) from schema_migrations) as migrations,
      (select count(*) from sms_rates) as rates, (select count(*) from audit_log) as entries`);
  return rows[0];
}

const inEuros = { country: 'nl', zone: 'Europe/Amsterdam', currency: 'EUR' };

describe('the first start', () => {
  it('chooses the country, and seeds no prices of another', async () => {
    await start(nl);
    expect(await stored()).toEqual({ ...inEuros, postage: { netherlands: 1, europe: 2, 'rest-of-world': 3 } });
    expect(await rateCount()).toBe(0);
    expect(await slotOf('netherlands')).toEqual({ factor: 5, slot: 1 });
    await expect(slotOf('first')).rejects.toThrow('No slot for the postage class first');
    await start(nl);
    expect(await entries()).toEqual([]);
  });
});

describe('a later start in another country', () => {
  it('replaces everything while there is no message and no rate of one’s own', async () => {
    await start(gb);
    expect(await rateCount()).toBe(9);
    await start(nl);
    expect(await stored()).toMatchObject(inEuros);
    expect(await rateCount()).toBe(0);
    await start(gb);
    expect(await rateCount()).toBe(9);
  });

  it('is refused once there is a message, with every reason and without any change', async () => {
    await start(gb);
    await countMessage();
    const before = await everything();
    await expect(start(de)).rejects.toThrow(
      [
        'The database was used with the country gb, and has messages or rates of its own:',
        '  - This installation counts days in Europe/London, not in Europe/Berlin (calendar.zone). Set TIME_ZONE=Europe/London, or change it with `pennypost country change --zone Europe/Berlin`.',
        '  - Its amounts are in GBP, not in EUR (money.currency), and nothing converts them. Set CURRENCY=GBP.',
        '  - Slot 1 counts the letters of first, and cannot be that of domestic (postage.classes). Give new classes free slots in COUNTRY_FILE, or move letters with `pennypost country change --postage`.',
        '  - Slot 2 counts the letters of second, and cannot be that of international (postage.classes). Give new classes free slots in COUNTRY_FILE, or move letters with `pennypost country change --postage`.',
        'To begin again in another country, use an empty database. Nothing was changed.',
      ].join('\n'),
    );
    expect(await everything()).toEqual(before);
  });

  it('is refused once somebody has added a rate', async () => {
    await start(nl);
    await client.query(`insert into sms_rates values ('2026-01-01T00:00Z', 0.08)`);
    await expect(start({ ...nl, money: { ...nl.money, currency: 'SEK' } })).rejects.toThrow(
      'Its amounts are in EUR, not in SEK (money.currency)',
    );
    expect(await rateCount()).toBe(1);
  });

  it('keeps the slots of classes that it no longer has, and takes new ones', async () => {
    await start(nl);
    await countMessage();
    const [home, , rest] = nl.postage.classes;
    if (!home || !rest) throw new Error('The profile has too few classes');
    const classes = [home, { ...home, id: 'registered', slot: 4, fileMark: 'R' }, rest];
    await start({ ...nl, postage: { ...nl.postage, classes } });
    expect((await stored()).postage).toEqual({ netherlands: 1, europe: 2, 'rest-of-world': 3, registered: 4 });
    expect([await slotOf('europe'), await slotOf('registered')]).toMatchObject([{ slot: 2 }, { slot: 4 }]);
    const moved = [{ ...home, slot: 5 }, rest];
    await expect(start({ ...nl, postage: { ...nl.postage, classes: moved } })).rejects.toThrow(
      'Slot 1 counts the letters of netherlands, and cannot be that of no class',
    );
  });
});

it('a start with other values of a profile records them in the audit log', async () => {
  await start(nl);
  await countMessage();
  await start({ ...nl, letter: { ...nl.letter, cutOff: '15:00' }, signIn: { ...nl.signIn, sessionHours: 8 } });
  expect(await entries()).toEqual([
    {
      actor_type: 'command',
      client: 'start',
      thing_id: 'nl',
      before: { 'letter.cutOff': '17:30', 'signIn.sessionHours': 20 },
      after: { 'letter.cutOff': '15:00', 'signIn.sessionHours': 8 },
    },
  ]);
});

it('a command without the settings of the server keeps the country of the database', async () => {
  await start(nl);
  await command(gb);
  expect(await stored()).toMatchObject(inEuros);
  expect(await rateCount()).toBe(0);
});

it('a zone that PostgreSQL does not know is refused', async () => {
  const elsewhere = { ...nl, calendar: { ...nl.calendar, zone: 'Europe/Atlantis' } };
  await expect(start(elsewhere)).rejects.toThrow('PostgreSQL does not know the time zone Europe/Atlantis');
  expect((await client.query(`select to_regclass('schema_migrations') as name`)).rows).toEqual([{ name: null }]);
});
