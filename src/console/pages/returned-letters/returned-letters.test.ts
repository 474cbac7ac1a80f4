import { expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import { timestamp } from '../../../platform/clock.ts';
import { newId } from '../../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

it('returned letters are listed by the day of the report, and downloaded', async () => {
  const service = await aService(harness, { name: 'Library' });
  const { id } = await aPerson(harness);
  await harness.admin('POST', `/service/${service}/users/${id}`, { permissions: [{ permission: 'view_activity' }] });
  const browser = await signedIn(harness, id);
  const here = `/console/services/${service}/returned-letters`;
  expect((await browser.get(here)).text).toContain('No returned letters');
  const now = timestamp(harness.clock.now());
  const template_id = await aTemplate(harness, service, { template_type: 'letter', name: 'Reminder' });
  const rows = Array.from({ length: 51 }, (_, number) => ({
    ...{ reference: `REF${number}`, printed_at: now },
    ...{ notification_id: newId(harness.clock.now()), service_id: service, reported_on: '2026-11-15', created_at: now },
    ...{ template_id, template_version: 1, letter_created_at: now, client_reference: 'case-1' },
  }));
  await harness.app.db.insertInto('returned_letters').values(rows).execute();
  expect((await browser.get(here)).text).toMatch(/15 Nov 2026.*?51 letters/s);
  const page = await browser.get(`${here}/2026-11-15`);
  expect(page.text.match(/Reminder/g)).toHaveLength(50);
  expect(page.text).toContain('The first 50 of 51 letters.');
  const { text, headers } = await browser.get(`${here}/2026-11-15/csv`);
  expect(headers['content-disposition']).toBe('attachment; filename="Library returned letters 2026-11-15.csv"');
  expect(text.trim().split('\r\n')).toHaveLength(52);
  expect((await browser.get(`${here}/2026-13-15`)).status).toBe(404);
});
