import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { adminSecret, useHarness } from '../../test/kit/harness.ts';
import { runCommand } from '../../test/kit/process/run-command.ts';
import { selectTemplateVersions } from '../templates/template-rows.sql.ts';

// Each command makes dozens of requests.
vi.setConfig({ testTimeout: 60_000 });

const now = '2026-11-16T12:00:00Z';
const harness = useHarness({ now });
let url: string;
let user: string;
let service: string;
let folder: string;
const folders: string[] = [];

beforeAll(async () => {
  // Tokens of the command have the time of the harness.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
  user = await aUser(harness);
  await harness.http.listen({ port: 0, host: '127.0.0.1' });
  url = addressOf(harness.http.server);
});
afterAll(() => {
  vi.useRealTimers();
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});
beforeEach(async () => {
  service = await aService(harness, { created_by_id: user });
  folder = aFolder();
});

function aFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pennypost-templates-'));
  folders.push(path);
  return path;
}

function addressOf(server: { address(): unknown }): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function run(action: string, ...args: string[]) {
  const flags = ['--service', service, ...(action === 'push' ? ['--user', user] : [])];
  return runCommand(['templates', action, folder, '--url', url, ...flags, ...args], {
    PENNYPOST_ADMIN_SECRET: adminSecret,
  });
}

const filesIn = (path: string) =>
  (readdirSync(path, { recursive: true }) as string[]).filter((name) => /\.\w+$/.test(name)).sort();
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const edit = (name: string, from: string, to: string) => write(name, read(name).replace(from, to));
const frontMatter = (text: string) => /^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '';

async function get(id: string) {
  return (await harness.admin('GET', `/service/${service}/template/${id}`)).body.data;
}

async function versions(): Promise<Record<string, number>> {
  const { body } = await harness.admin('GET', `/service/${service}/template`);
  return Object.fromEntries(body.data.map(({ name, version }: { name: string; version: number }) => [name, version]));
}

