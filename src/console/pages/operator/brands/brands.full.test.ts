import { sql } from 'kysely';
import { PNG } from 'pngjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { aLetter } from '../../../../../test/kit/builders/letters.ts';
import { aQueuedMessage } from '../../../../../test/kit/builders/queued-messages.ts';
import { anOrganisation, aService, aTemplate } from '../../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../../test/kit/harness.ts';
import { aPicture } from '../../../../../test/kit/samples/pictures.ts';
import { aPerson, joinService, signedIn } from '../../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z', config: { demo: { enabled: true } } });

let organisation: string;
let service: string;
let operator: ConsoleVisitor;
let manager: ConsoleVisitor;

beforeAll(async () => {
  organisation = await anOrganisation(harness, { name: 'Borough' });
  service = await aService(harness, { name: 'Town Hall', organisation_id: organisation });
  operator = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
  const { id } = await aPerson(harness);
  await joinService(harness, service, id);
  manager = await signedIn(harness, id);
});

const black = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 18"><rect width="70" height="18"/></svg>';
const emailBrand = { name: 'Town Hall', brand_type: 'org', alt_text: 'Town Hall' };

const createEmail = (form: Record<string, string>, content: Uint8Array<ArrayBuffer> | string, name = 'logo.png') =>
  operator.postFile('/console/operator/branding/email/new', form, { field: 'logo', name, content });
const createLetter = (name: string, content: string) =>
  operator.postFile('/console/operator/branding/letter/new', { name }, { field: 'logo', name: 'logo.svg', content });

const idIn = (location: string | undefined) => /[0-9a-f-]{36}$/.exec(location ?? '')?.[0] ?? '';
const load = async (url: string) => (await harness.http.inject({ url })).rawPayload;
async function loadAs({ cookies }: ConsoleVisitor, url: string): Promise<Buffer> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return (await harness.http.inject({ url, headers: { cookie } })).rawPayload;
}

/** How dark the middle of the logo's area is, 0 is black: 15 to 85 mm from the left, 10 to 28 mm from the top. */
function logoOf(page: Buffer): number {
  const { data, width, height } = PNG.sync.read(page);
  const [x, y] = [Math.round((50 / 210) * width), Math.round((19 / 297) * height)];
  return data[(y * width + x) * 4] ?? 255;
}

async function offer(kind: 'email' | 'letter', brand: string): Promise<void> {
  const form = { kind, step: 'add', [`${kind}_brand`]: brand };
  const added = await operator.post(`/console/operator/organisations/${organisation}/brands`, form);
  expect(added.status).toBe(303);
}

