import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { anApiKey, aService, aUser } from '../../../test/kit/builders/rows.ts';
import { adminSecret, useHarness } from '../../../test/kit/harness.ts';
import { runCommand } from '../../../test/kit/process/run-command.ts';
import { linesIn } from '../../rendering/pdf/pdf-text.ts';
import { withPdf } from '../../rendering/pdf/pdfium.ts';

// Each command makes dozens of requests.
vi.setConfig({ testTimeout: 60_000 });

const now = '2026-11-16T12:00:00Z';
const harness = useHarness({ now });
const folder = mkdtempSync(join(tmpdir(), 'pennypost-languages-'));
const file = join(folder, 'notice.email.md');
let url: string;
let user: string;
let service: string;
let id: string;

beforeAll(async () => {
  // Tokens of the command have the time of the harness.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
  user = await aUser(harness);
  await harness.http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = harness.http.server.address() as { port: number };
  url = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const french = { language: 'fr', subject: 'Avis: "((day))"', content: '  Bonjour\n---\n\tà bientôt # ici\n\n' };
const german = { language: 'de', subject: 'Hinweis', content: 'Guten Tag\r\n((name))' };
const languages = { default: 'en', field: 'language', refuse_unknown: true, variants: [german, french] };

beforeEach(async () => {
  rmSync(file, { force: true });
  service = await aService(harness, { permissions: ['email', 'sms', 'template_languages'], created_by_id: user });
  const { body } = await harness.admin('POST', `/service/${service}/template`, {
    ...{ name: 'Notice', template_type: 'email', subject: 'Notice', content: 'Hello ((name))', languages },
    created_by: user,
  });
  id = body.data.id;
});

const read = () => readFileSync(file, 'utf8');
const edit = (from: string, to: string) => writeFileSync(file, read().replace(from, to));
const stored = async () => (await harness.admin('GET', `/service/${service}/template/${id}`)).body.data;

async function withKey() {
  const key = await anApiKey(harness, service, { manage_templates: true });
  return (action: string, ...args: string[]) =>
    runCommand(['templates', action, folder, '--url', url, ...args], { PENNYPOST_API_KEY: key });
}

async function withAdminApi() {
  return (action: string, ...args: string[]) => {
    const author = action === 'push' ? ['--user', user] : [];
    const flags = ['--url', url, '--service', service, ...author];
    return runCommand(['templates', action, folder, ...flags, ...args], { PENNYPOST_ADMIN_SECRET: adminSecret });
  };
}

describe.each([
  ['a key', withKey],
  ['the admin API', withAdminApi],
])('texts in other languages, with %s', (_, connect) => {
  it('come back as they were, and are pushed as one version', async () => {
    const run = await connect();
    expect(await run('pull')).toMatchObject({ code: 0, err: '' });
    expect(read()).toBe(
      `---\nid: ${id}\nversion: 1\nname: Notice\nchannel: email\nsubject: Notice\nlanguages:\n  default: en\n` +
        '  field: language\n  refuse_unknown: true\n  variants:\n    - language: de\n      subject: Hinweis\n' +
        '      content: |-\n        Guten Tag\n        ((name))\n    - language: fr\n' +
        '      subject: \'Avis: "((day))"\'\n' +
        '      content: |2+\n          Bonjour\n        ---\n        \tà bientôt # ici\n\n---\nHello ((name))\n',
    );
    expect((await run('pull')).out).toBe('0 files written, 1 unchanged.\n');
    expect(await run('diff')).toEqual({ code: 0, out: '', err: '' });
    expect((await run('push')).out).toBe('0 templates pushed, 1 unchanged.\n');

    edit('Guten Tag', 'Moin');
    edit('Hello', 'Dear');
    edit('  refuse_unknown: true\n', '');
    expect((await run('push', '--dry-run')).out).toContain('Would change notice.email.md: languages, content\n');
    expect((await stored()).version).toBe(1);
    expect(await run('push')).toMatchObject({ code: 0, err: '' });
    const variants = [{ ...german, content: 'Moin\n((name))' }, french];
    expect(await stored()).toMatchObject({
      ...{ version: 2, content: 'Dear ((name))' },
      languages: { default: 'en', field: 'language', refuse_unknown: false, variants },
    });
    expect(await run('diff')).toEqual({ code: 0, out: '', err: '' });

    edit('name: Notice', 'name: Renamed');
    expect(await run('push')).toMatchObject({ code: 0, err: '' });
    expect(await stored()).toMatchObject({ name: 'Renamed', version: 3, languages: { variants } });

    writeFileSync(file, read().replace(/languages:[\s\S]*?\n---\nDear/, '---\nDear'));
    expect(await run('push')).toMatchObject({ code: 0, err: '' });
    expect((await stored()).languages).toBeUndefined();
  });

  it('create a template, spelled as people spell languages', async () => {
    const run = await connect();
    const fresh = join(folder, 'new.md');
    writeFileSync(
      fresh,
      '---\nname: New\nchannel: sms\nlanguages:\n  default: EN\n  variants:\n    - {language: fr_ca, content: Allô}\n---\nHi\n',
    );
    expect(await run('push')).toMatchObject({ code: 0, err: '' });
    const created = /id: (\S+)/.exec(readFileSync(fresh, 'utf8'))?.[1];
    const { body } = await harness.admin('GET', `/service/${service}/template/${created}`);
    expect(body.data.languages).toEqual({
      ...{ default: 'en', field: null, refuse_unknown: false },
      variants: [{ language: 'fr-CA', subject: null, content: 'Allô' }],
    });
    expect((await run('push')).out).toBe('0 templates pushed, 1 unchanged.\n');
    rmSync(fresh);
  });

  it('are not lost when somebody changed the server, too', async () => {
    const run = await connect();
    await run('pull');
    edit('Guten Tag', 'Moin');
    const theirs = { ...languages, variants: [german, { ...french, content: 'Salut' }] };
    const change = await harness.admin('POST', `/service/${service}/template/${id}`, { languages: theirs });
    expect(change.status).toBe(200);
    expect(await run('pull')).toMatchObject({ code: 3, out: expect.stringContaining('Kept notice.email.md') });
    expect(await run('push')).toMatchObject({ code: 3, out: expect.stringContaining('somebody made version 2') });
    expect(await run('pull', '--force')).toMatchObject({ code: 0, err: '' });
    expect(read()).toMatch(/version: 2[\s\S]*Guten Tag[\s\S]*content: Salut\n---/);
  });

  it('are refused without the permission: nothing is pushed', async () => {
    const run = await connect();
    await run('pull');
    edit('Guten Tag', 'Moin');
    writeFileSync(join(folder, 'other.md'), '---\nname: Other\nchannel: sms\n---\nHi\n');
    await harness.admin('POST', `/service/${service}`, { permissions: ['email', 'sms'] });
    const { code, out, err } = await run('push');
    rmSync(join(folder, 'other.md'));
    expect([code, err]).toEqual([2, 'Nothing was pushed.\n']);
    expect(out).toMatch(/^notice\.email\.md:1: .*it lacks the permission template_languages\n$/);
    expect((await harness.admin('GET', `/service/${service}/template`)).body.data).toHaveLength(1);
    expect((await stored()).version).toBe(1);
  });
});

it('check gives hints on each text, those on English wording only where it is English', async () => {
  writeFileSync(
    file,
    '---\nname: X\nchannel: email\nsubject: S\nlanguages:\n  default: fr\n  variants:\n' +
      '    - {language: en-GB, subject: S, content: See https://bit.ly/a}\n---\nVoir ici\n',
  );
  expect((await runCommand(['templates', 'check', folder])).out).toBe(
    'notice.email.md (en-GB): People cannot see where bit.ly leads, and networks block texts with it. ' +
      'Write the address in full. (link-shortener)\n1 hint in 1 template.\n',
  );
});

it('preview renders each text to files of its own, with the words of its language', async () => {
  const out = join(folder, 'out');
  const texts = (field: string) => `languages:\n  default: en\n  variants:\n    - {language: cy, ${field}}\n`;
  writeFileSync(
    file,
    `---\nname: X\nchannel: email\nsubject: Hi\nhas_unsubscribe_link: true\n${texts('subject: Helo, content: ((enw))')}---\n((name))\n`,
  );
  const letter = join(folder, 'pay.letter.md');
  writeFileSync(
    letter,
    `---\nname: Y\nchannel: letter\nsubject: Pay\n${texts('subject: Talu, content: Nawr')}---\nNow\n`,
  );
  const environment = { LANGUAGES: 'en,cy' };
  const result = await runCommand(['templates', 'preview', folder, '--out', out], environment);
  expect(result).toEqual({
    code: 0,
    out: `notice.email.md: Hi; no value for name
notice.email.md (cy): Helo; no value for enw
pay.letter.md: 1 page
pay.letter.md (cy): 1 page
`,
    err: '',
  });
  const rendered = (name: string) => readFileSync(join(out, name));
  expect(rendered('notice.email.html').toString()).toContain('<html lang="en">');
  expect(rendered('notice.email.html').toString()).toContain('Unsubscribe from these emails');
  expect(rendered('notice.email.cy.html').toString()).toContain('<html lang="cy">');
  expect(rendered('notice.email.cy.html').toString()).not.toContain('Unsubscribe from these emails');
  const page = { left: 0, top: 0, right: 210, bottom: 297 };
  const welsh = await withPdf(rendered('pay.letter.cy.pdf'), (pdf) => pdf.page(1, (one) => linesIn(one, page).join()));
  expect(welsh).toContain('Tudalen 1 o 1');
  expect(welsh).toContain('16 Tachwedd 2026');
  expect((await runCommand(['templates', 'preview', folder, '--out', out], { LANGUAGES: 'zu' })).err).toContain(
    'LANGUAGES names zu, and there is no file zu.po',
  );
  rmSync(letter);
});

describe('import', () => {
  const path = join(folder, 'export.json');
  const exported = { name: 'Notice', type: 'email', subject: 'Notice', body: 'Hello' };
  const other = '811f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c11';

  async function importing(...records: object[]) {
    writeFileSync(path, JSON.stringify(records));
    const PENNYPOST_API_KEY = await anApiKey(harness, service, { manage_templates: true });
    return runCommand(['templates', 'import', path, '--url', url], { PENNYPOST_API_KEY });
  }

  it('keeps the texts in other languages', async () => {
    const texts = { default: 'en', variants: [{ language: 'fr_ca', subject: 'Avis', body: 'Bonjour\r\n' }] };
    expect(await importing({ ...exported, id: other, languages: texts })).toMatchObject({ code: 0, err: '' });
    const { body } = await harness.admin('GET', `/service/${service}/template/${other}`);
    expect(body.data.languages).toEqual({
      ...{ default: 'en', field: null, refuse_unknown: false },
      variants: [{ language: 'fr-CA', subject: 'Avis', content: 'Bonjour\n' }],
    });
  });

  it.each([
    [['en', 'fr', 'de'], 'Template 2 "Notice" has texts in fr, de, and not in this export. Use pull, then push --new.'],
    [{ default: 'en', variants: [{ language: 'fr' }] }, 'Template 2 "Notice" has languages without a text.'],
    [{ variants: [{ language: 'fr', body: 'x' }] }, 'Template 2 "Notice" has languages without a text.'],
    [{ default: 'en' }, 'Template 2 "Notice" has languages without a text.'],
    ['fr', 'Template 2 "Notice" has languages without a text.'],
  ])('creates nothing for %j', async (texts, message) => {
    const [fine, bad] = ['911f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c11', 'a11f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c11'];
    const { code, err } = await importing({ ...exported, id: fine }, { ...exported, id: bad, languages: texts });
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
    expect((await harness.admin('GET', `/service/${service}/template`)).body.data).toHaveLength(1);
  });
});
