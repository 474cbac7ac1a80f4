import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import type { Action } from '../../../test/kit/world/console-actions/action.ts';
import { everyAction, sendAction } from '../../../test/kit/world/console-actions/every-action.ts';
import type { Page } from '../../../test/kit/world/console-visitor.ts';
import { aConsoleWorld, type ConsoleWorld } from '../../../test/kit/world/console-world.ts';
import { collectPages } from '../../console/collect-pages.ts';
import type { DeclaredPage } from '../../console/page.ts';

/**
 * Sends the form of every page: what changes something has its entry in the audit log, in the transaction of the change. A page with
 * a form needs a line in `test/kit/world/console-actions/`.
 */

/** With two providers, so that shares can change. */
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: {
    sms: { providers: ['sandbox', 'mmg'] },
    email: { providers: ['sandbox', 'smtp'] },
    providers: { mmg: { url: 'http://127.0.0.1:9/mmg', apiKey: 'wrong' } },
  },
});

let world: ConsoleWorld;
let pages: ReadonlyMap<string, DeclaredPage>;
let actions: Action[];

/** The request with this id cannot write its entry. */
const refusedId = 'deadbeefdeadbeef';
const readerId = 'feedfeedfeedfeed';
const unstorableId = 'badcafebadcafe00';

beforeAll(async () => {
  pages = new Map(collectPages(harness.app).flatMap((page) => (page.act ? [[page.path, page]] : [])));
  // Only the sandbox delivers.
  const share = (name: string, priority: number) =>
    harness.app.db
      .updateTable('provider_details')
      .set({ priority, resting_priority: priority })
      .where('identifier', name === 'sandbox' ? '=' : '<>', 'sandbox')
      .execute();
  await share('sandbox', 100);
  await share('others', 0);
  world = await aConsoleWorld(harness);
  actions = everyAction(harness, world);
  await sql`alter table audit_log add constraint refused check (request_id <> ${sql.lit(refusedId)})`.execute(
    harness.app.db,
  );
}, 120_000);

const send = (action: Action, requestId: string) =>
  sendAction(harness, world, pages, action, { 'x-b3-traceid': requestId });

async function entriesOf(requestId: string) {
  const { rows } = await sql<{ action: string; noun: string; before: object | null; after: object | null }>`
    select action, noun, before, after from audit_log where request_id = ${requestId}`.execute(harness.app.db);
  return rows;
}

/** Whether an entry says what its kind of change must say. */
function isWhole({ action, noun, before, after }: Awaited<ReturnType<typeof entriesOf>>[number]): boolean {
  if (noun === 'recipient') return action === 'export' || after !== null;
  return (action === 'create' || before !== null) && (action === 'delete' || after !== null);
}

/** Not a password, which is counted when it is wrong. */
function takesText(page: DeclaredPage | undefined): boolean {
  const { required = [], properties = {} } = page?.form ?? {};
  return required.length > 0 && !('current_password' in properties);
}

const isRight = ({ status, problems }: Page) => status < 400 && Object.keys(problems).length === 0;

describe('every action of the console', { timeout: 240_000 }, () => {
  it('is listed', () => {
    const listed = new Set(actions.map(({ path }) => path));
    expect([...pages.keys()].filter((path) => !listed.has(path))).toEqual([]);
  });

  it('is refused to read-only operators, who may only look', async () => {
    const reader = world.visitors.get('a read-only operator');
    const ofOthers = actions.filter(({ path }) => typeof pages.get(path)?.who === 'object' || /^\/operator/.test(path));
    for (const action of ofOthers) await send({ ...action, by: 'a read-only operator' }, readerId);
    expect(ofOthers.length).toBeGreaterThan(150);
    expect(reader?.user?.read_only_operator).toBe(true);
    expect(await entriesOf(readerId)).toEqual([]);
  });

  it('changes nothing when its fields cannot be stored, and says so', async () => {
    const wrong: string[] = [];
    for (const action of actions.filter(({ path }) => takesText(pages.get(path)))) {
      const fields = Object.entries(pages.get(action.path)?.form?.properties ?? {});
      const form = Object.fromEntries(
        fields.map(([name, schema]) => ['items' in schema ? `${name}[]` : name, '\u0000']),
      );
      const { status } = await send({ ...action, by: action.by ?? 'a platform administrator', form }, unstorableId);
      if (status >= 500) wrong.push(`${action.path}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(await entriesOf(unstorableId)).toEqual([]);
  });

  it('has its entry, without which it fails; a failed one has none', async () => {
    const wrong: string[] = [];
    for (const [index, listed] of actions.entries()) {
      const action = { ...listed, ...(await listed.prepare?.()) };
      const say = (what: string) => wrong.push(`${action.path} ${JSON.stringify(action.form ?? {})}: ${what}`);
      const requestId = (index + 1).toString(16).padStart(16, '0');
      if (action.noun !== undefined) {
        const refused = await send(action, refusedId);
        if (refused.status !== 500) say(`${refused.status} without its entry, ${refused.location}`);
      }
      const done = await send(action, requestId);
      const entries = await entriesOf(requestId);
      if (action.noun === undefined) {
        if (entries.length > 0) say(`has entries: ${JSON.stringify(entries)}`);
        continue;
      }
      if (!isRight(done)) say(`${done.status} ${JSON.stringify(done.problems)} ${done.h1}`);
      else if (!entries.some(({ noun }) => noun === action.noun)) say(`has no entry: ${JSON.stringify(entries)}`);
      else if (!entries.every(isWhole)) say(`lacks values: ${JSON.stringify(entries)}`);
    }
    expect(wrong).toEqual([]);
    expect(await entriesOf(refusedId)).toEqual([]);
  });
});
