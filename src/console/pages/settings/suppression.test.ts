import { expect, it } from 'vitest';
import { aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import { timestamp } from '../../../platform/clock.ts';
import { newId } from '../../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

async function aList(addresses: string[]) {
  const service = await aService(harness, { permissions: ['email'] });
  const rows = addresses.map((email_address) => ({
    ...{ id: newId(harness.clock.now()), service_id: service, notification_id: newId(harness.clock.now()) },
    ...{ email_address, reason: 'hard-bounce' as const, created_at: timestamp(harness.clock.now()) },
  }));
  if (rows.length > 0) await harness.app.db.insertInto('suppressed_recipients').values(rows).execute();
  const person = await aPerson(harness);
  await joinService(harness, service, person.id);
  const browser = await signedIn(harness, person.id);
  const path = `/console/services/${service}/settings/email`;
  return { service, browser, rows, list: `${path}/suppression-list`, setting: `${path}/suppression` };
}

const entries = (service: string) =>
  harness.app.db
    .selectFrom('suppressed_recipients')
    .select('email_address')
    .where('service_id', '=', service)
    .execute();

it('is switched on and off, and says what that means', async () => {
  const { service, browser, list, setting } = await aList([]);
  expect((await browser.get(list)).text).toContain('The list is off');
  await browser.post(setting, { value: 'yes' });
  const { body } = await harness.admin('GET', `/service/${service}`);
  expect(body.data.permissions.sort()).toEqual(['email', 'suppress_recipients']);
  expect((await browser.get(list)).text).toContain('Switch off');
  await browser.post(setting, { value: 'no' });
  expect((await harness.admin('GET', `/service/${service}`)).body.data.permissions).toEqual(['email']);
});

it('is shown page by page, and downloaded as a whole', async () => {
  const addresses = Array.from({ length: 60 }, (_, index) => `person-${index}@example.org`);
  const { browser, list } = await aList(addresses);
  const first = (await browser.get(list)).text;
  const older = /href="([^"]*older_than=[^"]*)"/.exec(first)?.[1] ?? '';
  const second = (await browser.get(older)).text;
  const shown = addresses.filter((address) => `${first}${second}`.includes(`>${address}<`));
  expect(shown).toEqual(addresses);
  const csv = (await browser.get(`${list}/csv`)).text.trim().split('\r\n');
  expect(csv[0]).toBe('email_address,reason,created_at,notification_id');
  expect(csv).toHaveLength(61);
});

it('finds an address in any spelling, without naming it in an address, and lifts it once it is confirmed', async () => {
  const { service, browser, rows, list } = await aList(['ada@example.org', 'bob@example.org']);
  const found = await browser.post(list, { email_address: ' ADA@Example.org ' });
  expect(found.location).not.toMatch(/@|%40|example/i);
  const page = (await browser.get(found.location ?? '')).text;
  expect(page).toContain('>ada@example.org<');
  expect(page).not.toContain('bob@example.org');
  const none = await browser.post(list, { email_address: 'nobody@example.org' });
  expect((await browser.get(none.location ?? '')).text).toContain('This address is not on the list');
  expect((await browser.post(list, { email_address: 'nonsense' })).status).toBe(400);

  const entry = `${list}/${rows[0]?.id}`;
  expect((await browser.get(entry)).text).toContain('Send emails to ada@example.org again');
  expect(await entries(service)).toHaveLength(2);
  expect((await browser.post(entry, {})).status).toBe(303);
  expect(await entries(service)).toEqual([{ email_address: 'bob@example.org' }]);
  expect((await browser.get(entry)).status).toBe(404);
  const other = await aList(['carol@example.org']);
  expect((await browser.post(`${list}/${other.rows[0]?.id}`, {})).status).toBe(404);
  expect(await entries(other.service)).toHaveLength(1);
});
