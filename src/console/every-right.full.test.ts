import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { someOf } from '../../test/kit/process/process-environment.ts';
import type { Action } from '../../test/kit/world/console-actions/action.ts';
import { everyAction, sendAction } from '../../test/kit/world/console-actions/every-action.ts';
import { aPerson, joinService, signedIn } from '../../test/kit/world/console-people.ts';
import type { ConsoleVisitor, Page } from '../../test/kit/world/console-visitor.ts';
import { aConsoleWorld, type ConsoleWorld } from '../../test/kit/world/console-world.ts';
import { type GivenRight, givenRights, hasRight, permissionsOf } from './access/may.ts';
import { collectPages } from './collect-pages.ts';
import type { DeclaredPage } from './page.ts';

/**
 * Opens every page of a service and sends every form, as people who lack something: the folder of the templates, rights, the membership.
 * Pages come from their declarations, forms from `test/kit/world/console-actions/`; a page whose path names something that the world does
 * not have fails.
 */

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: { inlet: { listen: { host: '127.0.0.1', port: 587 } } },
});

let world: ConsoleWorld;
let pages: readonly DeclaredPage[];
const actions: Action[] = [];
/** Has every right, but does not see the folder with all templates. */
let outsider: ConsoleVisitor;
/** Sees the folder, and has one right or none. */
const members = new Map<GivenRight | 'none', ConsoleVisitor>();
/** Manages another service. */
let stranger: ConsoleVisitor;

/** Parameters that name a template, or what is part of one. */
const ofTemplates = /:(\w*template_id|template_file_id|folder_id|\w*draft_id)\b/;
/** Folders do not limit messages that were sent: these pages name their templates or show their texts. */
const ofSentMessages = [
  ...['', '/figures', '/months', '/received/:received_id', '/received/:received_id/thread', '/files'],
  ...['/files/:file_id', '/files/:file_id/progress', '/messages', '/messages/list', '/messages/csv'],
  ...['/messages/:message_id', '/messages/:message_id/progress', '/messages/:message_id/email'],
].map((path) => `/services/:service_id${path}`);
/** Forms that a member may send without seeing the templates: those of sent files, and a plan that keeps its templates. */
const withoutSeeing = ['/files/:file_id/send-now', '/files/:file_id/cancel', '/templates/plans/:plan_id'].map(
  (path) => `/services/:service_id${path}`,
);
/** Parameters that name a file of recipients, which is shown and sent with a template. */
const ofFiles = /:\w*file_id\b/;
/** The texts of the templates of the world, without those of its messages. */
const textOfTemplates = /\bAppointment\b|see you on Friday|à vendredi/;
/** The text and values of the messages of the world. */
const textOfMessages = /Hello Ada|Ada Byron|Yes, thank you/;

beforeAll(async () => {
  pages = collectPages(harness.app).filter(({ path }) => path.startsWith('/services/:service_id'));
  world = await aConsoleWorld(harness);
  const paths = new Set(pages.map(({ path }) => path));
  const { id: service } = world.service;
  const aMember = async (rights: readonly GivenRight[], serviceId = service) => {
    const { id } = await aPerson(harness, { name: 'Grace Hopper' });
    await joinService(harness, serviceId, id, permissionsOf(rights));
    return { id, browser: await signedIn(harness, id) };
  };
  const seeing: string[] = [world.visitors.get('a manager')?.user?.id ?? ''];
  for (const right of ['none', ...givenRights] as const) {
    const { id, browser } = await aMember(right === 'none' ? [] : [right]);
    seeing.push(id);
    members.set(right, browser);
  }
  outsider = (await aMember(givenRights)).browser;
  stranger = (await aMember(givenRights, world.foreign.get('service_id'))).browser;
  await hideTemplates(service, seeing);
  for (const listed of everyAction(harness, world).filter(({ path }) => paths.has(path))) {
    actions.push({ ...listed, ...(await listed.prepare?.()) });
  }
}, 300_000);

/** Moves all templates into a folder, which only these people see. */
async function hideTemplates(service: string, users_with_permission: string[]): Promise<void> {
  const folders = `/service/${service}/template-folder`;
  const made = await harness.admin('POST', folders, { name: 'Dismissals', parent_id: null });
  for (const [id, name] of [
    [made.body.data.id, 'Dismissals'],
    [world.ids.get('folder_id'), 'Warnings'],
  ]) {
    const changed = await harness.admin('POST', `${folders}/${id}`, { name, users_with_permission });
    expect(changed.status).toBe(200);
  }
  const templates = (await harness.admin('GET', `/service/${service}/template`)).body.data;
  const contents = { templates: templates.map(({ id }: { id: string }) => id), folders: [] };
  expect((await harness.admin('POST', `${folders}/${made.body.data.id}/contents`, contents)).status).toBe(204);
  await harness.app.db
    .updateTable('template_drafts')
    .set({ template_id: world.ids.get('template_id') ?? '' })
    .where('service_id', '=', service)
    .execute();
}

let sent = 0;

/** Sends the form of an action, and returns what it changed, by the audit log. */
async function send(action: Action, by: ConsoleVisitor): Promise<{ page: Page; nouns: string[] }> {
  sent += 1;
  const requestId = sent.toString(16).padStart(16, '0');
  const declared = new Map(pages.map((page) => [page.path, page]));
  const page = await sendAction(harness, world, declared, { ...action, by }, { 'x-b3-traceid': requestId });
  const { rows } = await sql<{ noun: string }>`
    select noun from audit_log where request_id = ${requestId}`.execute(harness.app.db);
  return { page, nouns: rows.map(({ noun }) => noun) };
}

const describeAction = ({ path, form = {} }: Action) => `${path} ${JSON.stringify(form)}`;

