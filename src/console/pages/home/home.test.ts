import { beforeAll, describe, expect, it } from 'vitest';
import { somePastMessages } from '../../../../test/kit/builders/messages.ts';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-13T12:00:00Z' });

let service: string;
let browser: ConsoleVisitor;
let home: string;

beforeAll(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness, { sms_message_limit: 100 });
  await joinService(harness, service, id);
  browser = await signedIn(harness, id);
  home = `/console/services/${service}`;
  const template_id = await aTemplate(harness, service, { name: 'Appointment' });
  const text = { service_id: service, template_id, notification_type: 'sms' } as const;
  const many = (length: number, created_at: string, status: 'delivered' | 'permanent-failure') =>
    Array.from({ length }, () => ({ ...text, created_at, status }));
  await somePastMessages(harness, [
    ...many(96, '2026-11-10T12:00:00Z', 'delivered'),
    ...many(4, '2026-11-13T11:00:00Z', 'permanent-failure'),
    ...many(99, '2026-10-20T12:00:00Z', 'delivered'),
    ...many(1, '2026-10-20T12:00:00Z', 'permanent-failure'),
    { ...text, notification_type: 'letter', created_at: '2026-11-12T12:00:00Z', status: 'delivered', postage: 'first' },
  ]);
  await harness.deliver();
});

describe('GET /console/services/{id}', () => {
  it('200 with what needs somebody, the figures of seven days and the most used templates', async () => {
    const page = await browser.get(home);
    expect([page.status, page.h1]).toEqual([200, 'Home']);
    expect(page.text).toContain('4.0% of texts failed this week');
    expect(page.text).toContain('usually 1.0%');
    expect(page.text).toContain(`href="${home}/messages?channel=sms&amp;status=failed"`);
    expect(page.text).toContain('96.0% delivered');
    expect(page.text).toContain('Texts in the last 7 days: 100, 4 of them failed');
    expect(page.text).toMatch(/Tue<\/th><td class="num">96<\/td>/);
    expect(page.text).toMatch(/Appointment<\/(a|span)><span class="num">101<\/span>/);
    expect(page.text).toMatch(/Spent this year/);
    expect(page.text).not.toContain('Trial mode');
  });

  it('says that messages are on the way until one has an outcome', async () => {
    const { id } = await aPerson(harness);
    const fresh = await aService(harness);
    await joinService(harness, fresh, id);
    const sent = {
      service_id: fresh,
      template_id: await aTemplate(harness, fresh),
      created_at: '2026-11-13T11:59:00Z',
    };
    await somePastMessages(harness, [{ ...sent, notification_type: 'sms', status: 'sending' }]);
    const { text } = await (await signedIn(harness, id)).get(`/console/services/${fresh}`);
    expect([text.includes('1 on the way'), text.includes('0.0% delivered')]).toEqual([true, false]);
  });

  it('says what is left today in trial mode', async () => {
    await harness.app.db.updateTable('services').set({ restricted: true }).where('id', '=', service).execute();
    expect((await browser.get(home)).text).toMatch(
      /You can send 250,000 emails and (9\d|100) texts today, only to your team and guest list\./,
    );
    await harness.app.db.updateTable('services').set({ restricted: false }).where('id', '=', service).execute();
  });

  it('303 to what those may open who do not see the activity', async () => {
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, ['send_messages']);
    const sender = await signedIn(harness, id);
    expect((await sender.get(home)).location).toMatch(new RegExp(`^${home}/(templates|messages)$`));
    expect((await sender.get(`${home}/figures`)).status).toBe(403);
  });

  it('has a fragment that is not sent again while nothing changes', async () => {
    const fragment = await browser.get(`${home}/figures`);
    expect(fragment.text).toMatch(/^<div data-live/);
    const again = await browser.get(`${home}/figures`, { 'if-none-match': String(fragment.headers.etag) });
    expect(again.status).toBe(304);
  });
});

