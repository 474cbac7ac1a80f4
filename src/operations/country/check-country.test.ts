import { expect, it, onTestFinished } from 'vitest';
import { emptyDatabase } from '../../../test/kit/process/database.ts';
import { gb } from '../../countries/gb.ts';
import { nl } from '../../countries/nl.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import { createLog } from '../../platform/log.ts';
import { seeds } from '../../seeds.ts';
import { checkCountry } from './check-country.ts';
import { prepareDatabase } from './installation.ts';

it('says what the next start changes', async () => {
  const database = await emptyDatabase();
  onTestFinished(database.drop);
  const check = async (profile: CountryProfile) =>
    (await checkCountry(profile, database.url)).map(({ ok, description }) => ({ ok, description }));
  expect(await check(gb)).toEqual([]);

  await prepareDatabase(database.url, createLog('silent'), { profile: nl, seeds });
  expect(await check(nl)).toEqual([]);
  expect(await check({ ...nl, letter: { ...nl.letter, cutOff: '15:00' } })).toEqual([
    { ok: true, description: 'the next start changes letter.cutOff, and records it in the audit log' },
  ]);
});
