import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

let service: string;
let template: string;
let browser: ConsoleVisitor;

beforeAll(async () => {
  const { id } = await aPerson(harness, { name: 'Grace Hopper' });
  service = await aService(harness, { name: 'Town Hall' });
  await joinService(harness, service, id);
  browser = await signedIn(harness, id);
  template = await aTemplate(harness, service, { name: 'Reminder', content: 'Hello ((name)), see you on ((day)).' });
});

const url = (path: string) => `/console/services/${service}/files${path}`;
const file = (content: string, name = 'september.csv') => ({ field: 'file', name, content });
const problemsName = (page: Page) => page.headers['content-disposition'];

/** Uploads a file, and opens the page that shows what becomes of it. */
async function upload(content: string, of = template): Promise<{ path: string; page: Page }> {
  const sent = await browser.postFile(url(`/new/${of}`), {}, file(content));
  expect([sent.status, sent.problems]).toEqual([303, {}]);
  return { path: sent.location ?? '', page: await browser.follow(sent) };
}

/** The same, once the task has checked it. */
async function checked(content: string, of = template): Promise<{ path: string; page: Page }> {
  const { path } = await upload(content, of);
  await harness.runTasks();
  return { path, page: await browser.get(path) };
}

const good =
  'phone number,name,day,notes\n07700900001,Ada,Friday,x\n07700900002,Bob,Monday,y\n07700900001,Eve,Sunday,z\n';

describe('choosing a file', () => {
  it('shows the needed columns, with an example file', async () => {
    const page = await browser.get(url(`/new/${template}`));
    for (const column of ['phone number', 'name', 'day']) expect(page.text).toContain(`>${column}</th>`);
    const example = await browser.get(url(`/new/${template}/example.csv`));
    expect(example.text).toBe('phone number,name,day\r\n07700 900321,example,example\r\n');
  });

  it.each([
    ['no file', file('', ''), 'Choose a file.'],
    ['another kind of file', file('x', 'photo.jpg'), 'The file must be a spreadsheet: csv, tsv, xlsx, xlsm or ods.'],
    ['an old workbook', file('x', 'old.xls'), /^Files of type xls cannot be read. Save the spreadsheet as xlsx/],
    ['a damaged workbook', file('x', 'new.xlsx'), /^The file is damaged or not of the type that its name says/],
  ])('400 for %s', async (_what, sent, text) => {
    const page = await browser.postFile(url(`/new/${template}`), {}, sent);
    expect(page.status).toBe(400);
    expect(page.problems.file).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
  });
});