describe('pennypost templates pull', () => {
  it.each([
    ['an empty response', '', 'did not respond with JSON: is this the address of the API?'],
    ['another object', '{}', 'The server did not send its template folders: is this the address of the API?'],
    [
      'a template without text',
      '{"template_folders":[],"data":[{"id":"t1"}]}',
      'The server did not send the text of template t1: is this the address of the API?',
    ],
  ])('ends with a sentence for %s', async (_, body, sentence) => {
    const template = '{"data":{"id":"t1","version":1,"name":"A","template_type":"sms"}}';
    const server = createServer((request, response) => response.end(request.url?.endsWith('/t1') ? template : body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const args = ['templates', 'pull', folder, '--url', addressOf(server), '--service', service];
    const { code, err } = await runCommand(args, { PENNYPOST_ADMIN_SECRET: adminSecret });
    server.close();
    expect(code).not.toBe(0);
    expect(err).toContain(sentence);
    expect(err).not.toContain('TypeError');
    expect(filesIn(folder)).toEqual([]);
  });

  it('writes every field of all channels, and a second pull writes nothing', async () => {
    const sender = await aReplyTo(harness, service, 'email', { is_default: true });
    const inner = await aFolderOnServer('Inner', await aFolderOnServer('Outer / more', null));
    const email = await aTemplate(harness, service, {
      ...{ name: 'Welcome: "all"', template_type: 'email', subject: 'Hello ((name))', folder: inner, reply_to: sender },
      ...{ content: '# Dear ((name))\r\n\r\n---\r\n* one\r\n', has_unsubscribe_link: true, process_type: 'priority' },
    });
    await aTemplate(harness, service, { name: 'Code', content: 'Your code is ((code))' });
    await aTemplate(harness, service, {
      ...{ name: 'Reminder', template_type: 'letter', subject: 'Pay', content: 'Now', postage: 'first' },
      ...{ letter_languages: 'welsh_then_english', letter_welsh_subject: 'Talu', letter_welsh_content: 'Nawr\n\n* un' },
    });
    const { code, out } = await run('pull');
    expect([code, out]).toEqual([0, expect.stringContaining('3 files written, 0 unchanged.')]);
    expect(filesIn(folder)).toEqual([
      'code.sms.md',
      join('outer-more', 'inner', 'welcome-all.email.md'),
      'reminder.letter.md',
    ]);
    expect(read(join('outer-more', 'inner', 'welcome-all.email.md'))).toBe(
      `---\nid: ${email}\nversion: 1\nname: 'Welcome: "all"'\nchannel: email\nsubject: Hello ((name))\nfolder:\n` +
        `  - Outer / more\n  - Inner\nsender: ${sender}\nprocess_type: priority\nhas_unsubscribe_link: true\n---\n` +
        '# Dear ((name))\n\n---\n* one\n\n',
    );
    expect(read('reminder.letter.md')).toContain(
      'postage: first\nwelsh_subject: Talu\nwelsh_content: |-\n  Nawr\n\n  * un\n---\nNow\n',
    );
    expect((await run('pull')).out).toBe('0 files written, 3 unchanged.\n');
    expect(await run('diff')).toEqual({ code: 0, out: '', err: '' });
    expect((await run('push')).out).toBe('0 templates pushed, 3 unchanged.\n');
    expect(await versions()).toEqual({ Code: 1, Reminder: 1, 'Welcome: "all"': 1 });
  });

  it('names from the server never leave the folder, and names that would be one file get two', async () => {
    const outside = await aFolderOnServer('..', null);
    const names = [
      '../../evil',
      'Über uns',
      'U\u0308ber Uns',
      'CON',
      '😀',
      '/',
      'a\u001b[2Jb',
      'x'.repeat(255),
      'ß'.repeat(255),
    ];
    for (const name of names) await aTemplate(harness, service, { name });
    await aTemplate(harness, service, { name: '..\\..\\lpt1', folder: outside });
    const { code, out } = await run('pull');
    expect(code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be printed
    expect(out).not.toMatch(/\u001b/);
    const found = filesIn(folder);
    expect(found).toHaveLength(10);
    expect(new Set(found.map((name) => name.normalize('NFKC').toLowerCase())).size).toBe(10);
    expect(found).toEqual(
      expect.arrayContaining(['evil.sms.md', 'con-template.sms.md', join('folder', 'lpt1-template.sms.md')]),
    );
    expect(found.filter((name) => name.startsWith('über-uns'))).toHaveLength(2);
    for (const name of found) expect(name).toMatch(/^(folder[/\\])?[\p{L}\p{M}\p{N}-]+\.sms\.md$/u);
    expect((await run('push')).out).toBe('0 templates pushed, 10 unchanged.\n');
  });

  it('keeps changed and new files, overwrites the others, and deletes only with --prune', async () => {
    const [one, two] = [
      await aTemplate(harness, service, { name: 'One' }),
      await aTemplate(harness, service, { name: 'Two' }),
    ];
    const gone = await aTemplate(harness, service, { name: 'Gone' });
    await run('pull');
    write('new.sms.md', '---\nname: New\nchannel: sms\n---\nHi\n');
    edit('one.sms.md', 'Hello', 'Hallo');
    for (const id of [one, two]) await change(id, { content: 'From the console' });
    await change(gone, { archived: true });
    const { code, out, err } = await run('pull');
    expect([code, err]).toEqual([3, '1 file kept: push first, or use --force to overwrite.\n']);
    expect(out).toContain('Kept one.sms.md: it has changes that were not pushed\nWrote two.sms.md\n');
    expect(out).toContain('The server no longer has gone.sms.md: --prune deletes the file');
    expect([read('one.sms.md'), read('two.sms.md')]).toEqual([
      expect.stringContaining('Hallo'),
      expect.stringMatching(/version: 2\n[\s\S]*From the console\n$/),
    ]);
    const forced = await run('pull', '--force', '--prune');
    expect([forced.code, forced.out]).toEqual([0, expect.stringContaining('Deleted gone.sms.md')]);
    expect(read('one.sms.md')).toContain('From the console');
    expect(filesIn(folder)).toEqual(['new.sms.md', 'one.sms.md', 'two.sms.md']);
    const owner = service;
    service = await aService(harness);
    expect((await run('pull', '--prune')).out).toContain(`The service has no template ${one}: one.sms.md stays`);
    expect(filesIn(folder)).toHaveLength(3);
    service = owner;
    folder = aFolder();
    expect(await run('push', '--prune')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--prune would archive all'),
    });
    expect(await versions()).toEqual({ One: 2, Two: 2 });
  });
});

describe('pennypost templates push', () => {
  it('makes one version of each changed template, leaves the others alone, and changes nothing a second time', async () => {
    for (let index = 0; index < 12; index++)
      await aTemplate(harness, service, { name: `Text ${index}`, created_by_id: user });
    await run('pull');
    for (let index = 0; index < 10; index++) edit(`text-${index}.sms.md`, 'Hello', 'Dear');
    const planned = await run('push', '--dry-run');
    expect(planned.code).toBe(0);
    expect(planned.out).toMatch(
      /Would change text-0\.sms\.md: content\n[\s\S]*\n10 templates would change, 2 would not\.\n$/,
    );
    expect(new Set(Object.values(await versions()))).toEqual(new Set([1]));
    const { code, out } = await run('push');
    expect([code, out]).toEqual([0, expect.stringMatching(/10 templates pushed, 2 unchanged\.\n$/)]);
    const after = await versions();
    for (let index = 0; index < 12; index++) expect(after[`Text ${index}`]).toBe(index < 10 ? 2 : 1);
    expect(await run('push')).toEqual({ code: 0, out: '0 templates pushed, 12 unchanged.\n', err: '' });
    expect(await versions()).toEqual(after);
    expect(frontMatter(read('text-7.sms.md'))).toContain('version: 2');
  });

  it('creates, changes every field, moves, archives and restores', async () => {
    const letter = await aTemplate(harness, service, { name: 'Letter', template_type: 'letter' });
    const contact = await aReplyTo(harness, service, 'letter');
    await run('pull');
    write(
      'letter.letter.md',
      `---\n# a comment\nid: ${letter}\nversion: 1 # pulled\nname: A letter\nchannel: letter\nsubject: New\npostage: economy\n` +
        `sender: ${contact}\nfolder: [Deep, Deeper]\nprocess_type: bulk\nwelsh_subject: Cymraeg\nwelsh_content: Testun\n---\nText\n`,
    );
    write(
      'new.md',
      '\uFEFF---\r\nname: Brand new\r\nchannel: email\r\nsubject: Über\r\nfolder: Deep\r\n---\r\nLine\r\nnext\r\n',
    );
    expect(await run('push')).toMatchObject({ code: 0, err: '' });
    expect(await get(letter)).toMatchObject({
      ...{
        name: 'A letter',
        subject: 'New',
        content: 'Text',
        postage: 'economy',
        reply_to: contact,
        process_type: 'bulk',
      },
      ...{
        letter_languages: 'welsh_then_english',
        letter_welsh_subject: 'Cymraeg',
        letter_welsh_content: 'Testun',
        version: 2,
      },
      created_by: { id: user },
    });
    expect(read('letter.letter.md')).toContain('# a comment\n');
    expect(read('letter.letter.md')).toContain('version: 2 # pulled\n');
    expect(read('new.md')).toMatch(/^\uFEFF---\r\nid: [0-9a-f-]{36}\r\nversion: 1\r\nname: Brand new\r\n/);
    const id = /id: (\S+)/.exec(read('new.md'))?.[1] ?? '';
    expect(await get(id)).toMatchObject({ name: 'Brand new', content: 'Line\nnext', version: 1 });
    expect(await run('diff')).toEqual({ code: 0, out: '', err: '' });

    edit('new.md', 'name: Brand', 'archived: true\r\nname: Brand');
    rmSync(join(folder, 'letter.letter.md'));
    expect((await run('push')).out).toBe('Archived new.md\n1 template pushed, 0 unchanged.\n');
    expect((await run('push', '--prune')).out).toBe(
      `Archived "A letter" (letter, ${letter})\n1 template pushed, 1 unchanged.\n`,
    );
    expect(await get(id)).toMatchObject({ archived: true, version: 2 });
    expect(await get(letter)).toMatchObject({ archived: true });
    edit('new.md', 'archived: true', 'archived: false');
    expect((await run('push')).out).toBe('Restored new.md\n1 template pushed, 0 unchanged.\n');
    expect(await get(id)).toMatchObject({ archived: false, version: 3, folder: expect.any(String) });
  });

  it('gives other servers the sender first, and then the rest', async () => {
    const sender = await aReplyTo(harness, service, 'email');
    const id = await aTemplate(harness, service, { name: 'One', template_type: 'email' });
    await run('pull');
    edit('one.email.md', 'name: One\n', `name: Two\nsender: ${sender}\n`);
    const other = await proxyTo(() => 'other-server');
    const { code, err } = await run('push', '--url', addressOf(other));
    other.close();
    expect([code, err]).toEqual([0, '']);
    expect(await get(id)).toMatchObject({ name: 'Two', reply_to: sender, version: 3 });
    expect(read('one.email.md')).toContain('version: 3\n');
  });

  it('refuses to overwrite what somebody changed on the server, unless --force is given', async () => {
    const id = await aTemplate(harness, service, { name: 'One' });
    await aTemplate(harness, service, { name: 'Two' });
    await run('pull');
    await change(id, { content: 'From the console' });
    edit('one.sms.md', 'Hello', 'Hallo');
    edit('two.sms.md', 'Hello', 'Hallo');
    expect(await run('push')).toEqual({
      code: 3,
      out: 'one.sms.md:1: The file has version 1, but somebody made version 2 on the server\n',
      err: 'Nothing was pushed. Pull and merge, or use --force to overwrite.\n',
    });
    expect(await versions()).toEqual({ One: 2, Two: 1 });
    expect((await run('push', '--force')).code).toBe(0);
    expect(await get(id)).toMatchObject({ content: 'Hallo ((name))', version: 3 });
    await change(id, { archived: true });
    edit('one.sms.md', 'Hallo', 'Hullo');
    expect((await run('push')).out).toContain('but somebody archived it (version 4) on the server');
  });

  it('refuses unknown ids and senders, channels that are not allowed, and names that exist: nothing is pushed', async () => {
    service = await aService(harness, { permissions: ['sms'] });
    const id = await aTemplate(harness, service, { name: 'Taken' });
    const other = await aTemplate(harness, await aService(harness), {});
    write('fine.sms.md', '---\nname: Fine\nchannel: sms\n---\nFine\n');
    const refusals: [string, string][] = [
      [
        `id: ${other}\nversion: 1\nname: X\nchannel: sms`,
        `The service has no template ${other}: use --new to create it`,
      ],
      [
        'name: Taken\nchannel: sms',
        `The server has another template of this name and channel: pull, or add id: ${id} and version: 1`,
      ],
      ['name: X\nchannel: sms\narchived: true', 'A new template cannot be archived'],
      [
        `id: ${id}\nversion: 1\nname: X\nchannel: email\nsubject: X`,
        'The channel cannot change: on the server it is sms',
      ],
      ['name: X\nchannel: email\nsubject: X', 'The service has no permission for email'],
      [`name: X\nchannel: sms\nsender: ${other}`, `sender ${other} does not exist in the service`],
    ];
    for (const [settings, text] of refusals) {
      write('x.md', `---\n${settings}\n---\nOther\n`);
      expect(await run('push')).toEqual({ code: 2, out: `x.md:1: ${text}\n`, err: 'Nothing was pushed.\n' });
    }
    expect(await versions()).toEqual({ Taken: 1 });
  });

  it('says what was pushed when the connection breaks, and goes on when it is run again', async () => {
    for (const name of ['a', 'b', 'c', 'd']) write(`${name}.sms.md`, `---\nname: ${name}\nchannel: sms\n---\nText\n`);
    const proxy = await breakingAfter(2);
    const first = await run('push', '--url', addressOf(proxy));
    expect(first.code).toBe(1);
    expect(first.out).toBe('Created a.sms.md\nCreated b.sms.md\n');
    expect(first.err).toMatch(
      /^Stopped at c\.sms\.md: Cannot reach http.*\n2 of 4 changes pushed\. Run it again to push the rest\.\n$/,
    );
    // The third was created, and only its response was lost.
    expect(await versions()).toEqual({ a: 1, b: 1, c: 1 });
    expect((await run('push')).out).toBe('Created d.sms.md\n1 template pushed, 3 unchanged.\n');
    expect(await versions()).toEqual({ a: 1, b: 1, c: 1, d: 1 });
    expect(frontMatter(read('c.sms.md'))).toContain('version: 1');
    proxy.close();
  });
});

describe('pennypost templates, with an API key', () => {
  async function runWithKey(...args: string[]) {
    const key = await anApiKey(harness, service, { manage_templates: true });
    return runCommand(['templates', ...args, '--url', url], { PENNYPOST_API_KEY: key });
  }

  it('makes one version of each of 30 changed templates, leaves the others alone, and changes nothing a second time', async () => {
    for (let index = 0; index < 33; index++) {
      await aTemplate(harness, service, { name: `Text ${index}`, created_by_id: user });
    }
    expect((await runWithKey('pull', folder)).out).toMatch(/33 files written, 0 unchanged\.\n$/);
    for (let index = 0; index < 30; index++) edit(`text-${index}.sms.md`, 'Hello', 'Dear');
    const { code, out, err } = await runWithKey('push', folder);
    expect([code, err, out]).toEqual([0, '', expect.stringMatching(/30 templates pushed, 3 unchanged\.\n$/)]);
    const after = await versions();
    for (let index = 0; index < 33; index++) expect(after[`Text ${index}`]).toBe(index < 30 ? 2 : 1);
    expect((await runWithKey('push', folder)).out).toBe('0 templates pushed, 33 unchanged.\n');
    expect(await versions()).toEqual(after);
  }, 180_000);

  it('creates and changes everything as one version, and refuses what the server would refuse', async () => {
    const sender = await aReplyTo(harness, service, 'letter');
    write('a.md', '---\nname: A\nchannel: letter\nsubject: S\n---\nText\n');
    expect((await runWithKey('push', folder)).out).toBe('Created a.md\n1 template pushed, 0 unchanged.\n');
    const id = /id: (\S+)/.exec(read('a.md'))?.[1] ?? '';
    edit(
      'a.md',
      'subject: S',
      `subject: T\nsender: ${sender}\nfolder: [One, Two]\npostage: first\nwelsh_subject: W\nwelsh_content: X`,
    );
    expect((await runWithKey('push', folder)).code).toBe(0);
    expect(await get(id)).toMatchObject({
      ...{ subject: 'T', reply_to: sender, postage: 'first', version: 2, letter_languages: 'welsh_then_english' },
      ...{ letter_welsh_subject: 'W', letter_welsh_content: 'X' },
    });
    expect(await runWithKey('diff', folder)).toEqual({ code: 0, out: '', err: '' });
    await change(id, { content: 'From the console' });
    expect((await runWithKey('pull', folder)).out).toBe('Wrote a.md\n1 file written, 0 unchanged.\n');
    edit('a.md', 'From', 'Not from');
    await change(id, { content: 'Again' });
    expect((await runWithKey('push', folder)).code).toBe(3);
    expect((await runWithKey('pull', folder)).out).toContain('Kept a.md');
    edit('a.md', sender, id);
    write('b.md', '---\nname: B\nchannel: sms\n---\nText\n');
    expect(await runWithKey('push', folder, '--force')).toEqual({
      code: 2,
      out: `a.md:1: sender_id ${id} does not exist in database for service id ${service}\n`,
      err: 'Nothing was pushed.\n',
    });
    expect(await versions()).toEqual({ A: 4 });
  });

  it('reads templates of any server of the protocol, and creates them in another service', async () => {
    await aTemplate(harness, service, {
      name: 'Letter',
      template_type: 'letter',
      postage: 'first',
      created_by_id: user,
    });
    await aTemplate(harness, service, { name: 'Text', content: 'One\r\ntwo', created_by_id: user });
    const key = await anApiKey(harness, service);
    const notify = await proxyTo(({ url: path = '' }) => (path.endsWith('/source') ? 'unknown' : 'pass'));
    const from = ['--url', addressOf(notify)];
    const pulled = await runCommand(['templates', 'pull', folder, ...from], { PENNYPOST_API_KEY: key });
    expect([pulled.code, filesIn(folder)]).toEqual([0, ['letter.letter.md', 'text.sms.md']]);
    expect(read('letter.letter.md')).toContain('postage: first\n---\nHello ((name))\n');
    edit('text.sms.md', 'One', '1');
    const refused = await runCommand(['templates', 'push', folder, ...from], { PENNYPOST_API_KEY: key });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('lets API keys only read templates')]);
    notify.close();
    service = await aService(harness);
    expect((await runWithKey('push', folder)).code).toBe(2);
    expect((await runWithKey('push', folder, '--new')).out).toMatch(/2 templates pushed, 0 unchanged\.\n$/);
    expect((await runWithKey('push', folder)).out).toBe('0 templates pushed, 2 unchanged.\n');
    expect(await versions()).toEqual({ Letter: 1, Text: 1 });
  });

  it('says that a key may not manage templates', async () => {
    const key = await anApiKey(harness, service);
    const { code, err } = await runCommand(['templates', 'pull', folder, '--url', url], { PENNYPOST_API_KEY: key });
    expect([code, err]).toEqual([1, 'This API key may not manage templates']);
    expect(filesIn(folder)).toEqual([]);
  });
});

