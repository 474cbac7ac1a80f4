import { describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;

async function aServiceOf() {
  const user = await aUser(harness);
  const service = await aService(harness, { created_by_id: user });
  return { user, service, folders: `/service/${service}/template-folder` };
}

async function aFolder(folders: string, fields: object = {}) {
  const { status, body } = await admin('POST', folders, { name: 'Folder', parent_id: null, ...fields });
  expect(status).toBe(201);
  return body.data;
}

async function aTemplate({ user, service }: { user: string; service: string }, fields: object = {}) {
  const template = { name: 'T', template_type: 'sms', content: 'c', created_by: user, ...fields };
  return (await admin('POST', `/service/${service}/template`, template)).body.data;
}

describe('POST /service/{id}/template-folder', () => {
  it('201 at the root; visible to every active member, with the name trimmed', async () => {
    const { user, service, folders } = await aServiceOf();
    const pending = await aUser(harness, { state: 'pending' });
    await admin('POST', `/service/${service}/users/${pending}`, { permissions: [] });
    const { status, body } = await admin('POST', folders, { name: '  Letters ', parent_id: null });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.any(String),
        name: 'Letters',
        parent_id: null,
        service_id: service,
        users_with_permission: [user],
      },
    });
    expect((await admin('GET', folders)).body).toEqual({ template_folders: [body.data] });
  });

  it('201 inside another; inherits the members of the parent', async () => {
    const { folders } = await aServiceOf();
    const parent = await aFolder(folders);
    await admin('POST', `${folders}/${parent.id}`, { name: 'Secret', users_with_permission: [] });
    expect(await aFolder(folders, { parent_id: parent.id })).toMatchObject({
      parent_id: parent.id,
      users_with_permission: [],
    });
  });

  it('400 for a parent that does not exist or belongs to another service', async () => {
    const { folders } = await aServiceOf();
    const foreign = await aFolder((await aServiceOf()).folders);
    for (const parent_id of [newId(new Date()), foreign.id]) {
      const { status, body } = await admin('POST', folders, { name: 'x', parent_id });
      expect(status).toBe(400);
      expect(body).toEqual({ result: 'error', message: 'parent_id not found' });
    }
  });

  it.each([
    [{}, { name: ['Missing data for required field.'], parent_id: ['Missing data for required field.'] }],
    [{ name: '', parent_id: null }, { name: ['Shorter than minimum length 1.'] }],
    [{ name: '   ', parent_id: null }, { name: ['Shorter than minimum length 1.'] }],
    [{ name: 'x', parent_id: 'top' }, { parent_id: ['Not a valid UUID.'] }],
  ])('400 for %o', async (request, message) => {
    const { folders } = await aServiceOf();
    const { status, body } = await admin('POST', folders, request);
    expect(status).toBe(400);
    expect(body).toEqual({ result: 'error', message });
  });

  it('404 for an unknown service', async () => {
    const path = `/service/${newId(new Date())}/template-folder`;
    expect((await admin('GET', path)).status).toBe(404);
    expect((await admin('POST', path, { name: 'x', parent_id: null })).status).toBe(404);
  });
});

describe('POST /service/{id}/template-folder/{folder_id}', () => {
  it('200 renames, and replaces the members only if given', async () => {
    const { user, service, folders } = await aServiceOf();
    const other = await aUser(harness);
    await admin('POST', `/service/${service}/users/${other}`, { permissions: [] });
    const folder = await aFolder(folders);
    const renamed = await admin('POST', `${folders}/${folder.id}`, { name: 'New' });
    expect(renamed.status).toBe(200);
    expect(renamed.body.data).toEqual({ ...folder, name: 'New' });
    const narrowed = { name: 'New', users_with_permission: [other] };
    expect((await admin('POST', `${folders}/${folder.id}`, narrowed)).body.data.users_with_permission).toEqual([other]);
    const stranger = { name: 'Newer', users_with_permission: [user, await aUser(harness)] };
    const refused = await admin('POST', `${folders}/${folder.id}`, stranger);
    expect([refused.status, refused.body.message]).toEqual([400, { users_with_permission: ['No result found'] }]);
    expect((await admin('GET', folders)).body.template_folders).toEqual([
      { ...folder, name: 'New', users_with_permission: [other] },
    ]);
  });

  it('404 for an unknown folder or one of another service', async () => {
    const { folders } = await aServiceOf();
    const foreign = await aFolder((await aServiceOf()).folders);
    expect((await admin('POST', `${folders}/${foreign.id}`, { name: 'x' })).status).toBe(404);
    expect((await admin('POST', `${folders}/${newId(new Date())}`, { name: 'x' })).status).toBe(404);
  });
});

