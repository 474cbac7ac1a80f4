import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { somePastMessages } from '../../../test/kit/builders/messages.ts';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { gb } from '../../countries/gb.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import { foldRollups } from '../../notifications/rollups/rollups.ts';
import { changePostage } from './change-country.ts';
import { selectInstallation } from './installation.sql.ts';
import { compareCountry } from './installation.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

function withSlots(slots: Record<string, number>): CountryProfile {
  const [model] = gb.postage.classes;
  if (!model) throw new Error('The profile has no classes');
  const classes = Object.entries(slots).map(([id, slot]) => ({
    ...(gb.postage.classes.find((each) => each.id === id) ?? { ...model, id, fileMark: 'X' }),
    slot,
  }));
  return { ...gb, postage: { ...gb.postage, classes, default: classes[0]?.id ?? '' } };
}

async function someLetters(service: string, letters: { postage: string; sheets: number; count: number }[]) {
  const messages = letters.flatMap(({ postage, sheets, count }) =>
    Array.from({ length: count }, () => ({
      ...({ service_id: service, notification_type: 'letter', status: 'delivered' } as const),
      ...{ postage, billable_units: sheets, created_at: '2026-11-10T10:00:00Z' },
    })),
  );
  await somePastMessages(harness, messages);
}

async function usageOf(service: string) {
  const { body } = await harness.admin('GET', `/service/${service}/billing/monthly-usage?year=2026`);
  return body;
}

const stored = async () => {
  const found = await selectInstallation(harness.app.db);
  if (!found) throw new Error('The installation has no row');
  return found;
};

/** The harness clones a database that no server has started. */
const startWith = (profile: CountryProfile) =>
  sql`update installation set profile = ${JSON.stringify(profile)}::jsonb`.execute(harness.app.db);

describe('pennypost country change --postage', () => {
  it('moves letters to other slots, keeps classes with letters, and conserves every sum', async () => {
    await startWith(gb);
    const service = await aService(harness);
    await someLetters(service, [
      { postage: 'first', sheets: 1, count: 3 },
      { postage: 'second', sheets: 2, count: 2 },
      { postage: 'europe', sheets: 5, count: 1 },
    ]);
    await foldRollups(harness.app.db);
    // These are not in the totals yet.
    await someLetters(service, [
      { postage: 'first', sheets: 1, count: 1 },
      { postage: 'europe', sheets: 1, count: 2 },
    ]);
    const before = await usageOf(service);
    expect(before).toHaveLength(4);

    const profile = withSlots({ second: 1, first: 2, registered: 4, 'rest-of-world': 5 });
    await expect(compareCountry(harness.app.db, await stored(), profile)).rejects.toThrow(
      'pennypost country change --postage',
    );
    const slots = { second: 1, first: 2, registered: 4, 'rest-of-world': 5, europe: 3 };
    expect(await changePostage(harness.app, profile)).toEqual({ slots, letters: 9 });
    expect((await stored()).postage).toEqual(slots);
    expect(await usageOf(service)).toEqual(before);
    await expect(compareCountry(harness.app.db, await stored(), profile)).resolves.toEqual({
      isRewritten: false,
      zoneDiffers: false,
    });
    const { rows } = await sql`
      select client, before, after from audit_log where noun = 'installation'`.execute(harness.app.db);
    expect(rows).toEqual([
      {
        client: 'country change',
        before: { 'postage.classes': { first: 1, second: 2, economy: 3, europe: 4, 'rest-of-world': 5 } },
        after: { 'postage.classes': slots },
      },
    ]);
    await expect(changePostage(harness.app, profile)).rejects.toThrow('The classes have these slots already.');
  });

  it('is refused where classes with letters have no slot left, and changes nothing', async () => {
    const before = await stored();
    const five = withSlots({ one: 1, two: 2, three: 3, four: 4, first: 5 });
    await expect(changePostage(harness.app, five)).rejects.toThrow(
      /^There is no free slot for (europe|second), (europe|second): there are letters of these classes/,
    );
    expect(await stored()).toEqual(before);
  });

  it('is refused in another zone or currency', async () => {
    const inParis = { ...withSlots({ one: 1 }), calendar: { ...gb.calendar, zone: 'Europe/Paris' } };
    await expect(changePostage(harness.app, inParis)).rejects.toThrow(
      'this installation counts days in Europe/London and amounts in GBP, and the settings of this command say Europe/Paris and GBP. Nothing was changed.',
    );
  });
});
