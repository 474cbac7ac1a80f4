import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { maxPlaces } from '../../parts/place-choice.tsx';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

let service: string;
let browser: ConsoleVisitor;
let template: string;
let folders: string[];

const path = (rest = '') => `/console/services/${service}/templates${rest}`;

async function aFolder(name: string, parent_id: string | null = null): Promise<string> {
  const { body } = await harness.admin('POST', `/service/${service}/template-folder`, { name, parent_id });
  return body.data.id;
}

const folderOf = async (id: string) =>
  (await harness.admin('GET', `/service/${service}/template/${id}`)).body.data.folder;

beforeAll(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness, { name: 'Library' });
  await joinService(harness, service, id);
  folders = [];
  for (let index = 100; index < 160; index++) folders.push(await aFolder(`Ward ${index}`));
  template = await aTemplate(harness, service, { name: 'Welcome' });
  browser = await signedIn(harness, id);
});

/** The labels of the choices. */
const offered = (text: string) => [...text.matchAll(/<span>([^<]+)<\/span><\/label>/g)].map(([, label]) => label);

describe('moving a template, with 60 folders', () => {
  it('asks on a page of its own, which offers the first folders and a search', async () => {
    const list = await browser.get(path());
    expect(list.text).not.toContain('<select class="input input--small input--short" id="move_to"');
    expect(list.text).toContain('Move…');
    const page = await browser.post(path(), { do: 'choose-folder', 'templates[]': [template] });
    expect(page.status).toBe(200);
    expect(offered(page.text)).toHaveLength(maxPlaces);
    expect(page.text).toContain(`The first ${maxPlaces} of 61 folders. Search for the others.`);
  });

  it('finds a folder by its words, remembers what was chosen, and moves it there', async () => {
    const form = { 'templates[]': [template], find: '157 ward' };
    const page = await browser.post(path(), { ...form, do: 'find-folder' });
    expect(offered(page.text)).toEqual(['Ward 157']);
    expect(page.text).toContain(`name="templates[]" value="${template}"`);
    expect(page.text).toMatch(new RegExp(`value="${folders[57]}" checked`));
    const moved = await browser.post(path(), { ...form, do: 'move', move_to: folders[57] ?? '' });
    expect(moved.status).toBe(303);
    expect(await folderOf(template)).toBe(folders[57]);
  });

  it('says that nothing was found, and asks to choose first', async () => {
    const page = await browser.post(path(), { 'templates[]': [template], do: 'find-folder', find: '<b>' });
    expect([page.text.includes('0 folders found.'), offered(page.text)]).toEqual([true, []]);
    expect((await browser.post(path(), { do: 'choose-folder' })).problems).toEqual({
      '': 'Choose a template or a folder.',
    });
  });

  it('does not offer to move a folder into itself', async () => {
    const inside = await aFolder('Beds', folders[3]);
    const page = await browser.post(path(), { 'folders[]': [folders[3] ?? ''], do: 'find-folder', find: '103' });
    expect(offered(page.text)).toEqual([]);
    expect(page.text).not.toContain(inside);
  });
});

describe('copying a template, with 60 folders', () => {
  it('finds the folder, and copies into it', async () => {
    const copy = path(`/copy?template=${template}`);
    expect(offered((await browser.get(copy)).text)).toHaveLength(maxPlaces);
    expect(offered((await browser.post(copy, { do: 'find', find: 'ward 142' })).text)).toEqual(['Library / Ward 142']);
    const copied = await browser.post(copy, { place: `${service} ${folders[42]}` });
    expect([copied.status, copied.location]).toEqual([303, `${path()}?folder=${folders[42]}`]);
    expect((await browser.post(copy, {})).problems).toEqual({ place: 'Choose a service or a folder.' });
  });
});
