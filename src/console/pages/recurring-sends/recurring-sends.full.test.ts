import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aJob } from '../../../../test/kit/builders/jobs.ts';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const now = '2026-11-16T12:00:00Z';
const harness = useHarness({ now, environment: { LANGUAGES: 'en,en-XA' } });
let service: string;
let person: string;
let browser: ConsoleVisitor;
let filledIn: Record<string, string | string[]>;

beforeAll(async () => {
  person = (await aPerson(harness, { name: 'Grace Hopper' })).id;
  service = await aService(harness);
  await joinService(harness, service, person);
  const template_id = await aTemplate(harness, service, { name: 'Fire drill', content: 'Come to the car park.' });
  browser = await signedIn(harness, person);
  filledIn = {
    ...{ template_id, contact_list_id: await aList('Friends', 'phone number\n07700900001\n07700900002\n') },
    ...{ frequency: 'weekly', 'days[]': ['MO', 'FR'], at_time: '9:30', starts_on: '2026-11-16', ends_on: '2026-12-04' },
  };
});
beforeEach(() => harness.clock.set(now));

const url = (path = '') => `/console/services/${service}/files/recurring${path}`;

async function aList(name: string, content: string): Promise<string> {
  const lists = `/console/services/${service}/contact-lists`;
  const sent = await browser.postFile(`${lists}/new`, {}, { field: 'file', name: 'list.csv', content });
  expect((await browser.post(`${sent.location}/save`, { name })).status).toBe(303);
  return sent.location?.split('/').at(-1) ?? '';
}

const stored = async () => (await harness.admin('GET', `/service/${service}/recurring-send`)).body.data;
const save = (form: object = {}) => browser.post(url('/new'), { ...filledIn, ...form, do: 'save' });

