import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { aLetter, letterRow } from '../../../test/kit/builders/letters.ts';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { runCommand } from '../../../test/kit/process/run-command.ts';
import { aPerson, joinService, signedIn } from '../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../test/kit/world/console-visitor.ts';

const folder = await mkdtemp(join(tmpdir(), 'days-without-printing-'));
afterAll(() => rm(folder, { recursive: true }));

// A Wednesday, before the cut-off.
const wednesday = '2026-11-18T12:00:00Z';
const harness = useHarness({
  now: wednesday,
  config: { letters: { printFolder: folder, printer: 'press' }, providers: { sandbox: { delay_ms: 0 } } },
});
const page = '/console/operator/days-without-printing';

let operator: ConsoleVisitor;
let service: string;
let template: string;
let key: string;

beforeAll(async () => {
  const { id } = await aPerson(harness, { platform_admin: true });
  operator = await signedIn(harness, id);
  service = await aService(harness);
  await joinService(harness, service, id);
  template = await aTemplate(harness, service, { template_type: 'letter' });
  key = await anApiKey(harness, service);
});

const entries = async () =>
  (
    await sql<{ action: string; thing_id: string; actor_type: string; after: unknown }>`
      select action, thing_id, actor_type, after from audit_log where noun = 'day_without_printing' order by action`.execute(
      harness.app.db,
    )
  ).rows;

describe('/console/operator/days-without-printing', () => {
  it('is for platform administrators', async () => {
    const other = await signedIn(harness, (await aPerson(harness)).id);
    expect((await other.get(page)).status).toBe(403);
    const form = { day: '2026-12-24', name: 'Closed' };
    expect((await other.post(page, form)).status).toBe(403);
    expect((await other.post(`${page}/remove`, form)).status).toBe(403);
  });

  it('400 for a day that has passed, is in the list or is none, and without a name', async () => {
    const problemsOf = async (day: string, name = 'Closed') => (await operator.post(page, { day, name })).problems;
    expect(await problemsOf('2026-11-17')).toEqual({ day: 'Enter a day that has not passed.' });
    expect(await problemsOf('24.12.2026')).toEqual({
      day: 'Enter a day as year, month and day, such as 2027-04-01.',
    });
    expect(await problemsOf('', '')).toEqual({ day: 'Enter a day.', name: 'Enter a name.' });
    expect(await problemsOf('2026-12-24')).toEqual({});
    expect(await problemsOf('2026-12-24')).toEqual({ day: 'Enter another day. This one is in the list.' });
  });

  it('lists days, removes them and records both', async () => {
    const list = await operator.get(page);
    expect(list.text).toContain('Thursday 24 December 2026');
    const removed = await operator.post(`${page}/remove`, { day: '2026-12-24' });
    expect((await operator.follow(removed)).text).toContain('No days yet');
    expect((await operator.post(`${page}/remove`, { day: '2026-12-24' })).status).toBe(404);
    expect(await entries()).toEqual([
      {
        ...{ action: 'create', thing_id: '2026-12-24', actor_type: 'user' },
        after: { day: '2026-12-24', name: 'Closed' },
      },
      { action: 'delete', thing_id: '2026-12-24', actor_type: 'user', after: null },
    ]);
  });
});

describe('a day without printing', () => {
  const printedOf = async (id: string) =>
    /[A-Z]\w+day \d+ \w+ after 17:30/.exec(
      (await operator.get(`/console/services/${service}/messages/${id}`)).text,
    )?.[0];

  it('moves the print run, the estimate and the days that the console shows, in every process', async () => {
    const other = await harness.anotherProcess();
    const id = await aLetter(harness, service, template);
    await harness.runTasks();
    const estimates = async () => [
      (await harness.v2('GET', `/v2/notifications/${id}`, key)).body.estimated_delivery,
      (await other.v2('GET', `/v2/notifications/${id}`, key)).body.estimated_delivery,
    ];
    const before = await estimates();
    expect(new Set(before).size).toBe(1);
    expect(await printedOf(id)).toBe('Wednesday 18 November after 17:30');
    await operator.post(page, { day: '2026-11-18', name: 'Stocktaking' });
    await operator.post(page, { day: '2026-11-19', name: 'Stocktaking' });
    await operator.post(page, { day: '2026-11-20', name: 'Stocktaking' });
    expect(await printedOf(id)).toBe('Monday 23 November after 17:30');
    const [here] = await estimates();
    expect(here > before[0]).toBe(true);
    await vi.waitFor(async () => expect(await estimates()).toEqual([here, here]), 5_000);

    const statusAt = async (moment: string) => {
      harness.clock.set(moment);
      await harness.addTask('collate-letters');
      await harness.runTasks();
      return (await letterRow(harness, id)).status;
    };
    expect(await statusAt('2026-11-18T17:31:00Z')).toBe('created');
    expect(await statusAt('2026-11-20T17:31:00Z')).toBe('created');
    await harness.app.db.deleteFrom('days_without_printing').where('day', '=', '2026-11-20').execute();
    expect(await statusAt('2026-11-20T17:32:00Z')).toBe('delivered');
    harness.clock.set(wednesday);
  });
});

describe('pennypost holidays import', () => {
  const run = async (args: string[]) => {
    const environment = {
      DATABASE_URL: harness.app.pool.options.connectionString ?? '',
      ADMIN_CLIENT_SECRETS: 'a-secret-of-the-test-which-is-long-enough',
      BASE_URL: 'http://localhost:6011',
      SECRET_KEY: 'secret-key-of-the-test-kit-which-is-long-enough',
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    return runCommand(['holidays', ...args]);
  };
  const file = async (text: string) => {
    const path = join(folder, 'holidays.ics');
    await writeFile(path, text);
    return path;
  };
  const event = (day: string) => `BEGIN:VEVENT\nDTSTART;VALUE=DATE:${day}\nSUMMARY:Founders' day\nEND:VEVENT\n`;
  const calendar = (...days: string[]) => `BEGIN:VCALENDAR\n${days.map(event).join('')}END:VCALENDAR\n`;

  it('adds coming days that were not listed, and records it', async () => {
    const path = await file(calendar('20010101', '20990102', '20990103'));
    expect(await run(['import', path])).toMatchObject({
      err: '',
      out: 'Added 2 of 3 days. The others have passed or were listed.\n',
    });
    expect((await run(['import', await file(calendar('20990103', '20990104'))])).out).toBe(
      'Added 1 of 2 days. The others have passed or were listed.\n',
    );
    expect((await operator.get(page)).text).toContain('Friday 2 January 2099');
    const added = (await entries()).filter(({ actor_type }) => actor_type === 'command');
    expect(added.map(({ thing_id }) => thing_id).sort()).toEqual(['2099-01-02', '2099-01-03', '2099-01-04']);
    await vi.waitFor(() => expect(harness.app.country.holidays.has('2099-01-04')).toBe(true), 5_000);
  });

  it('refuses other files and actions', async () => {
    expect(await run(['export', 'x'])).toMatchObject({
      code: 1,
      err: 'Unknown action "export". Usage: pennypost holidays import <file>',
    });
    expect(await run(['import', await file('hello')])).toMatchObject({
      code: 1,
      err: 'Line 1: “hello” is not a line of a calendar (.ics).',
    });
    expect(await run(['import', await file('x'.repeat(1024 * 1024 + 1))])).toMatchObject({ code: 1 });
    await expect(run(['import', join(folder, 'missing.ics')])).rejects.toThrow('ENOENT');
  });
});
