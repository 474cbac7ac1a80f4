import { beforeAll, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let browser: ConsoleVisitor;

beforeAll(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness);
  await harness.admin('POST', `/service/${service}/users/${id}`, { permissions: [{ permission: 'manage_templates' }] });
  browser = await signedIn(harness, id);
  const name = (index: number) => `Reminder of an appointment at the front desk, number ${index}`;
  const content = `Hello ((name)), ${'see you on ((day)) at the town hall. '.repeat(10)}`;
  for (let index = 0; index < 500; index++) await aTemplate(harness, service, { name: name(index), content });
}, 120_000);

it('a list of 500 templates has pages of at most 40 kB', async () => {
  const page = await browser.get(`/console/services/${service}/templates`);
  expect(page.text).toContain('of 500');
  expect(Buffer.byteLength(page.text)).toBeLessThan(40_000);
});