describe('DELETE /service/{id}/template-folder/{folder_id}', () => {
  it('204 when empty', async () => {
    const { folders } = await aServiceOf();
    const folder = await aFolder(folders);
    expect(await admin('DELETE', `${folders}/${folder.id}`)).toMatchObject({ status: 204, text: '' });
    expect((await admin('DELETE', `${folders}/${folder.id}`)).status).toBe(404);
  });

  it('400 with a template or a folder in it', async () => {
    const { folders, ...of } = await aServiceOf();
    const [a, b] = [await aFolder(folders), await aFolder(folders)];
    await aFolder(folders, { parent_id: a.id });
    await aTemplate(of, { parent_folder_id: b.id });
    for (const { id } of [a, b]) {
      const { status, body } = await admin('DELETE', `${folders}/${id}`);
      expect([status, body]).toEqual([400, { result: 'error', message: 'Folder is not empty' }]);
    }
  });
});

describe('POST /service/{id}/template-folder/{folder_id}/contents', () => {
  it('204 moves templates and folders in, and out to the root; templates keep their version', async () => {
    const { folders, ...of } = await aServiceOf();
    const [target, moved] = [await aFolder(folders), await aFolder(folders)];
    const template = await aTemplate(of);
    const contents = { templates: [template.id], folders: [moved.id] };
    const place = async () => [
      (await admin('GET', `/service/${of.service}/template/${template.id}`)).body.data,
      (await admin('GET', folders)).body.template_folders[1].parent_id,
    ];
    expect(await admin('POST', `${folders}/${target.id}/contents`, contents)).toMatchObject({ status: 204, text: '' });
    expect(await place()).toMatchObject([{ folder: target.id, version: 1 }, target.id]);
    expect((await admin('POST', `${folders}/contents`, contents)).status).toBe(204);
    expect(await place()).toMatchObject([{ folder: null, version: 1 }, null]);
  });

  it('204 does not move archived templates', async () => {
    const { folders, ...of } = await aServiceOf();
    const target = await aFolder(folders);
    const template = await aTemplate(of);
    await admin('POST', `/service/${of.service}/template/${template.id}`, { archived: true, created_by: of.user });
    const contents = { templates: [template.id], folders: [] };
    expect((await admin('POST', `${folders}/${target.id}/contents`, contents)).status).toBe(204);
    expect((await admin('GET', `/service/${of.service}/template/${template.id}`)).body.data.folder).toBeNull();
  });

  it('400 for invalid moves; moves nothing', async () => {
    const { folders, ...of } = await aServiceOf();
    const top = await aFolder(folders);
    const middle = await aFolder(folders, { parent_id: top.id });
    const bottom = await aFolder(folders, { parent_id: middle.id });
    const loose = await aFolder(folders);
    const foreign = await aServiceOf();
    const foreignFolder = await aFolder(foreign.folders);
    const foreignTemplate = await aTemplate(foreign);
    const move = async (into: { id: string }, contents: { templates?: string[]; folders?: string[] }) => {
      const request = { templates: [], folders: [], ...contents };
      const { status, body } = await admin('POST', `${folders}/${into.id}/contents`, request);
      return [status, body.message];
    };
    expect(await move(top, { folders: [loose.id, top.id] })).toEqual([400, 'You cannot move a folder to itself']);
    const below = [400, 'You cannot move a folder to one of its subfolders'];
    expect(await move(bottom, { folders: [loose.id, top.id] })).toEqual(below);
    expect(await move(middle, { folders: [top.id] })).toEqual(below);
    expect(await move(top, { folders: [loose.id, foreignFolder.id] })).toEqual([
      400,
      `No folder found with id ${foreignFolder.id} for service ${of.service}`,
    ]);
    expect(await move(top, { folders: [loose.id], templates: [foreignTemplate.id] })).toEqual([
      400,
      `Could not move to folder: No template found with id ${foreignTemplate.id} for service ${of.service}`,
    ]);
    const { template_folders } = (await admin('GET', folders)).body;
    expect(template_folders.map((folder: { parent_id: string | null }) => folder.parent_id)).toEqual([
      null,
      top.id,
      middle.id,
      null,
    ]);
  });

  it('404 for an unknown target, 400 without the lists', async () => {
    const { folders } = await aServiceOf();
    const nothing = { templates: [], folders: [] };
    expect((await admin('POST', `${folders}/${newId(new Date())}/contents`, nothing)).status).toBe(404);
    expect((await admin('POST', `${folders}/contents`, {})).body.message).toEqual({
      templates: ['Missing data for required field.'],
      folders: ['Missing data for required field.'],
    });
  });

  it('400 for more ids than a statement can take', async () => {
    const { folders } = await aServiceOf();
    const templates = Array.from({ length: 70_000 }, () => newId(new Date()));
    const { status, body } = await admin('POST', `${folders}/contents`, { templates, folders: [] });
    expect(status).toBe(400);
    expect(body.message).toContain(`No template found with id ${templates[0]}`);
  });

  it('never creates a cycle when two folders are concurrently moved into each other', async () => {
    const { folders } = await aServiceOf();
    const [a, b] = [await aFolder(folders), await aFolder(folders)];
    const responses = await Promise.all([
      admin('POST', `${folders}/${a.id}/contents`, { templates: [], folders: [b.id] }),
      admin('POST', `${folders}/${b.id}/contents`, { templates: [], folders: [a.id] }),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400]);
  });
});
