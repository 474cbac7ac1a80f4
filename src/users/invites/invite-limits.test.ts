import { describe, expect, it } from 'vitest';
import { anOrganisation, aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { accountMessages, sentBy } from '../../../test/kit/world/account-messages.ts';
import { aPerson, joinService, signedIn } from '../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

let invited = 0;
const anAddress = () => {
  invited += 1;
  return `invited-${invited}@example.org`;
};

async function aManager(service: string, fields: Parameters<typeof aPerson>[1] = {}) {
  const { id } = await aPerson(harness, fields);
  await joinService(harness, service, id);
  return { id, browser: await signedIn(harness, id) };
}

const invite = (browser: ConsoleVisitor, service: string) =>
  browser.post(`/console/services/${service}/team/invite`, { email_address: anAddress(), 'rights[]': ['templates'] });

/** Invitations of another day count neither for the day nor, when they are accepted, as open. */
async function addInvites(service_id: string, from_user_id: string, count: number, status: 'pending' | 'accepted') {
  const rows = Array.from({ length: count }, () => ({
    ...{ id: crypto.randomUUID(), service_id, from_user_id, status, email_address: anAddress() },
    ...{ permissions: [], folder_permissions: [], auth_type: 'sms_auth' as const },
    created_at: harness.clock.now().toISOString(),
  }));
  await harness.app.db.insertInto('service_invites').values(rows).execute();
}

const passed = (pages: Page[]) => pages.filter(({ status }) => status === 303).length;

describe('invitations in the console', () => {
  it('400 for more than 20 open ones of a service in trial mode, also at once and of two managers', async () => {
    const service = await aService(harness, { restricted: true });
    const [one, other] = [await aManager(service), await aManager(service)];
    await addInvites(service, one.id, 17, 'pending');
    const { answer, sent } = await sentBy(harness, () =>
      Promise.all([one, other, one, other, one, other].map(({ browser }) => invite(browser, service))),
    );
    expect([passed(answer), sent.length]).toEqual([3, 3]);
    const refused = await invite(one.browser, service);
    expect(refused.problems.email_address).toContain('can have 20 open invitations');
    await harness.app.db.updateTable('service_invites').set({ status: 'cancelled' }).execute();
    expect((await invite(one.browser, service)).status).toBe(303);
  });

  it('400 for more than 50 a day of a person, to services and organisations; not for platform administrators', async () => {
    const service = await aService(harness, { restricted: false });
    const organisation = await anOrganisation(harness);
    const manager = await aManager(service);
    await harness.admin('POST', `/organisations/${organisation}/users/${manager.id}`, { permissions: [] });
    await addInvites(service, manager.id, 48, 'accepted');
    const toOrganisation = () =>
      manager.browser.post(`/console/organisations/${organisation}/team/invite`, { email_address: anAddress() });
    expect((await toOrganisation()).status).toBe(303);
    expect((await invite(manager.browser, service)).status).toBe(303);
    for (const page of [await toOrganisation(), await invite(manager.browser, service)]) {
      expect(page.problems.email_address).toContain('50 invitations in the last 24 hours');
    }
    const admin = await aManager(service, { platform_admin: true });
    await addInvites(service, admin.id, 50, 'accepted');
    expect((await invite(admin.browser, service)).status).toBe(303);
    const body = { email_address: anAddress(), from_user: manager.id, permissions: 'send_messages' };
    expect((await harness.admin('POST', `/service/${service}/invite`, body)).status).toBe(201);
    harness.clock.advance({ hours: 24 });
    expect((await invite(manager.browser, service)).status).toBe(303);
  });
});

describe('other messages that people make the platform send', () => {
  it('400 for more than 20 checks of reply-to addresses of a service a day', async () => {
    const service = await aService(harness);
    const { browser } = await aManager(service);
    const add = () => browser.post(`/console/services/${service}/settings/email/reply-to/add`, { value: anAddress() });
    for (let count = 0; count < 20; count += 1) expect((await add()).status).toBe(303);
    const before = (await accountMessages(harness)).length;
    expect((await add()).problems['']).toContain('20 addresses');
    expect((await accountMessages(harness)).length).toBe(before);
  });
});
