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
    expect(page.text).toMatch(/5<\/th>.*?phone number.*?0770<\/code>.*?Mobile number is too short/s);
    expect(page.text).toMatch(/6<\/th>.*?name<\/td>.*?empty.*?Needs a value/s);
    const problems = await browser.get(`${path}/problems.csv`);
    expect(problems.text).toContain('5,0770,Max,Friday,,phone number: Mobile number is too short\r\n');
    expect((await browser.get(`${path}?row=6`)).text).toContain('name: Missing');
    expect((await browser.get(`${path}?row=99`)).status).toBe(200);
    const sent = await browser.post(`${path}/send`, { on_error: 'skip' });
    expect([sent.status, sent.location]).toEqual([303, path]);
    await harness.runTasks();
    await harness.deliver();
    const done = await browser.get(path);
    expect(done.h1).toBe('september.csv');
    expect(done.text).toContain('2 rows with problems were left out');
    expect((await browser.get(`${path}/results.csv`)).text.split('\r\n')).toHaveLength(5);
  });

  it.each([
    ['name,day\nAda,Friday\n', /no column with the recipient\./],
    ['phone number,name\n07700900001,Ada\n', /does not have all columns that the template needs: day\./],
    ['phone number,name,day\n', /The file has no rows\./],
  ])('says what is wrong with the whole file: %j', async (content, text) => {
    const { path, page } = await checked(content);
    expect(page.text).toMatch(text);
    expect(page.text).not.toContain('Send to');
    const refused = await browser.post(`${path}/send`, { on_error: 'skip' });
    expect([refused.status, Object.values(refused.problems)]).toEqual([400, ["File is not valid, can't create job"]]);
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
    const list = await browser.get(url(''));
    expect(list.text).toContain(`href="${path}"`);
  });

  it('on the hour, until it is cancelled; the original can be downloaded', async () => {
    const { path } = await checked(good.replace('Ada', 'Kim'));
    const late = await browser.post(`${path}/send`, { scheduled_for: '2026-12-16T12:00:00Z', on_error: 'reject' });
    expect(late.problems).toEqual({ scheduled_for: 'Datetime can only be up to 7 days in the future' });
    await browser.post(`${path}/send`, { scheduled_for: '2026-11-20T09:00:00.000Z', on_error: 'reject' });
    const page = await browser.get(path);
    expect(page.text).toMatch(/It will be sent <time[^>]*>20 Nov, 09:00/);
    expect((await browser.get(`${path}/original.csv`)).text).toContain('07700900001,Kim,Friday,x');
    expect((await browser.post(`${path}/cancel`)).status).toBe(303);
    expect((await browser.get(path)).text).toContain('Sending was cancelled.');
    expect((await browser.post(`${path}/cancel`)).problems['']).toMatch(/^It is too late/);
  });
});

function figures({ text }: Page): string[] {
  return [...text.matchAll(/<dd class="figure-mid">([^<]*)/g)].map(([, figure = '']) => figure);
}