describe('the first steps of a service', () => {
  it('tick themselves off, say who can do what, and are dismissed by each person', async () => {
    const [{ id }, { id: other }] = [await aPerson(harness), await aPerson(harness)];
    const fresh = await aService(harness, { restricted: true });
    await harness.app.db.deleteFrom('service_members').where('service_id', '=', fresh).execute();
    const here = `/console/services/${fresh}`;
    await joinService(harness, fresh, id);
    const creator = await signedIn(harness, id);
    const steps = async (visitor = creator) =>
      [
        ...((await visitor.get(here)).text.split('id="first-steps"')[1] ?? '').matchAll(
          /<li>(?:<a href="[^"]*">|<span>)([^<]*)<.*?(Done|To do)<\/span>/g,
        ),
      ].map(([, text, state]) => `${text}: ${state}`);
    expect(await steps()).toEqual([
      'Write a template: To do',
      'Send a test to yourself: To do',
      'Invite your team: To do',
      'Create an API key: To do',
      'Go live: To do',
    ]);
    const template_id = await aTemplate(harness, fresh);
    const text = { service_id: fresh, template_id, notification_type: 'sms', status: 'delivered' } as const;
    await somePastMessages(harness, [{ ...text, created_at: '2026-11-13T11:00:00Z' }]);
    await harness.deliver();
    await joinService(harness, fresh, other, ['view_activity']);
    expect((await steps()).filter((step) => step.endsWith('Done'))).toEqual([
      'Write a template: Done',
      'Send a test to yourself: Done',
      'Invite your team: Done',
    ]);
    const reader = await signedIn(harness, other);
    expect((await reader.get(here)).text).toContain('Ask someone with the permission “Manage the API integration”.');
    await creator.post(`${here}/first-steps/hide`);
    expect(await steps()).toEqual([]);
    expect(await steps(reader)).toHaveLength(5);
    expect((await browser.get(home)).text).not.toContain('Your first message in five steps');
  });
});

describe('GET /console/services/{id}/months', () => {
  it('200 with the months of a financial year, and the templates of each', async () => {
    const page = await browser.get(`${home}/months`);
    expect(page.text).toMatch(/October 2026<\/th>.*?100<small>1 failed<\/small>/s);
    expect(page.text).toMatch(/Appointment<\/span><span class="num">101<\/span>/);
    expect((await browser.get(`${home}/months?year=2025`)).text).toContain('April 2025 to March 2026');
    expect((await browser.get(`${home}/months?year=1999`)).text).toContain('April 2026 to March 2027');
  });
});

describe('GET /console/services/{id}/usage', () => {
  it('200 with what was sent, what is free and what it costs', async () => {
    const page = await browser.get(`${home}/usage`);
    const usage = (await harness.admin('GET', `/service/${service}/billing/yearly-usage-summary?year=2026`)).body;
    const texts = usage.find((row: { notification_type: string }) => row.notification_type === 'sms');
    expect(page.text).toMatch(new RegExp(`Texts sent</dt><dd class="figure-mid">${texts.notifications_sent}<`));
    expect(page.text).toMatch(/Letters sent<\/dt><dd class="figure-mid">1</);
    expect(page.text).toContain('first class');
    expect(page.text).toMatch(/November<\/th>/);
    expect((await browser.get(`${home}/usage?year=2024`)).text).toContain('No costs yet');
  });

  it('200 says until when days were those of another zone', async () => {
    expect((await browser.get(`${home}/usage`)).text).not.toContain('London days');
    await harness.app.db
      .insertInto('zone_changes')
      .values({
        first_day: '2026-11-04',
        old_zone: 'Europe/London',
        new_zone: 'Europe/Dublin',
        changed_at: '2026-11-10T12:00:00Z',
      })
      .execute();
    expect((await browser.get(`${home}/usage`)).text).toContain('Until 3 Nov 2026, days follow the time in London.');
    expect((await browser.get(`${home}/usage?year=2024`)).text).not.toContain('London days');
  });
});

describe('GET /service/{id}/remaining-today', () => {
  it('200 with limits and what is left of them, 404 for another service', async () => {
    const { status, body } = await harness.admin('GET', `/service/${service}/remaining-today`);
    expect(status).toBe(200);
    expect(body.email).toEqual({ limit: 250_000, remaining: 250_000 });
    expect(Object.keys(body)).toEqual(['email', 'sms', 'letter', 'international_sms']);
    expect((await harness.admin('GET', '/service/4f46df42-f795-4cc4-83bb-65ca312f49cc/remaining-today')).status).toBe(
      404,
    );
  });
});
