import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let browser: ConsoleVisitor;

beforeAll(async () => {
  const { id } = await aPerson(harness, { name: 'Grace Hopper' });
  service = await aService(harness);
  await joinService(harness, service, id);
  browser = await signedIn(harness, id);
});

const url = (path = '') => `/console/services/${service}/contact-lists${path}`;

async function upload(content: string): Promise<string> {
  const sent = await browser.postFile(url('/new'), {}, { field: 'file', name: 'friends.csv', content });
  expect([sent.status, sent.problems]).toEqual([303, {}]);
  return sent.location ?? '';
}

describe('contact lists', { timeout: 60_000 }, () => {
  it('are checked, saved, sent with a template of their channel, downloaded and deleted', async () => {
    const path = await upload('phone number\n07700900001\n07700900002\n');
    expect((await browser.get(path)).text).toContain('Both rows are fine.');
    expect((await browser.post(`${path}/save`, { name: '' })).problems).toEqual({ name: 'Enter a name.' });
    expect((await browser.post(`${path}/save`, { name: 'Friends' })).status).toBe(303);
    expect((await browser.post(`${path}/save`, { name: 'Friends' })).status).toBe(303);
    expect((await browser.get(url())).text).toContain(`<a href="${path}" dir="auto">Friends</a>`);
    const sms = await aTemplate(harness, service, { name: 'Fire drill', content: 'Come to the car park.' });
    const email = await aTemplate(harness, service, { name: 'Newsletter', template_type: 'email', subject: 's' });
    const page = await browser.get(path);
    expect([page.text.includes(sms), page.text.includes(email)]).toEqual([true, false]);
    expect((await browser.post(path, { template_id: email })).problems).toEqual({ template_id: 'Choose a template.' });
    const sent = await browser.post(path, { template_id: sms });
    expect(sent.location).toMatch(/\/files\/[0-9a-f-]{36}$/);
    await harness.runTasks();
    expect((await browser.follow(sent)).text).toContain('Send to 2 rows');
    expect((await browser.post(`${sent.location}/send`)).status).toBe(303);
    expect((await browser.get(`${path}/original.csv`)).text).toBe('phone number\r\n07700900001\r\n07700900002\r\n');
    expect((await browser.post(`${path}/delete`)).status).toBe(303);
    expect((await browser.get(path)).status).toBe(404);
    expect((await browser.get(sent.location ?? '')).status).toBe(200);
  });

  it.each([
    ['phone number,name\n07700900001,Ada\n', 'Your list needs one column, called “email address” or “phone number”.'],
    ['email address\nada@example.org\nno address\n', 'Not a valid email address'],
    ['email address\n', 'Your file has no rows.'],
  ])('with problems can be seen and not saved: %j', async (content, text) => {
    const path = await upload(content);
    const page = await browser.get(path);
    expect(page.text).toContain(text);
    expect(page.text).not.toContain('/save"');
    expect((await browser.post(`${path}/save`, { name: 'x' })).problems['']).toBe(
      'This file cannot be saved as a list. Fix it and upload it again.',
    );
  });
});
