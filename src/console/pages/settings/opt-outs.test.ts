import { expect, it } from 'vitest';
import { aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import { recordOptOutsAtProvider } from '../../../inbound/opt-outs/opt-outs.ts';
import { inTransaction } from '../../../platform/db/database.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const numbered = (index: number) => `447700900${String(index).padStart(3, '0')}`;

/** A service with as many numbers that opted out, the last of them first. */
async function aTeam(count: number) {
  const service = await aService(harness, { permissions: ['sms'] });
  for (let index = 0; index < count; index += 1) {
    const stopped = { service_id: service, user_number: numbered(index), sender: '447900900001' };
    await inTransaction(harness.app.db, (tx) =>
      recordOptOutsAtProvider(harness.app, tx, [stopped], harness.clock.now()),
    );
  }
  const list = `/console/services/${service}/settings/text/opt-outs`;
  return { service, list, as: (permissions?: string[]) => aMember(service, permissions) };
}

async function aMember(service: string, permissions?: string[]) {
  const { id } = await aPerson(harness);
  await joinService(harness, service, id, permissions);
  return signedIn(harness, id);
}

const stillStopped = async (service: string) =>
  (
    await harness.app.db.selectFrom('sms_opt_outs').select('user_number').where('service_id', '=', service).execute()
  ).map(({ user_number }) => user_number);

const liftOf = (text: string) => /href="([^"]*\/text\/opt-outs\/[0-9a-f-]{36})"/.exec(text)?.[1] ?? '';

it('says so where nobody has opted out', async () => {
  const { list, as } = await aTeam(0);
  expect((await (await as()).get(list)).text).toContain('Nobody has opted out');
});

it('is shown page by page', async () => {
  const { list, as } = await aTeam(60);
  const browser = await as();
  const first = (await browser.get(list)).text;
  const older = (await browser.get(/href="([^"]*older_than=[^"]*)"/.exec(first)?.[1] ?? '')).text;
  const shown = (text: string) => [...text.matchAll(/>07700 (900\d{3})</g)].map(([, number]) => `447700${number}`);
  const expected = Array.from({ length: 60 }, (_, index) => numbered(59 - index));
  expect([shown(first).length, ...shown(first), ...shown(older)]).toEqual([50, ...expected]);
  expect(first).toContain('A provider refused texts');
});

it('shows whole numbers only to those who see messages', async () => {
  const { list, as } = await aTeam(1);
  const manager = (await (await as(['manage_settings', 'manage_users'])).get(list)).text;
  expect(manager).toContain('>••• 000<');
  expect(manager).not.toContain('900000');
  const reader = (await (await as(['view_activity'])).get(list)).text;
  expect(reader).toContain('>07700 900000<');
  expect(liftOf(reader)).toBe('');
  expect((await (await as(['manage_templates'])).get(list)).status).toBe(403);
});

it('finds a number in any spelling, without naming it in an address', async () => {
  const { list, as } = await aTeam(2);
  const browser = await as();
  const found = await browser.post(list, { phone_number: '+44 7700 900001' });
  expect(found.location).not.toMatch(/900001/);
  const page = (await browser.get(found.location ?? '')).text;
  expect(page).toContain('>07700 900001<');
  expect(page).not.toContain('>07700 900000<');
  const none = await browser.post(list, { phone_number: '07700 900999' });
  expect((await browser.get(none.location ?? '')).text).toContain('This number has not opted out.');
  const wrong = await browser.post(list, { phone_number: 'nonsense' });
  expect([wrong.status, Object.keys(wrong.problems)]).toEqual([400, ['phone_number']]);
});

it('lifts an opt-out with a reason, which the audit log keeps without the number', async () => {
  const { service, list, as } = await aTeam(2);
  const browser = await as();
  const entry = liftOf((await browser.get(list)).text);
  expect((await browser.get(entry)).h1).toBe('Send texts to 07700 900001 again');
  const without = await browser.post(entry, { reason: ' ' });
  expect(without.problems).toEqual({ reason: 'Enter how the person asked for it.' });
  expect((await (await as(['view_activity', 'send_messages'])).post(entry, { reason: 'They called.' })).status).toBe(
    403,
  );
  expect(await stillStopped(service)).toHaveLength(2);

  const lifted = await browser.follow(await browser.post(entry, { reason: 'They called.' }));
  expect(lifted.text).toContain('Opt-out lifted.');
  expect(await stillStopped(service)).toEqual([numbered(0)]);
  const entries = harness.app.db.selectFrom('audit_log').select(['action', 'before', 'after', 'thing_id']);
  expect(await entries.where('noun', '=', 'sms_opt_out').where('service_id', '=', service).execute()).toEqual([
    { action: 'delete', before: { rows: 1 }, after: { lift_reason: 'They called.' }, thing_id: service },
  ]);
  expect((await browser.post(entry, { reason: 'Again' })).status).toBe(404);
});

it('404 for the number of another service', async () => {
  const [team, other] = [await aTeam(1), await aTeam(1)];
  const foreign = liftOf((await (await other.as()).get(other.list)).text)
    .split('/')
    .at(-1);
  const browser = await team.as();
  expect((await browser.get(`${team.list}/${foreign}`)).status).toBe(404);
  expect((await browser.post(`${team.list}/${foreign}`, { reason: 'Mine' })).status).toBe(404);
  expect(await stillStopped(other.service)).toHaveLength(1);
});