describe('an email brand', () => {
  it('with an uploaded logo: in the preview, in the choice of the team, and in the email that is sent', async () => {
    const created = await createEmail(emailBrand, new Uint8Array(aPicture(320, 160)));
    expect(created.status).toBe(303);
    const id = idIn(created.location);
    const shown = await operator.follow(created);
    expect([shown.h1, shown.text.includes('Brand created.')]).toEqual(['Town Hall', true]);

    const preview = await operator.get(`/console/operator/branding/email/${id}/preview`);
    const [, path = ''] = /<img src="(\/logos\/[0-9a-f]{32}\.png)" alt="Town Hall"/.exec(preview.text) ?? [];
    expect(PNG.sync.read(await load(path))).toMatchObject({ width: 320, height: 160 });
    expect(preview.headers['content-security-policy']).toContain('img-src data: localhost:80/logos/;');

    await offer('email', id);
    const choice = `/console/services/${service}/settings/email/branding`;
    expect((await manager.get(choice)).text).toContain(`<image href="${path}"`);
    expect((await manager.post(choice, { value: id })).status).toBe(303);

    const message = await aQueuedMessage(harness, service, { notification_type: 'email' });
    await harness.deliver();
    const sent = await operator.get(`/console/sandbox/emails/${message}/frame`);
    expect(sent.text).toContain(`<img src="${path}" alt="Town Hall"`);
    const source = await operator.get(`/console/sandbox/emails/${message}/source`);
    expect(source.text.replaceAll('=\r\n', '')).toContain(`${harness.app.config.urls.api}${path}`);
  });

  it('400 for what is wrong with it; nothing is created', async () => {
    const count = async () => (await harness.admin('GET', '/email-branding')).body.email_branding.length;
    const before = await count();
    const picture = new Uint8Array(aPicture(120, 120));
    const wrong = { ...emailBrand, name: 'Wrong' };
    const problems = async (form: Record<string, string>, content: typeof picture | string = picture) => {
      const page = await createEmail(form, content);
      expect(page.status).toBe(400);
      return page.problems;
    };
    expect(await problems({ ...wrong, name: 'Town Hall' })).toEqual({
      name: 'An email branding with that name already exists.',
    });
    expect(await problems({ ...wrong, text: 'Beside' })).toEqual({
      text: 'Enter what the logo says or a text beside it, not both.',
    });
    expect(await problems({ ...wrong, alt_text: '' })).toEqual({
      alt_text: 'Enter what the logo says, or a text beside it.',
    });
    expect(await problems({ ...wrong, alt_text: 'Logo of the Town Hall' })).toHaveProperty('alt_text');
    expect(await problems({ ...wrong, colour: 'red' })).toEqual({ colour: 'Enter a colour, such as #1d70b8.' });
    expect(await problems(wrong, black)).toEqual({
      logo: 'Choose a PNG file. Other pictures can be exported as PNG.',
    });
    expect(await problems(wrong, new Uint8Array(aPicture(120, 20)))).toEqual({
      logo: 'Choose a picture that is at least 108 pixels high.',
    });
    const without = await operator.post('/console/operator/branding/email/new', wrong);
    expect([without.status, without.problems.logo]).toEqual([
      400,
      'Choose a logo, or choose a banner, which does not need one.',
    ]);
    expect(await count()).toBe(before);
  });

  it('is edited, keeps its logo without another, and is archived when nobody uses it', async () => {
    const created = await createEmail({ ...emailBrand, name: 'Museum' }, new Uint8Array(aPicture(200, 120)));
    const id = idIn(created.location);
    const url = `/console/operator/branding/email/${id}`;
    const read = async () => (await harness.admin('GET', `/email-branding/${id}`)).body.email_branding;
    const { logo } = await read();
    await operator.post(`${url}/edit`, { name: 'Museum', brand_type: 'org_banner', text: 'Museum', colour: '#112233' });
    expect(await read()).toMatchObject({ brand_type: 'org_banner', text: 'Museum', alt_text: null, logo });
    await harness.admin('POST', `/service/${service}`, { email_branding: id });
    const refused = await operator.post(`${url}/archive`);
    expect([refused.status, (await read()).active]).toEqual([400, true]);
    await harness.admin('POST', `/service/${service}`, { email_branding: null });
    expect((await operator.post(`${url}/archive`)).status).toBe(303);
    expect((await read()).active).toBe(false);
    expect((await operator.get(url)).text).toContain('This brand is archived');
  });
});