describe('checking a file', () => {
  it('shows the progress, and then the result', async () => {
    const { path, page } = await upload(good);
    expect(page.h1).toBe('Check september.csv');
    expect(page.text).toContain('0 of 3 rows are checked');
    expect((await browser.get(`${path}/progress`)).text).toMatch(/^<div data-live/);
    await harness.runTasks();
    const fragment = await browser.get(`${path}/progress`);
    expect(fragment.text).toMatch(/^<div><div class="stack"/);
    const result = await browser.get(path);
    expect(figures(result)).toEqual(['3', '0', '1', '7.2p']);
    expect(result.text).toContain('Hello Ada, see you on Friday.');
    expect(result.text).toMatch(/notes<\/span><span class="muted">not used/);
    expect(result.text).toContain('Send to 3 rows');
    const second = await browser.get(`${path}?row=3`);
    expect(second.text).toContain('Hello Bob, see you on Monday.');
  });

  it('lists rows with problems, offers them as a file, and sends the others', async () => {
    const { path, page } = await checked(`${good}0770,Max,Friday,\n07700900003,,Friday,<b>\n`);
    expect(figures(page).slice(0, 2)).toEqual(['3', '2']);
    expect(page.text).toMatch(/5<\/a><\/th>.*?phone number.*?0770<\/code>.*?Mobile number is too short/s);
    expect(page.text).toMatch(/6<\/a><\/th>.*?name<\/td>.*?empty.*?Needs a value/s);
    const problems = await browser.get(`${path}/problems.csv`);
    expect(problemsName(problems)).toContain('"problems of september.csv"');
    expect(problems.text).toContain('5,0770,Max,Friday,,phone number: Mobile number is too short\r\n');
    expect((await browser.get(`${path}?row=6`)).text).toContain('name: Needs a value');
    expect((await browser.get(`${path}?row=99`)).status).toBe(200);
    const sent = await browser.post(`${path}/send`, { on_error: 'skip' });
    expect([sent.status, sent.location]).toEqual([303, path]);
    await harness.runTasks();
    await harness.deliver();
    const done = await browser.get(path);
    expect(done.h1).toBe('september.csv');
    expect(done.text).toContain('2 rows with problems were left out');
    expect((await browser.get(`${path}/results.csv`)).text.split('\r\n')).toHaveLength(5);
    for (const [rights, mayDownload] of [
      [[], false],
      [['manage_api_keys'], false],
      [['view_activity'], true],
      [['send_messages'], true],
    ] as const) {
      const { id } = await aPerson(harness);
      await joinService(harness, service, id, rights);
      const member = await signedIn(harness, id);
      const shown = await member.get(path);
      expect([shown.status, shown.text.includes('results.csv')]).toEqual([200, mayDownload]);
      expect((await member.get(`${path}/results.csv`)).status).toBe(mayDownload ? 200 : 403);
    }
  });

  it.each([
    ['name,day\nAda,Friday\n', /<ul><li>Your file needs a column called “phone number”\.<\/li><\/ul>/],
    ['phone number,name\n07700900001,Ada\n', /Your file needs a column called “day”\./],
    ['phone number,name,day\n', /Your file has no rows\./],
    [
      'phone number,Phone Number,name,day\n07700900001,07700900002,Ada,Friday\n',
      /more than one column for the recipient: “phone number” and “Phone Number”\. Keep one of them\./,
    ],
  ])('says what is wrong with the whole file: %j', async (content, text) => {
    const { path, page } = await checked(content);
    expect(page.text).toMatch(text);
    expect(page.text).not.toContain('Send to');
    expect(figures(page)[0]).toBe('0');
    const refused = await browser.post(`${path}/send`, { on_error: 'skip' });
    expect([refused.status, Object.values(refused.problems)]).toEqual([
      400,
      ['This file cannot be sent. Fix it and upload it again.'],
    ]);
  });

  it('names the rows of recipients that appear twice, and what texts cannot carry', async () => {
    const { page, path } = await checked(`${good}07700900003,مرحبا,Monday,\n07700900002,Zoë,Monday,\n`);
    expect(page.text).toContain('2 recipients are in this file more than once (4 rows). Each row is sent.');
    const duplicates = (await browser.get(`${path}/duplicates.csv`)).text.trimEnd().split('\r\n');
    expect(duplicates[0]).toMatch(/^Row number,phone number,.*,First row with this recipient$/);
    expect(duplicates.slice(1).map((line) => line.replace(/,.*,/, ','))).toEqual(['2,2', '3,3', '4,2', '6,3']);
    expect(page.text).toContain('Rows 2 and 4 have the same recipient.');
    expect(page.text).toContain('Rows 3 and 6 have the same recipient.');
    expect(page.text).toContain('1 row has characters that texts cannot include');
    expect(page.text).toMatch(/Row 5<\/a>: Texts cannot include م ر ح ب ا\. They will be sent as question marks\./);
  });

  it('counts no simulated recipients as duplicates', async () => {
    const { page, path } = await checked(
      'phone number,name,day\n07700900111,Ada,Friday\n07700900111,Bob,Friday\n07700900001,Cy,Friday\n',
    );
    expect(page.text).not.toContain('more than once');
    expect((await browser.get(`${path}/duplicates.csv`)).text.trimEnd().split('\r\n')).toHaveLength(1);
  });

  it('says of a message that is too long that no single column is wrong', async () => {
    const { page } = await checked(`phone number,name,day\n07700900001,${'x'.repeat(1_000)},Friday\n`);
    expect(page.text).toMatch(/>all<\/span>.*?>–<\/span>.*?The message is too long\. Shorten the values of this row/s);
  });

  it('explains trial mode: which rows, why, and the ways out', async () => {
    const { id } = await aPerson(harness, { name: 'Linus', mobile_number: '07700900777' });
    const trial = await aService(harness, { restricted: true });
    await joinService(harness, trial, id);
    const linus = await signedIn(harness, id);
    const sms = await aTemplate(harness, trial, { content: 'Hello' });
    const numbers = ['07700900777', ...Array.from({ length: 8 }, (_, index) => `0770090010${index}`), '07700900777'];
    const sent = await linus.postFile(
      `/console/services/${trial}/files/new/${sms}`,
      {},
      file(`phone number\n${numbers.join('\n')}\n`),
    );
    await harness.runTasks();
    const page = await linus.follow(sent);
    const text = page.text.replaceAll(/<[^>]*>/g, '');
    expect(text).toContain(
      'Your service is in trial mode, so you can only send to your team and guest list. 8 of 10 rows are for other people: rows 3, 4, 5 … Add them to the guest list, or ask to go live.',
    );
    expect(page.text).toContain(`href="/console/services/${trial}/integration/guest-list"`);
    expect(page.text).toContain(`href="/console/services/${trial}/going-live"`);
    expect(figures(page).slice(0, 2)).toEqual(['2', '8']);
    expect(page.text).toMatch(/row=10#preview.*?07700900107<\/code>.*?Not in your team or guest list/s);
    expect((await linus.get(`${sent.location}?row=3`)).text).toMatch(/id="preview".*Not in your team or guest list/s);
    const { id: other } = await aPerson(harness);
    await joinService(harness, trial, other, ['send_messages']);
    const theirs = await (await signedIn(harness, other)).get(sent.location ?? '');
    expect(theirs.text).not.toContain('/integration/guest-list"');
    expect(theirs.text).toContain('To change the guest list, ask Linus. To go live, ask Linus.');
    await harness.admin('PUT', `/service/${trial}/guest-list`, {
      email_addresses: [],
      phone_numbers: numbers.slice(1, 6),
    });
    await linus.post(`${sent.location}/check`);
    await harness.runTasks();
    expect((await linus.get(sent.location ?? '')).text).toContain('3 of 10 rows are for other people: rows 8, 9, 10.');
  });

  it('asks for another check when the template has changed', async () => {
    const changing = await aTemplate(harness, service, { content: 'Hello ((name))' });
    const { path } = await checked('phone number,name\n07700900001,Ada\n', changing);
    await harness.admin('POST', `/service/${service}/template/${changing}`, { content: 'Good day, ((name))' });
    const page = await browser.get(path);
    expect(page.text).toContain('The template has changed');
    expect(page.text).not.toContain('Send to');
    await browser.post(`${path}/check`);
    await harness.runTasks();
    expect((await browser.get(path)).text).toContain('Good day, Ada');
  });

  it('404 for those who may not send, and for files of others', async () => {
    const { path } = await checked(good);
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, ['view_activity']);
    expect((await (await signedIn(harness, id)).get(path)).status).toBe(404);
    expect((await browser.get(url('/4f46df42-f795-4cc4-83bb-65ca312f49cc'))).status).toBe(404);
  });
});