describe('pennypost templates diff', () => {
  it('prints unified differences, and exits as diff does', async () => {
    await aTemplate(harness, service, { name: 'One', content: 'First\nSecond\u001b[2J' });
    const two = await aTemplate(harness, service, { name: 'Two' });
    await run('pull');
    edit('one.sms.md', 'First', '1st');
    rmSync(join(folder, 'two.sms.md'));
    write('new.sms.md', '---\nname: New\nchannel: sms\n---\nHi\n');
    const { code, out, err } = await run('diff');
    expect([code, err]).toEqual([1, '3 differences, 0 templates the same.\n']);
    expect(out).toContain(
      '--- server/one.sms.md\n+++ one.sms.md\n@@ -1,6 +1,6 @@\n ---\n name: One\n channel: sms\n ---\n-First\n+1st\n Second�[2J\n',
    );
    expect(out).toContain('--- /dev/null\n+++ new.sms.md\n');
    expect(out).toContain(`--- server/${two}\n+++ /dev/null\n`);
    expect(await run('diff', '--service', user)).toMatchObject({ code: 2, err: 'No result found\n' });
    write('new.sms.md', 'nothing');
    expect(await run('diff')).toMatchObject({ code: 2, err: 'Correct these files first.\n' });
  });
});

async function aFolderOnServer(name: string, parent_id: string | null): Promise<string> {
  return (await harness.admin('POST', `/service/${service}/template-folder`, { name, parent_id })).body.data.id;
}

