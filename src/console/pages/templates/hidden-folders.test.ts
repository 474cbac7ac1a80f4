import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

let service: string;
/** Writes templates, and does not see the folder. */
let writer: ConsoleVisitor;
/** Sees the folder. */
let insider: ConsoleVisitor;
let folder: string;
let hidden: string;
let shown: string;

const path = (rest = '') => `/console/services/${service}/templates${rest}`;
const folderOf = async (id: string) =>
  (await harness.admin('GET', `/service/${service}/template/${id}`)).body.data.folder;

async function aMember(folders: string[]) {
  const { id } = await aPerson(harness);
  const permissions = ['manage_templates', 'manage_api_keys'].map((permission) => ({ permission }));
  await harness.admin('POST', `/service/${service}/users/${id}`, { permissions, folder_permissions: folders });
  return signedIn(harness, id);
}

beforeAll(async () => {
  service = await aService(harness);
  const { body } = await harness.admin('POST', `/service/${service}/template-folder`, { name: 'HR', parent_id: null });
  folder = body.data.id;
  writer = await aMember([]);
  insider = await aMember([folder]);
  hidden = await aTemplate(harness, service, { name: 'Dismissal', folder });
  shown = await aTemplate(harness, service, { name: 'Welcome' });
});

/** Not in `src/console/every-right.full.test.ts`: lists of templates, and folders in queries and forms. */
describe('a template in a folder that the member does not see', () => {
  it('403 to move it out, alone or with others, all or nothing', async () => {
    for (const chosen of [[hidden], [shown, hidden], [hidden.toUpperCase()]]) {
      expect((await writer.post(path(), { do: 'move', 'templates[]': chosen })).status).toBe(403);
      expect(await folderOf(hidden)).toBe(folder);
    }
  });

  it('403 to move others into the folder, or the folder itself', async () => {
    expect((await writer.post(path(), { do: 'move', 'templates[]': [shown], move_to: folder })).status).toBe(403);
    expect((await writer.post(path(), { do: 'move', 'folders[]': [folder] })).status).toBe(403);
    expect(await folderOf(shown)).toBeNull();
  });

  it('404 to move a template of another service, or one that is archived', async () => {
    const archived = await aTemplate(harness, service, { folder });
    await harness.admin('POST', `/service/${service}/template/${archived}`, { archived: true });
    const foreign = await aTemplate(harness, await aService(harness));
    for (const id of [foreign, archived]) {
      expect((await insider.post(path(), { do: 'move', 'templates[]': [id] })).status).toBe(404);
    }
  });

  it('403 to archive or copy it', async () => {
    for (const what of ['archive', 'archive-all']) {
      expect((await writer.post(path(), { do: what, 'templates[]': [hidden] })).status).toBe(403);
    }
    expect((await writer.post(path(`/copy?template=${hidden}`), { place: service })).status).toBe(403);
    expect((await writer.post(path(`/copy?template=${shown}`), { place: `${service} ${folder}` })).status).toBe(403);
  });

  it('403 to write a new one into the folder, and 404 for the draft of another person', async () => {
    const form = { name: 'Warning', content: 'You are late', subject: 'Late', folder };
    expect((await writer.post(path('/new/email'), { ...form, do: 'save' })).status).toBe(403);
    expect((await writer.post(path(`/folders/new?folder=${folder}`), { name: 'Inside' })).status).toBe(403);
    const draft_id = '4f46df42-f795-4cc4-83bb-65ca312f49cc';
    await insider.post(path('/new/email'), { ...form, draft_id, do: 'preview' });
    const preview = `/console/services/${service}/template-drafts/${draft_id}/email`;
    expect((await insider.get(preview)).text).toContain('You are late');
    expect((await writer.get(preview)).status).toBe(404);
    expect((await insider.post(path('/new/email'), { ...form, do: 'save' })).status).toBe(303);
  });

  it('is not offered by Quick start', async () => {
    const quickStart = `/console/services/${service}/quick-start`;
    expect((await insider.get(`${quickStart}?template=${hidden}`)).text).toContain(hidden);
    expect((await writer.get(`${quickStart}?template=${hidden}`)).text).not.toContain(hidden);
  });

  it('moves for those who see it', async () => {
    expect((await insider.post(path(), { do: 'move', 'templates[]': [hidden] })).status).toBe(303);
    expect(await folderOf(hidden)).toBeNull();
    expect((await writer.get(path(`/${hidden}`))).status).toBe(200);
  });
});
