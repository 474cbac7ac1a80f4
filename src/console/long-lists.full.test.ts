import { beforeAll, describe, expect, it } from 'vitest';
import { somePastMessages } from '../../test/kit/builders/messages.ts';
import { aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../test/kit/world/console-visitor.ts';
import { timestamp } from '../platform/clock.ts';
import { creatorPermissions } from '../users/members/permissions.ts';

const maxBytes = 40_000;
const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let browser: ConsoleVisitor;

beforeAll(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness);
  await joinService(harness, service, id);
  browser = await signedIn(harness, id);
});

function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}

describe('pages of at most 40 kB', () => {
  it('with 500 templates', async () => {
    const name = (index: number) => `Reminder of an appointment at the front desk, number ${index}`;
    const content = `Hello ((name)), ${'see you on ((day)) at the town hall. '.repeat(10)}`;
    for (let index = 0; index < 500; index++) await aTemplate(harness, service, { name: name(index), content });
    const page = await browser.get(`/console/services/${service}/templates`);
    expect(page.text.includes('of 500')).toBe(true);
    expect(sizeOf(page.text)).toBeLessThan(maxBytes);
  }, 120_000);

  it('with 200 members', async () => {
    const created_at = timestamp(harness.clock.now());
    for (let index = 1; index < 200; index++) {
      const { id } = await aPerson(harness, { name: `Guadalupe Hernández-Villanueva, reception desk ${index}` });
      const member = { service_id: service, user_id: id, permissions: creatorPermissions, created_at };
      await harness.app.db.insertInto('service_members').values(member).execute();
    }
    const page = await browser.get(`/console/services/${service}/team`);
    expect(page.text.includes('of 201')).toBe(true);
    expect(sizeOf(page.text)).toBeLessThan(maxBytes);
    const last = await browser.get(`/console/services/${service}/team?page=11`);
    expect(last.text.includes('201 of 201')).toBe(true);
  }, 120_000);

  it('with 5,000 messages', async () => {
    const template_id = await aTemplate(harness, service, { name: 'Reminder of an appointment at the front desk' });
    const message = {
      ...{ service_id: service, template_id, notification_type: 'sms' as const },
      ...{ status: 'delivered' as const, created_at: '2026-11-16T11:00:00Z' },
    };
    const chunk = Array.from({ length: 500 }, () => message);
    for (let stored = 0; stored < 5_000; stored += chunk.length) await somePastMessages(harness, chunk);
    const page = await browser.get(`/console/services/${service}/messages`);
    expect(page.text.includes('5,000')).toBe(true);
    expect(sizeOf(page.text)).toBeLessThan(maxBytes);
  }, 120_000);
});