async function change(id: string, body: object): Promise<void> {
  expect((await harness.admin('POST', `/service/${service}/template/${id}`, body)).status).toBe(200);
  expect((await selectTemplateVersions(harness.app.db, id, service))[0]?.version).toBeGreaterThan(1);
}

/** Cuts the connection after so many requests that write: the server carries out one more. */
function breakingAfter(writes: number): Promise<Server> {
  let count = 0;
  return proxyTo(({ method }) => {
    if (method === 'POST') count += 1;
    return count > writes ? 'cut' : 'pass';
  });
}

/** Passes requests on; `cut` loses the response, and another server does not know `changes_version`. */
async function proxyTo(
  decide: (request: IncomingMessage) => 'pass' | 'cut' | 'unknown' | 'other-server',
): Promise<Server> {
  const proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET', headers } = request;
    const decision = decide(request);
    const body = Buffer.concat(chunks).toString();
    const answer = await fetch(url + request.url, {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: decision === 'other-server' ? withoutVersion(body) : body }),
    });
    if (decision === 'cut') request.socket.destroy();
    else if (decision === 'unknown') response.writeHead(404).end('{}');
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

function withoutVersion(body: string): string {
  const { changes_version: _, ...rest } = JSON.parse(body);
  return JSON.stringify(rest);
}