describe('a letter brand', () => {
  it('with an uploaded logo: in the preview, in the choice of the team, and in the letter that is sent', async () => {
    const created = await createLetter('Town Hall', black);
    expect(created.status).toBe(303);
    const id = idIn(created.location);
    const preview = await loadAs(operator, `/console/operator/branding/letter/${id}/page`);
    expect(logoOf(preview)).toBeLessThan(60);

    await offer('letter', id);
    const choice = `/console/services/${service}/settings/letter/branding`;
    const logo = `${choice}/${id}/logo`;
    expect((await manager.get(choice)).text).toContain(`src="${logo}"`);
    expect((await manager.get(logo)).text).toBe(black);
    expect((await manager.post(choice, { value: id })).status).toBe(303);

    const letter = await aLetter(harness, service, await aTemplate(harness, service, { template_type: 'letter' }));
    await harness.runTasks();
    expect(logoOf(await loadAs(operator, `/console/sandbox/letters/${letter}/pages/1`))).toBeLessThan(60);
  });

  it('says that it has no logo yet, if another front end created it', async () => {
    const created = await harness.admin('POST', '/letter-branding', { name: 'No logo', filename: 'none' });
    const missing = 'This brand has no logo';
    expect((await operator.get(`/console/operator/branding/letter/${created.body.id}`)).text).toContain(missing);
    await harness.admin('POST', `/letter-branding/${created.body.id}/logo`, { svg: black });
    expect((await operator.get(`/console/operator/branding/letter/${created.body.id}`)).text).not.toContain(missing);
  });

  it.each([
    ['<script>alert(1)</script>', 'This SVG contains a script. Export it again as plain SVG.'],
    ['<rect onclick="alert(1)"/>', 'This SVG contains event handlers, such as onclick. Export it again as plain SVG.'],
    ['<foreignObject/>', 'This SVG contains foreign content, such as HTML. Convert it to shapes.'],
    [
      '<use href="https://evil.example/x.svg#a"/>',
      'This SVG refers to something outside of it, such as a web address. Embed it as shapes.',
    ],
  ])('400 with %s in its logo; nothing is created or changed', async (inside, text) => {
    const svg = black.replace('</svg>', `${inside}</svg>`);
    const created = await createLetter('Hostile', svg);
    expect([created.status, created.problems]).toEqual([400, { logo: text }]);
    const names = (await harness.admin('GET', '/letter-branding')).body.map(({ name }: { name: string }) => name);
    expect(names).not.toContain('Hostile');
    const [{ id }] = (await harness.admin('GET', '/letter-branding')).body;
    const edit = await operator.postFile(
      `/console/operator/branding/letter/${id}/edit`,
      { name: 'Renamed' },
      { field: 'logo', name: 'x.svg', content: svg },
    );
    expect([edit.status, edit.problems]).toEqual([400, { logo: text }]);
    expect((await harness.admin('GET', `/letter-branding/${id}`)).body.name).not.toBe('Renamed');
    expect((await harness.admin('GET', `/letter-branding/${id}/logo`)).text).toBe(black);
  });

  it('keeps its name and its logo when the transaction of the change fails', async () => {
    await sql`
      create function refuse_commit() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
      create constraint trigger refuse_commit after insert or update on letter_branding deferrable initially deferred
        for each row when (new.name like 'Refused%') execute function refuse_commit()`.execute(harness.app.db);
    const id = idIn((await createLetter('Gallery', black)).location);
    const logos = [...harness.files.kept.keys()];
    const other = black.replace('18"/>', '9"/>');
    const edited = await operator.postFile(
      `/console/operator/branding/letter/${id}/edit`,
      { name: 'Refused change' },
      { field: 'logo', name: 'x.svg', content: other },
    );
    expect(edited.status).toBe(500);
    expect((await harness.admin('GET', `/letter-branding/${id}`)).body.name).toBe('Gallery');
    expect((await harness.admin('GET', `/letter-branding/${id}/logo`)).text).toBe(black);
    const entries = await sql`select after from audit_log where thing_id = ${id} and action = 'update'`.execute(
      harness.app.db,
    );
    expect(entries.rows).toEqual([]);

    expect((await createLetter('Refused', other)).status).toBe(500);
    expect([...harness.files.kept.keys()]).toEqual(logos);
  });

  it('400 when the name is taken; the logo does not change', async () => {
    const id = idIn((await createLetter('Archive', black)).location);
    const edited = await operator.postFile(
      `/console/operator/branding/letter/${id}/edit`,
      { name: 'Town Hall' },
      { field: 'logo', name: 'x.svg', content: black.replace('18"/>', '9"/>') },
    );
    expect(edited.problems).toEqual({ name: 'Name already in use' });
    expect((await harness.admin('GET', `/letter-branding/${id}/logo`)).text).toBe(black);
    expect((await createLetter('Town Hall', black)).problems).toEqual({ name: 'Name already in use' });
  });
});

describe('the pool of an organisation', () => {
  it('gets a default, which services without a brand follow; loses brands that are no default', async () => {
    const own = await anOrganisation(harness, { name: 'Library trust' });
    const library = await aService(harness, { name: 'Library', organisation_id: own });
    const id = idIn(
      (await createEmail({ ...emailBrand, name: 'Library' }, new Uint8Array(aPicture(120, 120)))).location,
    );
    const url = `/console/operator/organisations/${own}/brands`;
    const step = (name: string) => operator.post(url, { kind: 'email', step: name, email_brand: id });
    const pool = async () => (await harness.admin('GET', `/organisations/${own}/email-branding-pool`)).body.data.length;
    expect((await step('default')).status).toBe(303);
    expect([await pool(), (await harness.admin('GET', `/service/${library}`)).body.data.email_branding]).toEqual([
      1,
      id,
    ]);
    expect((await operator.get(url)).text).toContain('Default');
    expect((await step('remove')).status).toBe(400);
    expect((await step('no-default')).status).toBe(303);
    expect((await step('remove')).status).toBe(303);
    expect(await pool()).toBe(0);
    expect((await operator.post(url, { kind: 'email', step: 'add' })).problems).toEqual({
      email_brand: 'Choose a brand.',
    });
  });

  it('a team cannot choose or see the logo of another organisation', async () => {
    const id = idIn((await createLetter('Foreign', black)).location);
    const choice = `/console/services/${service}/settings/letter/branding`;
    expect((await manager.get(`${choice}/${id}/logo`)).status).toBe(404);
    expect((await manager.post(choice, { value: id })).problems).toEqual({ value: 'Choose a brand from the list.' });
    expect((await manager.get('/console/operator/branding/letter')).status).toBe(403);
  });
});