describe('recurring sends', { timeout: 60_000 }, () => {
  it('show their next dates before they are saved, then wait for them, stop, go on and are deleted', async () => {
    expect((await browser.get(url())).text).toContain('No recurring sends yet');
    const check = await browser.post(url('/new'), filledIn);
    expect(check.status).toBe(200);
    expect(check.text).toContain('Every week on Monday and Friday at 09:30, London time');
    expect(check.text.match(/<time dateTime="[^"]+/gi)?.map((tag) => tag.slice(-20))).toEqual(
      ['2026-11-20', '2026-11-23', '2026-11-27', '2026-11-30', '2026-12-04'].map((day) => `${day}T09:30:00Z`),
    );
    expect(await stored()).toEqual([]);
    const changed = await browser.post(url('/new'), { ...filledIn, do: 'change' });
    expect(changed.text).toContain('value="9:30"');
    expect((await save()).location).toBe(url());
    const [saved] = await stored();
    expect(saved).toMatchObject({
      ...{ rule: 'FREQ=WEEKLY;BYDAY=MO,FR;UNTIL=20261204', at_time: '09:30', time_zone: 'Europe/London' },
      ...{ state: 'active', next_at: '2026-11-20T09:30:00.000000Z' },
    });
    const page = url(`/${saved.id}`);
    expect((await browser.get(url())).text).toContain(`<a href="${page}" dir="auto">Fire drill</a>`);

    harness.clock.set('2026-11-20T09:30:00Z');
    await harness.addTask('run-recurring-sends');
    await harness.runTasks();
    const later = await signedIn(harness, person);
    expect((await later.get(page)).text).toMatch(/\/files\/[0-9a-f-]{36}">Sent</);

    expect((await later.post(page, { task: 'pause' })).status).toBe(303);
    expect((await later.post(page, { task: 'pause' })).problems['']).toMatch(/^Somebody has changed/);
    expect(await stored()).toMatchObject([{ state: 'paused', next_at: null }]);
    expect((await later.post(page, { task: 'resume' })).status).toBe(303);
    expect(await stored()).toMatchObject([{ state: 'active', next_at: '2026-11-23T09:30:00.000000Z' }]);
    expect((await later.post(page, { task: 'delete' })).location).toBe(url());
    expect(await stored()).toEqual([]);
    expect((await later.get(page)).status).toBe(404);
  });

  it.each([
    [{ frequency: 'daily' }, 'FREQ=DAILY', 'Every day at 09:30'],
    [{ frequency: 'monthly', month_day: '31' }, 'FREQ=MONTHLY;BYMONTHDAY=31', 'On day 31 of each month at 09:30'],
    [
      { frequency: 'weekday-of-month', week: '1', 'days[]': ['TU'] },
      'FREQ=MONTHLY;BYDAY=1TU',
      'On the first Tuesday of each month at 09:30',
    ],
    [
      { frequency: 'weekday-of-month', week: '-1' },
      'FREQ=MONTHLY;BYDAY=-1MO,-1FR',
      'On the last Monday and Friday of each month at 09:30',
    ],
    [{ frequency: 'last-day' }, 'FREQ=MONTHLY;BYMONTHDAY=-1', 'On the last day of each month at 09:30'],
    [{ frequency: 'last-working-day' }, 'FREQ=MONTHLY;BYDAY=-1WD', 'On the last working day of each month at 09:30'],
  ])('of the form %j have the rule %s', async (form, rule, words) => {
    const schedule = { ...form, ends_on: '' };
    expect((await browser.post(url('/new'), { ...filledIn, ...schedule })).text).toContain(words);
    expect((await save(schedule)).status).toBe(303);
    const [saved] = await stored();
    expect(saved.rule).toBe(rule);
    expect((await browser.post(url(`/${saved.id}`), { task: 'delete' })).status).toBe(303);
  });

  it('say everything that is missing at once', async () => {
    expect((await browser.post(url('/new'), {})).problems).toEqual({
      template_id: 'Choose a template.',
      contact_list_id: 'Choose a contact list.',
      frequency: 'Choose how often.',
      at_time: 'Enter a time, such as 10:00.',
      starts_on: 'Enter the first day.',
    });
    const wrong = { 'days[]': [], at_time: '24:00', starts_on: '2026-02-30', ends_on: '2026-01-01' };
    expect(Object.keys((await save(wrong)).problems)).toEqual(['days', 'at_time', 'starts_on', 'ends_on']);
    const far = { starts_on: '2025-01-01', ends_on: '2101-01-01' };
    expect((await save(far)).problems).toEqual({ ends_on: 'Enter a day that is not after 2100-12-31.' });
    expect(Object.keys((await save({ ...far, ends_on: '2026-12-04' })).problems)).toEqual(['starts_on']);
    expect((await save({ frequency: 'weekday-of-month', 'days[]': [] })).problems).toEqual({
      days: 'Choose at least one day.',
    });
    expect((await save({ frequency: 'monthly', month_day: '32' })).problems).toEqual({
      month_day: 'Enter a whole number from 1 to 31.',
    });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['The owner has left the service', 'The owner of this recurring send has left the team.'],
    ['Sending to many is paused', 'Sending to many is paused.'],
  ])('say why they have paused: %s', async (reason, english) => {
    expect((await save()).status).toBe(303);
    const [{ id }] = await stored();
    await harness.app.db
      .updateTable('recurring_sends')
      .set({ state: 'paused', next_at: null, ends_reason: reason })
      .where('id', '=', id)
      .execute();
    const { text } = await browser.get(url(`/${id}`));
    expect(text).toContain(english);
    const isOwner = reason.startsWith('The owner');
    expect(text.includes('Resume it to become its owner, or it ends after 14 days.')).toBe(isOwner);
    const resumed = await browser.follow(await browser.post(url(`/${id}`), { task: 'resume' }));
    expect(resumed.text).toContain('You are its owner now.');
    expect(resumed.text).not.toContain(english);
    expect((await browser.post(url(`/${id}`), { task: 'delete' })).status).toBe(303);
  });

  it('say in the language of the reader why a date was not sent, with its values', async () => {
    expect((await save()).status).toBe(303);
    const [{ id }] = await stored();
    const sending = await Promise.all(
      Array.from({ length: 5 }, () => aJob(harness, service, String(filledIn.template_id), { status: 'in progress' })),
    );
    harness.clock.set('2026-11-20T09:30:00Z');
    await harness.addTask('run-recurring-sends');
    await harness.runTasks();
    const account = '/console/account/language-and-time';
    const english = '5 files of this service are still being sent. Try again when one of them has finished.';
    const reader = await signedIn(harness, person);
    expect((await reader.get(url(`/${id}`))).text).toContain(english);
    await reader.post(account, { language: 'en-XA' });
    expect((await reader.get(url(`/${id}`))).text).toMatch(/\[\S*5\S* fîļéš öf ţĥîš/);
    await reader.post(account, { language: '' });
    await harness.app.db.deleteFrom('jobs').where('id', 'in', sending).execute();
    expect((await reader.post(url(`/${id}`), { task: 'delete' })).status).toBe(303);
  });

  it('refuse what no date could send', async () => {
    const emails = await aList('Readers', 'email address\nada@example.org\n');
    const personal = await aTemplate(harness, service, { content: 'Hello ((name))' });
    const foreign = await aTemplate(harness, await aService(harness), { content: 'Hello' });
    const problems = async (form: object) => (await save(form)).problems;
    expect(await problems({ contact_list_id: emails })).toEqual({
      contact_list_id: 'Choose a list of phone numbers. This one has email addresses.',
    });
    expect(await problems({ template_id: personal })).toEqual({
      template_id: 'Choose a template without placeholders. A contact list has no values for them.',
    });
    expect(await problems({ template_id: foreign })).toEqual({ template_id: 'Choose a template.' });
    expect(await problems({ ends_on: '2026-11-17' })).toEqual({
      ends_on: 'Choose a later day. There is no date until this one.',
    });
    expect(await stored()).toEqual([]);
  });
});