/** Answers as GC Notify does: no sources, and categories and folders only for a key that can manage templates. */
async function aGcServer(templates: object[], managed?: Record<string, object>) {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const send = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    const id = /^\/v2\/manage-template\/(.+)$/.exec(path)?.[1];
    if (path === '/v2/templates') return send(200, { templates });
    if (id && !managed) return send(403, { status_code: 403, errors: [{ error: 'ForbiddenError', message: 'No' }] });
    const record = id === undefined ? undefined : managed?.[id];
    return record ? send(200, record) : send(404, { result: 'error', message: 'Not found' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: addressOf(server), close: () => server.close() };
}

const gcTemplates = [
  {
    ...{ id: '3a1f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c11', type: 'email', name: 'Welcome', version: 7, subject: 'Bonjour' },
    ...{ body: '[[fr]]**Bonjour** ((name))[[/fr]]', postage: null },
  },
  {
    ...{ id: '4b1f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c12', type: 'sms', name: 'Code', version: 2, subject: null },
    ...{ body: 'Code ((code))', postage: null },
  },
] as const;
const [welcome, codeTemplate] = gcTemplates;
const gcKey = (of: string) => `gcntfy-old-${of}-5c1f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c13`;

describe('moving from GC Notify', () => {
  it('pulls category and folder with a key that may manage templates, and pushes under the same ids', async () => {
    const gc = await aGcServer([...gcTemplates], {
      [welcome.id]: {
        ...{ id: welcome.id, template_category_id: '977e2a00-f957-4ff0-92f2-ca3286b24786' },
        folder_id: 'aabbccdd-54a1-4b3e-8f4e-0d3f0a5d7c11',
      },
      [codeTemplate.id]: { id: codeTemplate.id, template_category_id: null, folder_id: null },
    });
    const pulled = await runCommand(['templates', 'pull', folder, '--url', gc.url], {
      PENNYPOST_API_KEY: gcKey(service),
    });
    gc.close();
    expect([pulled.code, pulled.out]).toEqual([0, expect.stringContaining('2 files written')]);
    const file = join('folder-aabbccdd', 'welcome.email.md');
    expect(frontMatter(read(file))).toContain('process_type: priority\ncategory: Confirmation');
    const key = await anApiKey(harness, service, { manage_templates: true });
    const push = (...flags: string[]) =>
      runCommand(['templates', 'push', folder, '--url', url, ...flags], { PENNYPOST_API_KEY: key });
    expect((await push('--keep-ids')).err).toContain('Use --keep-ids together with --new.');
    expect((await push('--new', '--keep-ids', '--dry-run')).out).toContain('2 templates would change');
    expect((await push('--new', '--keep-ids')).out).toContain('2 templates pushed');
    const source = await harness.v2('GET', `/v2/template/${welcome.id}/source`, key);
    expect(source.body).toMatchObject({ name: 'Welcome', process_type: 'priority', folder: ['folder-aabbccdd'] });
    expect(frontMatter(read(file))).toContain(`id: ${welcome.id}\nversion: 1`);
    expect((await push('--new', '--keep-ids')).out).toBe('0 templates pushed, 2 unchanged.\n');
    expect((await run('push')).out).toBe('0 templates pushed, 2 unchanged.\n');
    edit(file, 'category: Confirmation\n', '');
    expect((await push()).out).toContain('1 template pushed');
    edit(file, 'process_type: priority', 'category: Nonsense');
    expect((await push()).out).toContain('category must be one of General communication');
  });

  it('pulls texts with any other key, and refuses an id that another service has', async () => {
    const gc = await aGcServer([codeTemplate]);
    await runCommand(['templates', 'pull', folder, '--url', gc.url], { PENNYPOST_API_KEY: gcKey(service) });
    gc.close();
    expect(frontMatter(read('code.sms.md'))).not.toMatch(/category|folder/);
    const key = await anApiKey(harness, service, { manage_templates: true });
    const flags = ['--url', url, '--new', '--keep-ids'];
    const { code, out } = await runCommand(['templates', 'push', folder, ...flags], { PENNYPOST_API_KEY: key });
    expect([code, out]).toEqual([2, expect.stringContaining('id Already in use.')]);
  });

  it('imports an export of several services with the admin API, once', async () => {
    const other = await aService(harness, { created_by_id: user });
    const row = (id: string, service_id: string, name: string, more = {}) => ({
      ...{ id, service_id, name, template_type: 'email', content: 'Hello', subject: 'Hi', version: 3 },
      ...more,
    });
    const ids = ['61', '62', '63', '64'].map((start) => `${start}1f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c11`);
    const [one = '', two = '', three = '', four = ''] = ids;
    write(
      'export.json',
      JSON.stringify([
        row(one, service, 'One', { template_category_id: 'e81678c0-4897-4111-b9d0-172f6b595f89' }),
        row(two, other, 'Two', { process_type: 'priority' }),
        row(three, service, 'Deleted', { archived: true }),
      ]),
    );
    const start = (...more: string[]) =>
      runCommand(['templates', 'import', join(folder, 'export.json'), '--url', url, '--user', user, ...more], {
        PENNYPOST_ADMIN_SECRET: adminSecret,
      });
    expect((await start('--dry-run')).out).toContain('2 templates would be imported');
    expect((await start()).out).toContain('2 templates imported, 0 there already.');
    expect(await get(one)).toMatchObject({ process_type: 'bulk', version: 1, subject: 'Hi' });
    expect((await harness.admin('GET', `/service/${other}/template/${two}`)).body.data.process_type).toBe('priority');
    expect((await start()).out).toContain('0 templates imported, 2 there already.');
    write('export.json', JSON.stringify({ templates: [{ ...welcome, id: four }] }));
    expect((await start()).err).toContain('add --service');
    const key = await anApiKey(harness, service, { manage_templates: true });
    const path = join(folder, 'export.json');
    const withKey = await runCommand(['templates', 'import', path, '--url', url], { PENNYPOST_API_KEY: key });
    expect(withKey.out).toContain('1 template imported');
    write('export.json', JSON.stringify([row(two, other, 'Two')]));
    expect((await runCommand(['templates', 'import', path, '--url', url], { PENNYPOST_API_KEY: key })).out).toContain(
      '1 of other services left out',
    );
    for (const [text, sentence] of [
      ['{', 'is not JSON'],
      ['{}', 'must be a list of templates'],
      ['[1]', 'has no id'],
      [JSON.stringify([{ id: one, name: 'X', type: 'fax', body: '' }]), 'has no channel'],
      [JSON.stringify([{ id: one, name: 'X', type: 'sms' }]), 'has no name or no text'],
    ] as const) {
      write('export.json', text);
      expect((await start('--service', service)).err).toContain(sentence);
    }
  });

  it('imports nothing if one template is refused', async () => {
    const taken = await aTemplate(harness, await aService(harness));
    const fine = '711f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c11';
    const text = { type: 'sms', body: 'Hello' };
    write(
      'export.json',
      JSON.stringify([
        { id: fine, name: 'Fine', ...text },
        { id: taken, name: 'Taken', ...text },
      ]),
    );
    const key = await anApiKey(harness, service, { manage_templates: true });
    const args = ['templates', 'import', join(folder, 'export.json'), '--url', url];
    const { code, out } = await runCommand(args, { PENNYPOST_API_KEY: key });
    expect([code, out]).toEqual([2, expect.stringContaining('"Taken"')]);
    expect((await harness.v2('GET', `/v2/template/${fine}`, key)).status).toBe(404);
  });

  it('previews with warnings about what would look otherwise', async () => {
    const email = (content: string) => `---\nname: A${content.length}\nchannel: email\nsubject: S\n---\n${content}\n`;
    write('crossed.email.md', email('[[en]]one[[fr]]two[[/en]]three[[/fr]]'));
    write('bold.email.md', email('some **bold** words'));
    write('fine.email.md', email('[[en]]snake_case and 2*3*4[[/en]]'));
    write('long.sms.md', `---\nname: Long\nchannel: sms\n---\n${'x'.repeat(613)}\n`);
    write('file.email.md', email('see ((doc))'));
    write('values.json', JSON.stringify({ doc: { file: 'eA==', filename: 'x.txt', sending_method: 'attach' } }));
    const start = async (...flags: string[]) => {
      const args = [
        'templates',
        'preview',
        folder,
        '--out',
        aFolder(),
        '--values',
        join(folder, 'values.json'),
        ...flags,
      ];
      const { out } = await runCommand(args);
      return [...out.matchAll(/^(\S+)\.md:.*\n {2}warning: (.*)$/gm)].map(([, file, text]) => `${file}: ${text}`);
    };
    expect(await start()).toEqual([]);
    expect(await start('--dialect', 'gc')).toEqual([
      'crossed.email: language tags that are not closed, or not in order, stay visible',
      'file.email: ((doc)) stays empty, because its file is attached',
      'long.sms: 613 characters, and at most 612 can be sent',
    ]);
    expect(await start('--dialect', 'govuk')).toEqual([
      expect.stringContaining('bold.email: bold and italic'),
      expect.stringContaining('crossed.email: language tags'),
      expect.stringContaining('file.email: ((doc))'),
    ]);
    const args = ['templates', 'preview', folder, '--out', aFolder(), '--dialect', 'klingon'];
    expect((await runCommand(args)).err).toContain('Unknown dialect');
  });
});

describe('pennypost templates check', () => {
  const check = (...flags: string[]) => runCommand(['templates', 'check', folder, ...flags]);

  it('prints hints, and fails with --strict only', async () => {
    write(
      'news.email.md',
      '---\nname: News\nchannel: email\nsubject: News\nprocess_type: bulk\n---\nSee https://bit.ly/a\n',
    );
    write('fine.sms.md', '---\nname: Fine\nchannel: sms\n---\nYour permit is ready.\n');
    const { code, out } = await check();
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'news.email.md: People cannot see where bit.ly leads, and networks block texts with it. Write the address in full. (link-shortener)',
        'news.email.md: People must be able to stop emails that go to many. Switch the unsubscribe link on. (no-unsubscribe)',
        '2 hints in 2 templates.',
        '',
      ].join('\n'),
    );
    const strict = await check('--strict');
    expect([strict.code, strict.err]).toEqual([1, '2 hints in 2 templates.\n']);
  });

  it('counts the prefix of texts, if it is known', async () => {
    write('long.sms.md', `---\nname: Long\nchannel: sms\n---\n${'a'.repeat(155)}\n`);
    expect((await check('--strict')).code).toBe(0);
    const { code, out } = await check('--strict', '--service-name', 'Town Hall');
    expect([code, out]).toEqual([1, 'long.sms.md: Remove 6 characters to save a part. (save-a-part)\n']);
  });

  it('fails for a broken file, and for an unknown dialect', async () => {
    write('broken.sms.md', '---\nname: X\nchannel: fax\n---\n');
    const { code, out } = await check();
    expect([code, out]).toEqual([2, expect.stringContaining('broken.sms.md:3: channel must be one of')]);
    expect((await check('--dialect', 'klingon')).err).toContain('Unknown dialect');
  });
});

