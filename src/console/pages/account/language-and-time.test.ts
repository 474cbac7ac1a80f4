import { beforeAll, describe, expect, it } from 'vitest';
import { aQueuedMessage } from '../../../../test/kit/builders/queued-messages.ts';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

// In Auckland it is already 2 am on Monday, in Toronto still 8 am on Sunday.
const harness = useHarness({ now: '2026-11-15T13:00:00Z' });

const recordOf = async (id: string) => (await harness.admin('GET', `/user/${id}`)).body.data;

describe('POST /user/{id} with time_zone', () => {
  it('200 with the zone, which the record has only where one is set', async () => {
    const { id } = await aPerson(harness);
    expect(await recordOf(id)).not.toHaveProperty('time_zone');
    const set = await harness.admin('POST', `/user/${id}`, { time_zone: 'Asia/Kathmandu' });
    expect([set.status, set.body.data.time_zone]).toEqual([200, 'Asia/Kathmandu']);
    const cleared = await harness.admin('POST', `/user/${id}`, { time_zone: null });
    expect(cleared.status).toBe(200);
    expect(cleared.body.data).not.toHaveProperty('time_zone');
  });

  it.each([
    ['Mars/Base', 'Must be a time zone such as Europe/Amsterdam, not "Mars/Base"'],
    ['+02:00', 'Must be a time zone such as Europe/Amsterdam, not "+02:00"'],
    ['europe/london', 'Must be written Europe/London'],
    ['', 'Must be a time zone such as Europe/Amsterdam, not ""'],
  ])('400 for %j', async (time_zone, problem) => {
    const { id } = await aPerson(harness);
    const answer = await harness.admin('POST', `/user/${id}`, { time_zone });
    expect([answer.status, answer.body.message]).toEqual([400, { time_zone: [problem] }]);
    expect(await recordOf(id)).not.toHaveProperty('time_zone');
  });
});

describe('/console/account/language-and-time', () => {
  const path = '/console/account/language-and-time';

  it('saves a zone and goes back to that of the installation', async () => {
    const { id } = await aPerson(harness);
    const visitor = await signedIn(harness, id);
    expect((await visitor.get('/console/account')).text).toContain('London time');
    const form = (await visitor.get(path)).text;
    expect(form).toContain('Same as this Pennypost: London time');
    expect(form).toContain('<option value="Asia/Kolkata">Kolkata (Asia)</option>');
    const account = await visitor.follow(await visitor.post(path, { time_zone: 'America/Toronto' }));
    expect(account.text).toContain('Time zone saved.');
    expect(account.text).toContain('Eastern Time (Toronto)');
    expect((await recordOf(id)).time_zone).toBe('America/Toronto');
    expect((await visitor.get(path)).text).toMatch(/<option value="America\/Toronto" selected[^>]*>/);
    await visitor.post(path, { time_zone: '' });
    expect(await recordOf(id)).not.toHaveProperty('time_zone');
  });

  it('400 for another text, which nothing keeps', async () => {
    const { id } = await aPerson(harness);
    const visitor = await signedIn(harness, id);
    const page = await visitor.post(path, { time_zone: 'Mars/Base' });
    expect([page.status, Object.keys(page.problems)]).toEqual([400, ['time_zone']]);
    expect(await recordOf(id)).not.toHaveProperty('time_zone');
  });

  it('shows the times of the installation where the stored zone is unknown here', async () => {
    const { id } = await aPerson(harness);
    await harness.app.db.updateTable('users').set({ time_zone: 'Moon/Base' }).where('id', '=', id).execute();
    const page = await (await signedIn(harness, id)).get('/console/account/devices');
    expect([page.status, page.text.includes('Times are London time')]).toEqual([200, true]);
  });
});