describe('a member with every right, but without the folder of the templates', { timeout: 240_000 }, () => {
  it('403 or 404 from every page whose path names a template or folder; no other page shows one', async () => {
    const wrong: string[] = [];
    for (const page of pages) {
      const { status, text, location } = await outsider.get(world.urlOf(page));
      const isShown = textOfTemplates.test(text);
      if (status >= 500 || isShown !== ofSentMessages.includes(page.path))
        wrong.push(`${page.path}: ${status} ${isShown}`);
      const isRefused = status === 403 || status === 404;
      if (ofTemplates.test(page.path) && !isRefused) wrong.push(`${page.path}: ${status} ${location ?? ''}`);
    }
    // The same pages of a file that was not sent.
    const file_id = world.ids.get('email_file_id') ?? '';
    for (const page of pages.filter(({ path }) => ofFiles.test(path) && !/template|results|original/.test(path))) {
      const { status, text } = await outsider.get(world.urlOf(page, { file_id }));
      if (status === 200 || textOfTemplates.test(text)) wrong.push(`${page.path}, not sent: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it('changes and sends nothing that a form names', async () => {
    const wrong: string[] = [];
    const hidden = [...world.ids].filter(([name]) => ofTemplates.test(`:${name}`)).map(([, id]) => id);
    for (const action of actions) {
      const isNamed = hidden.some((id) => JSON.stringify([action.form, action.query]).includes(id));
      if (withoutSeeing.includes(action.path)) continue;
      if (!isNamed && !ofTemplates.test(action.path) && !ofFiles.test(action.path)) continue;
      const { page, nouns } = await send(action, outsider);
      const shown = page.status === 303 ? await outsider.follow(page) : page;
      if (nouns.length > 0) wrong.push(`${describeAction(action)}: changed ${nouns}`);
      else if (shown.status < 400) wrong.push(`${describeAction(action)}: ${page.status}, ${page.location}`);
      else if (textOfTemplates.test(shown.text)) wrong.push(`${describeAction(action)}: shown`);
    }
    expect(wrong).toEqual([]);
  });
});

/** The changes that each right allows, by the nouns of the audit log. Quick start and the editor of templates send to oneself. */
const changesWith: Record<Exclude<GivenRight, 'manage'> | 'none', readonly string[]> = {
  none: [],
  activity: ['unsubscribe_report'],
  send: [
    ...['notification', 'plan_message', 'job', 'upload', 'contact_list', 'recurring_send'],
    ...['sms_opt_out', 'inbound_text'],
  ],
  templates: [
    ...['template', 'template_folder', 'template_email_file', 'letter_attachment', 'template_sending_times'],
    ...['channel_plan', 'contact_list', 'notification'],
  ],
  api: ['api_key', 'callback_api', 'callback', 'guest_list', 'notification'],
};

describe('a member with one right or none', { timeout: 240_000 }, () => {
  it('sees the text and values of messages only with the right to see or to send them', async () => {
    const wrong: string[] = [];
    const withoutMessages = [...members].filter(
      ([right]) => !hasRight('messages', permissionsOf(right === 'none' ? [] : [right])),
    );
    let shown = 0;
    for (const page of pages) {
      const url = world.urlOf(page);
      const all = await world.visitors.get('a manager')?.browser.get(url);
      if (!textOfMessages.test(all?.text ?? '')) continue;
      shown += 1;
      for (const [right, browser] of withoutMessages) {
        const { text } = await browser.get(url);
        if (textOfMessages.test(text)) wrong.push(`${page.path} for ${right}: ${textOfMessages.exec(text)?.[0]}`);
      }
    }
    expect(shown).toBeGreaterThan(7);
    expect(wrong).toEqual([]);
  });

  it('changes only what the right is for', async () => {
    const wrong: string[] = [];
    const ofOthers = Object.values(changesWith).flat();
    const isFor = (right: GivenRight | 'none', noun: string) =>
      right === 'manage' ? noun === 'sms_opt_out' || !ofOthers.includes(noun) : changesWith[right].includes(noun);
    // Those who manage can switch off what others try.
    for (const right of ['none', 'activity', 'send', 'templates', 'api', 'manage'] as const) {
      const tried = actions.filter((_, place) => someOf([...members.keys()], { count: 2, place }).includes(right));
      for (const action of tried.filter(({ path }) => !path.endsWith('/settings/archive'))) {
        const { page, nouns } = await send(action, members.get(right) ?? outsider);
        // An action also changes what follows from it: a deleted folder moves its templates.
        const isRight = nouns.length === 0 || (action.noun !== undefined && isFor(right, action.noun));
        if (!isRight) wrong.push(`${describeAction(action)} for ${right}: changed ${nouns}`);
        if (page.status >= 500) wrong.push(`${describeAction(action)} for ${right}: ${page.status}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a manager of another service', { timeout: 240_000 }, () => {
  it('404 in this service, and changes nothing of it through their own', async () => {
    const wrong: string[] = [];
    const own = world.foreign.get('service_id') ?? '';
    const ids = [...world.ids].filter(([name, id]) => /_id$/.test(name) && id.length === 36).map(([, id]) => id);
    for (const action of actions) {
      const { page, nouns } = await send(action, stranger);
      if (page.status !== 404 || nouns.length > 0) wrong.push(`${describeAction(action)}: ${page.status} ${nouns}`);
      const through = { ...action, ids: { ...action.ids, service_id: own } };
      const names =
        /:(?!service_id)\w+_id\b/.test(action.path) ||
        ids.some((id) => JSON.stringify([action.form, action.query]).includes(id));
      if (!names) continue;
      const done = await send(through, stranger);
      if (done.nouns.length > 0 || done.page.status >= 500) {
        wrong.push(`${describeAction(action)} of their own service: ${done.page.status} ${done.nouns}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