describe('sending a file', () => {
  it('once, however often Send is pressed; results can be downloaded', async () => {
    const { path } = await checked(good.replace('Ada', 'Zoe'));
    const both = await Promise.all([browser.post(`${path}/send`), browser.post(`${path}/send`)]);
    expect(both.map(({ status, location }) => [status, location])).toEqual([
      [303, path],
      [303, path],
    ]);
    await harness.runTasks();
    await harness.deliver();
    const page = await browser.get(path);
    expect(figures(page)).toEqual(['3', '3', '0', '0']);
    const log = `/console/services/${service}/messages?file=${path.split('/').at(-1)}`;
    expect(page.text).toContain(`href="${log}"`);
    expect(page.text).toMatch(/2<\/th>.*?07700 900001.*?3<\/th>.*?07700 900002.*?4<\/th>.*?07700 900001/s);
    const underWay = await browser.get(`${log}&status=sending`);
    expect(underWay.text).toContain('Only messages of');
    expect(underWay.text.match(/september\.csv<small>row/g)).toHaveLength(3);
    expect((await browser.get(`${log}&status=failed`)).text).toContain('Nothing found');
    const unknown = `/console/services/${service}/messages?file=4f46df42-f795-4cc4-83bb-65ca312f49cc`;
    expect((await browser.get(unknown)).status).toBe(404);
    const list = await browser.get(url(''));
    expect(list.text).toContain(`href="${path}"`);
  });

  it('on the hour, until it is cancelled; the original can be downloaded', async () => {
    const { path } = await checked(good.replace('Ada', 'Kim'));
    const at = (day: string) => ({
      scheduled_for: 'later',
      scheduled_day: day,
      scheduled_hour: '9',
      on_error: 'reject',
    });
    const late = await browser.post(`${path}/send`, at('2026-12-16'));
    expect(late.problems).toEqual({ scheduled_for: 'Choose a time within the next 7 days.' });
    await browser.post(`${path}/send`, at('2026-11-20'));
    const page = await browser.get(path);
    expect(page.text).toMatch(/This file will be sent <time[^>]*>20 Nov, 09:00/);
    expect((await browser.get(`${path}/original.csv`)).text).toContain('07700900001,Kim,Friday,x');
    expect((await browser.post(`${path}/cancel`)).status).toBe(303);
    expect((await browser.get(path)).text).toContain('Sending was cancelled.');
    expect((await browser.post(`${path}/cancel`)).problems['']).toMatch(/^You cannot cancel this any more/);
  });
});

function figures({ text }: Page): string[] {
  return [...text.matchAll(/<dd class="figure-mid">(?:<a [^>]*>)?([^<]*)/g)].map(([, figure = '']) => figure);
}
