import { describe, expect, it } from 'vitest';
import { aJob } from '../../../../test/kit/builders/jobs.ts';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import { lanes } from '../../../notifications/notification.ts';
import { timestamp } from '../../../platform/clock.ts';

const harness = useHarness({ now: '2026-11-17T12:30:00Z', config: { guard: { mode: 'on' } } });

async function aPausedService() {
  const service = await aService(harness, { permissions: ['email'] });
  const now = timestamp(harness.clock.now());
  await harness.app.db
    .insertInto('service_guard')
    .values({ service_id: service, state: 'paused', because: 'bounces', rate: '12.4', since: now, judged_at: now })
    .execute();
  const person = await aPerson(harness);
  await joinService(harness, service, person.id);
  const page = `/console/services/${service}/settings/email/guard`;
  return { service, page, home: `/console/services/${service}`, browser: await signedIn(harness, person.id) };
}

const stateOf = async (service: string) => (await harness.admin('GET', `/service/${service}/guard`)).body.data.state;

describe('bounces and complaints of a service', () => {
  it('say why sending to many is paused, on Home and in the settings', async () => {
    const { page, home, browser } = await aPausedService();
    const reason = '12.4% of the emails of the last 24 hours bounced: your list has addresses that do not exist.';
    expect((await browser.get(page)).text).toContain(reason);
    const shown = (await browser.get(home)).text;
    expect(shown).toContain(reason);
    expect(shown).toContain(`href="${page}"`);
    expect((await browser.get(`${home}/settings`)).text).toContain(`href="${page}"`);
  });

  it('lift the pause with a reason and clean addresses, and name everything that is missing', async () => {
    const { service, page, browser } = await aPausedService();
    const empty = await browser.post(page, {});
    expect(empty.status).toBe(400);
    expect(empty.text).toContain('Enter what you have done.');
    expect(empty.text).toContain('Remove the addresses that bounced, then tick the box.');
    expect(await stateOf(service)).toBe('paused');
    await browser.post(page, { reason: 'We removed old addresses.', 'cleaned[]': 'yes' });
    expect(await stateOf(service)).toBe('ok');
    expect((await browser.get(page)).text).toContain('We removed old addresses.');
  });

  it('are shown without the form to a team that has lifted a pause in the last 7 days', async () => {
    const { service, page, browser } = await aPausedService();
    await harness.app.db
      .updateTable('service_guard')
      .set({ lifted_at: timestamp(harness.clock.now()) })
      .where('service_id', '=', service)
      .execute();
    expect((await browser.get(page)).text).toContain('Ask an operator to lift this one.');
    expect((await browser.post(page, { reason: 'Again', 'cleaned[]': 'yes' })).status).toBe(403);
    expect(await stateOf(service)).toBe('paused');
  });

  it('exempt a service from pauses by an operator only', async () => {
    const { service, home, browser } = await aPausedService();
    const path = `${home}/settings/operator/guard`;
    expect((await browser.get(path)).status).toBe(403);
    const admin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    await admin.post(path, { exempt_until: '2026-12-01' });
    expect(await stateOf(service)).toBe('warned');
  });
});

describe('a service that cannot send to many', () => {
  it('says so on its list of files, where a file is chosen, and on a file that waits', async () => {
    const { service, page, home, browser } = await aPausedService();
    const reason = 'Sending to many is paused.</b> 12.4% of the emails of the last 24 hours bounced';
    expect((await browser.get(`${home}/files`)).text).toContain(reason);
    const template = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'c' });
    expect((await browser.get(`${home}/files/new/${template}`)).text).toContain(reason);
    const texts = await aTemplate(harness, service, { content: 'c' });
    expect((await browser.get(`${home}/files/new/${texts}`)).text).not.toContain(reason);
    const waiting = 'Waiting: sending to many is paused';
    const now = timestamp(harness.clock.now());
    const shown = async (fields: Parameters<typeof aJob>[3]) => {
      const of = { notification_type: 'email', row_count: 500, processing_finished: null } as const;
      const job = await aJob(harness, service, template, { ...of, ...fields });
      return (await browser.get(`${home}/files/${job}`)).text;
    };
    const inBulkLane = await shown({ status: 'in progress', lane: lanes.bulk });
    expect(inBulkLane).toContain(waiting);
    expect(inBulkLane).toContain(`href="${page}"`);
    const due = { status: 'scheduled', processing_started: null, scheduled_for: now } as const;
    expect(await shown({ ...due, lane: lanes.normal })).toContain(waiting);
    expect(await shown({ ...due, scheduled_for: '2026-11-18T12:00:00Z' })).not.toContain(waiting);
    expect(await shown({ status: 'in progress', lane: lanes.normal })).not.toContain(waiting);
    expect(await shown({ status: 'finished all notifications created', lane: lanes.bulk })).not.toContain(waiting);
    expect(await shown({ status: 'cancelled', lane: lanes.bulk })).not.toContain(waiting);
  });
});

describe('a saved list of a service that cannot send to many', () => {
  it.each([
    ['email address\nada@example.org\n', true],
    ['phone number\n07700900001\n', false],
  ])('%j says so: %s', async (content, saysSo) => {
    const { service, home, browser } = await aPausedService();
    await harness.admin('POST', `/service/${service}`, { permissions: ['email', 'sms'] });
    const file = { field: 'file', name: 'friends.csv', content };
    const { location = '' } = await browser.postFile(`${home}/contact-lists/new`, {}, file);
    await harness.runTasks();
    expect((await browser.post(`${location}/save`, { name: 'Friends' })).status).toBe(303);
    const shown = (await browser.get(location)).text;
    expect(shown).toContain('Friends');
    expect(shown.includes('Sending to many is paused.')).toBe(saysSo);
  });
});

describe('the list of operators', () => {
  it('has paused, warned and exempt services with the reason, and leads to each', async () => {
    const paused = await aPausedService();
    const exempt = await aPausedService();
    const admin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    await admin.post(`${exempt.home}/settings/operator/guard`, { exempt_until: '2026-12-01' });
    const list = '/console/operator/guard';
    const all = (await admin.get(list)).text;
    expect(all).toContain('12.4% of the emails of 24 hours bounced.');
    for (const { page } of [paused, exempt]) expect(all).toContain(`href="${page}"`);
    const pausedOnly = (await admin.get(`${list}?state=paused`)).text;
    expect([pausedOnly.includes(paused.page), pausedOnly.includes(exempt.page)]).toEqual([true, false]);
    const exemptOnly = (await admin.get(`${list}?state=exempt`)).text;
    expect([exemptOnly.includes(paused.page), exemptOnly.includes(exempt.page)]).toEqual([false, true]);
    expect((await paused.browser.get(list)).status).toBe(403);
    expect((await admin.get('/console/operator/complaints')).text).toContain(`href="${list}"`);
  });
});