describe('two people of one service, in Toronto and in Auckland', () => {
  let service: string;
  let home: string;
  let message: string;
  let london: ConsoleVisitor;
  let toronto: ConsoleVisitor;
  let auckland: ConsoleVisitor;

  beforeAll(async () => {
    service = await aService(harness);
    home = `/console/services/${service}`;
    const join = async (time_zone: string | null) => {
      const { id } = await aPerson(harness);
      await joinService(harness, service, id);
      await harness.admin('POST', `/user/${id}`, { time_zone });
      return signedIn(harness, id);
    };
    london = await join(null);
    toronto = await join('America/Toronto');
    auckland = await join('Pacific/Auckland');
    message = await aQueuedMessage(harness, service, { recipient: '07700 900001' });
  });

  const timesIn = (html: string) => [...html.matchAll(/<time [^>]*>(.*?)<\/time>/g)].map(([, text]) => text);
  const asLivePart = { 'x-live-part': 'true' };

  it('see the same message at their own times, each under their own title', async () => {
    const titles = [];
    for (const visitor of [london, toronto, auckland]) {
      const { text } = await visitor.get(`${home}/messages`);
      titles.push(/title="([^"]*)"/.exec(text.slice(text.indexOf('<time ')))?.[1]);
    }
    expect(titles).toEqual([
      '15 Nov 2026, 13:00:00 London',
      '15 Nov 2026, 08:00:00 Eastern Time (Toronto)',
      '16 Nov 2026, 02:00:00 New Zealand Time (Auckland)',
    ]);
    for (const [visitor, zone, day] of [
      [toronto, 'Eastern Time (Toronto)', '15 Nov'],
      [auckland, 'New Zealand Time (Auckland)', '16 Nov'],
    ] as const) {
      const page = await visitor.get(`${home}/messages/${message}`);
      expect(page.text).toContain(`${day}, ${zone}`);
    }
  });

  it('do not get each other’s times from the list that open pages share', async () => {
    const lists = [];
    for (const visitor of [toronto, auckland, london, toronto]) {
      const page = await visitor.get(`${home}/messages/list`, asLivePart);
      lists.push(timesIn(page.text)[0]);
    }
    expect(lists).toEqual(['08:00', '02:00', '13:00', '08:00']);
  });

  it('find messages of their own days', async () => {
    const countOf = async (visitor: ConsoleVisitor, find: string) => {
      const page = await visitor.follow(await visitor.post(`${home}/messages`, { find }));
      return page.text.includes('07700 900001');
    };
    expect(await countOf(toronto, 'after:2026-11-16')).toBe(false);
    expect(await countOf(auckland, 'after:2026-11-16')).toBe(true);
  });

  it('schedule at their own hour, of their own days', async () => {
    const template = await aTemplate(harness, service, { template_type: 'sms', content: 'Hello' });
    const send = `${home}/send/${template}`;
    const later = { scheduled_for: 'later', scheduled_day: '2026-11-16', scheduled_hour: '7' };
    const checked = [];
    for (const visitor of [toronto, auckland]) {
      const form = await visitor.get(send);
      checked.push(/<option value="([\d-]+)"[^>]*>Today<\/option>/.exec(form.text)?.[1]);
      const page = await visitor.post(send, { do: 'check', to: '07700 900460', ...later });
      expect(page.problems).toEqual({});
      checked.push(/(Today|Tomorrow), 07:00/.exec(page.text)?.[0]);
      checked.push(/name="scheduled_for" value="([^"]*)"/.exec(page.text)?.[1]);
    }
    expect(checked).toEqual([
      '2026-11-15',
      'Tomorrow, 07:00',
      '2026-11-16T12:00:00.000Z',
      '2026-11-16',
      'Today, 07:00',
      '2026-11-15T18:00:00.000Z',
    ]);
  });

  it('download the same file, and are told whose times it has', async () => {
    const files = [];
    for (const visitor of [london, toronto, auckland]) files.push((await visitor.get(`${home}/messages/csv`)).text);
    expect(files[0]).toContain('2026-11-15 13:00:00');
    expect(new Set(files).size).toBe(1);
    const says = 'Times in the file are London time.';
    expect((await auckland.get(`${home}/messages`)).text).toContain(says);
    expect((await london.get(`${home}/messages`)).text).not.toContain(says);
  });

  it('see the same usage, the same limits and the same letter days', async () => {
    const letter = await aQueuedMessage(harness, service, {
      notification_type: 'letter',
      recipient: '1 High Street\nTown\nSW1A 1AA',
      postage: 'second',
    });
    const usageOf = async (visitor: ConsoleVisitor) =>
      /<main.*<\/main>/s.exec((await visitor.get(`${home}/usage`)).text)?.[0];
    const printedOf = async (visitor: ConsoleVisitor) =>
      /[A-Z]\w+day,? \d+ \w+ after 17:30/.exec((await visitor.get(`${home}/messages/${letter}`)).text)?.[0];
    expect(await usageOf(auckland)).toBe(await usageOf(london));
    expect(await printedOf(london)).toMatch(/Monday/);
    expect(await printedOf(auckland)).toBe(await printedOf(london));
  });
});