describe('pennypost doctor --gc-key-file', () => {
  it('says what applications with a key will miss', async () => {
    const moved = '8c1f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c13';
    const template = { ...welcome, id: '9a1f6a0e-54a1-4b3e-8f4e-0d3f0a5d7c11' };
    const gc = await aGcServer([template]);
    const path = join(folder, 'key');
    const examine = () =>
      runCommand(['doctor', '--gc-key-file', path, '--url', gc.url], {
        BASE_URL: url,
        DATABASE_URL: String(harness.app.pool.options.connectionString),
        SECRET_KEY: 'secret-key-of-the-test-kit-which-is-long-enough',
        ADMIN_CLIENT_SECRETS: adminSecret,
        DATA_DIR: folder,
      });
    write('key', `${gcKey(moved)}\n`);
    expect(await examine()).toMatchObject({
      err: '',
      code: 1,
      out: expect.stringContaining(`no service ${moved} here`),
    });
    await harness.admin('POST', '/service', { id: moved, name: 'Moved here', user_id: user });
    const before = await examine();
    expect(before.code).toBe(1);
    expect(before.out).toContain('PROBLEM  dialect');
    expect(before.out).toContain('PROBLEM  key          the key does not work here');
    expect(before.out).toContain(`template ${template.id} "Welcome" is missing`);
    expect(before.out).toMatch(/warning {2}senders .*text message sender/);
    await harness.admin('POST', `/service/${moved}`, { api_dialect: 'gc' });
    const secret = gcKey(moved).slice(-36);
    const importKey = (at: string, ...flags: string[]) =>
      runCommand(['import-key', path, '--url', at, ...flags], { PENNYPOST_ADMIN_SECRET: adminSecret });
    expect((await importKey(url, '--user', user)).err).toContain('IMPORT_KEYS is off');
    expect((await importKey(url)).err).toContain('Add --user');
    expect((await importKey(url, '--user', user, '--type', 'live')).err).toContain('Unknown type');
    const importing = await harness.anotherProcess({ auth: { importKeys: true } });
    await importing.http.listen({ port: 0, host: '127.0.0.1' });
    const imported = await importKey(addressOf(importing.http.server), '--user', user);
    expect([imported.code, imported.out]).toEqual([0, expect.stringContaining('Imported the key "old"')]);
    expect(imported.out).not.toContain(secret);
    expect((await harness.v2('GET', '/v2/templates', gcKey(moved))).status).toBe(200);
    await harness.admin('POST', `/service/${moved}/template`, {
      ...{ id: template.id, name: 'Welcome', template_type: 'email', subject: 'S', content: 'C', created_by: user },
    });
    const after = await examine();
    expect([after.code, after.out]).toEqual([0, expect.stringContaining('1 of 1 can be sent with the same id')]);
    expect(after.out).not.toContain(secret);
    gc.close();
    write('key', 'nonsense');
    expect((await examine()).err).toContain('The API key is incomplete');
    expect((await runCommand(['doctor', '--url', url])).err).toContain('Use --url together with --gc-key-file.');
  });
});
