import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../test/kit/process/run-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pennypost-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Uint8Array): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** No server: a folder with a broken file must not even ask for one. */
function push() {
  const id = '5f0bfa1d-0d6e-4cbe-a9d0-2f8e4a1b6f6a';
  const flags = ['--service', id, '--user', id, '--url', 'http://127.0.0.1:1'];
  return runCommand(['templates', 'push', folder, ...flags], { PENNYPOST_ADMIN_SECRET: 'secret' });
}

const sms = '---\nname: X\nchannel: sms\n';
const inFrench = `${sms}languages:\n  default: en\n  variants:\n    - language: fr\n      content: A\n`;
const many = Array.from(
  { length: 51 },
  (_, index) => `q${String.fromCharCode(97 + (index % 20), 97 + Math.floor(index / 20))}`,
);

const id = '0b1f3a9c-5d5c-4f6e-9a43-6c1f0c7f2a10';

describe('pennypost templates push, of a folder with a broken file', () => {
  it.each([
    [
      'no front matter',
      'Hello',
      'x.md:1: The file must start with a line of ---, the settings, and another line of ---',
    ],
    ['front matter without an end', '---\nname: X\nHello', 'x.md:1: The file must start with a line of ---, '],
    ['empty settings', '---\n---\nHello', 'x.md:2: The settings must be lines such as name: Welcome'],
    ['YAML that is none', '---\nname: [X\n---\n', 'x.md:3: '],
    ['the same key twice', '---\nname: X\nname: Y\nchannel: sms\n---\n', 'x.md:3: Map keys must be unique'],
    ['an unknown key', '---\nname: X\nchannel: sms\nsubjekt: X\n---\n', 'x.md:4: Unknown setting subjekt'],
    ['no name', '---\nchannel: sms\n---\n', 'x.md:1: name is missing'],
    ['a blank name', '---\nname: " "\nchannel: sms\n---\n', 'x.md:2: name is empty'],
    [
      'a name of 256',
      `---\nname: ${'n'.repeat(256)}\nchannel: sms\n---\n`,
      'x.md:2: name is longer than 255 characters',
    ],
    [
      'a number for a name',
      '---\nname: 2026\nchannel: sms\n---\n',
      'x.md:2: name must be text: put it in quotation marks',
    ],
    ['no channel', '---\nname: X\n---\n', 'x.md:1: channel is missing: sms, email, letter'],
    ['an unknown channel', '---\nname: X\nchannel: fax\n---\n', 'x.md:3: channel must be one of sms, email, letter'],
    ['no subject', '---\nname: X\nchannel: email\n---\n', 'x.md:1: subject is missing'],
    ['a blank subject', '---\nname: X\nchannel: letter\nsubject: ""\n---\n', 'x.md:4: subject is missing'],
    ['a subject of a text', '---\nname: X\nchannel: sms\nsubject: X\n---\n', 'x.md:4: Text messages have no subject'],
    ['postage of a text', '---\nname: X\nchannel: sms\npostage: first\n---\n', 'x.md:4: Only letters have postage'],
    [
      'unknown postage',
      '---\nname: X\nchannel: letter\nsubject: X\npostage: third\n---\n',
      'x.md:5: postage must be one of first, second, economy',
    ],
    [
      'half of the Welsh',
      '---\nname: X\nchannel: letter\nsubject: X\nwelsh_subject: X\n---\n',
      'x.md:5: welsh_content is missing: a letter in Welsh needs both',
    ],
    [
      'an unsubscribe link of a text',
      '---\nname: X\nchannel: sms\nhas_unsubscribe_link: true\n---\n',
      'x.md:4: Only emails have an unsubscribe link',
    ],
    [
      'a flag that is none',
      '---\nname: X\nchannel: sms\narchived: "yes"\n---\n',
      'x.md:4: archived must be true or false',
    ],
    [
      'an id that is none',
      '---\nid: 7\nname: X\nchannel: sms\n---\n',
      'x.md:2: id must be text: put it in quotation marks',
    ],
    ['a sender that is none', '---\nname: X\nchannel: sms\nsender: me\n---\n', 'x.md:4: sender is not a valid UUID'],
    [
      'version 0',
      `---\nid: ${id}\nversion: 0\nname: X\nchannel: sms\n---\n`,
      'x.md:3: version must be a whole number from 1',
    ],
    [
      'a version alone',
      '---\nversion: 1\nname: X\nchannel: sms\n---\n',
      'x.md:2: version needs the id of the template',
    ],
    [
      'a folder without a name',
      '---\nname: X\nchannel: sms\nfolder: [A, ""]\n---\n',
      'x.md:4: folder must be a name, or a list',
    ],
    ['an alias', '---\nname: &x X\nchannel: sms\nfolder: *x\n---\n', 'x.md:4: folder must be a name, or a list'],
    [
      'languages that are a word',
      `${sms}languages: fr\n---\n`,
      'x.md:4: languages must be lines of settings inside it',
    ],
    [
      'no other text',
      `${sms}languages:\n  default: en\n---\n`,
      'x.md:4: variants is missing: the texts in other languages',
    ],
    ['an unknown key in languages', `${inFrench}      text: B\n---\n`, 'x.md:9: Unknown setting text'],
    [
      'an unknown key above the texts',
      inFrench.replace('  default', '  colour: red\n  default').concat('---\n'),
      'x.md:5: Unknown setting colour',
    ],
    [
      'no own language',
      inFrench.replace('  default: en\n', '').concat('---\n'),
      'x.md:4: default is missing: a language tag, such as fr or fr-CA',
    ],
    [
      'a language that is none',
      `${inFrench}    - language: f\n      content: X\n---\n`,
      'x.md:9: language must be a language tag, such as fr or fr-CA',
    ],
    [
      'a language twice',
      `${inFrench}    - content: X\n      language: FR\n---\n`,
      'x.md:10: The template has two texts in fr',
    ],
    [
      'its own language',
      `${inFrench}    - language: en\n      content: X\n---\n`,
      'x.md:9: The template has two texts in en',
    ],
    ['no text in a language', `${inFrench}    - language: de\n---\n`, 'x.md:9: content is missing'],
    [
      'a list of words',
      `${sms}languages:\n  default: en\n  variants: [fr]\n---\n`,
      'x.md:6: variants must be a list of settings',
    ],
    [
      'a flag that is text',
      `${inFrench}  refuse_unknown: "yes"\n---\n`,
      'x.md:9: refuse_unknown must be true or false',
    ],
    ['a long field', `${inFrench}  field: ${'f'.repeat(256)}\n---\n`, 'x.md:9: field is longer than 255 characters'],
    [
      'a number for a text',
      inFrench.replace('A', '7').concat('---\n'),
      'x.md:8: content must be text: put it in quotation marks',
    ],
    ['a subject of a text in French', `${inFrench}      subject: S\n---\n`, 'x.md:9: Text messages have no subject'],
    [
      'no subject in French',
      inFrench.replace('sms', 'email\nsubject: S').concat('---\n'),
      'x.md:8: subject is missing',
    ],
    [
      'a long text in French',
      inFrench.replace('A', 'x'.repeat(919)).concat('---\n'),
      'x.md:8: The message is too long',
    ],
    [
      '51 languages',
      `${sms}languages:\n  default: en\n  variants:\n${many.map((tag) => `    - {language: ${tag}, content: X}\n`).join('')}---\n`,
      'x.md:6: variants has more than 50 texts',
    ],
    [
      'French beside Welsh',
      inFrench
        .replace('sms', 'letter\nsubject: S\nwelsh_subject: X\nwelsh_content: X')
        .replace('A', 'A\n      subject: S')
        .concat('---\n'),
      'x.md:7: A letter in Welsh then English has no other languages',
    ],
    ['a long text message', `---\nname: X\nchannel: sms\n---\n${'x'.repeat(919)}\n`, 'x.md:1: The message is too long'],
    ['Latin-1', Buffer.from('---\nname: Zo\xeb\nchannel: sms\n---\n', 'latin1'), 'x.md:1: The file is not UTF-8'],
    ['5 MB', Buffer.alloc(5_000_000, 'x'), 'x.md:1: The file is larger than 4 MB'],
  ])('pushes nothing: %s', async (_, content, problem) => {
    write('a.sms.md', '---\nname: Fine\nchannel: sms\n---\nFine\n');
    write('x.md', content);
    const { code, out, err } = await push();
    expect([code, err]).toEqual([2, 'Nothing was pushed.\n']);
    expect(out.startsWith(problem)).toBe(true);
    expect(out.split('\n')).toHaveLength(2);
  });

  it('reports the problems of all files at once', async () => {
    write('deep/er/one.sms.md', `---\nid: ${id}\nname: A\nchannel: sms\n---\n`);
    write('deep/two.sms.md', `---\nid: ${id.toUpperCase()}\nname: B\nchannel: sms\n---\n`);
    write('new-1.email.md', '---\nname: Same\nchannel: email\nsubject: X\n---\n');
    write('new-2.email.md', '---\nname: Same\nchannel: email\nsubject: Y\n---\n');
    write('other.letter.md', '---\nname: Same\nchannel: email\nsubject: Y\ncolour: red\n---\n');
    write('README.md', 'About these templates');
    write('.git/x.md', 'Not a template');
    expect(await push()).toEqual({
      code: 2,
      out:
        'other.letter.md:5: Unknown setting colour\n' +
        'other.letter.md:3: channel is email, but the name of the file ends in .letter.md\n' +
        'deep/two.sms.md:1: The same id as in deep/er/one.sms.md\n' +
        'new-2.email.md:1: The same name and channel as new-1.email.md: "Same"\n',
      err: 'Nothing was pushed.\n',
    });
  });
});

describe('pennypost templates', () => {
  it('says what is missing', async () => {
    const run = (...args: string[]) => runCommand(['templates', ...args]);
    expect((await run('pull')).err).toBe('Usage: pennypost templates <pull|diff|push|preview|import> <folder>');
    expect((await run('merge', folder)).err).toBe(
      'Unknown action "merge". Use one of pull, diff, push, check, preview, import.',
    );
    expect((await run('push', folder, '--service', 'x')).err).toBe(
      'x is not the id of a service. Give --service an id.',
    );
    expect((await run('push', folder, '--service', id)).err).toContain('Set PENNYPOST_ADMIN_SECRET');
    expect((await run('preview', folder)).err).toBe('Add --out with the folder for the messages.');
    expect((await run('preview', join(folder, 'none'), '--out', folder)).err).toContain('none is not a folder.');
  });
});

describe('pennypost templates preview', () => {
  it('renders every channel to files, without a server', async () => {
    write(
      'a/hello.email.md',
      '---\nname: A\nchannel: email\nsubject: Hi ((name))\nhas_unsubscribe_link: true\n---\n# ((name)) & co\n',
    );
    write('code.sms.md', `---\nname: B\nchannel: sms\n---\nŵ ${'x'.repeat(80)} ((code))\n`);
    write(
      'pay.letter.md',
      '---\nname: C\nchannel: letter\nsubject: Pay\nwelsh_subject: Talu\nwelsh_content: Nawr\n---\nNow\n',
    );
    write(
      'values.json',
      '{"name": "Ada <b>", "address_line_1": "Ada", "address_line_2": "1 Street", "address_line_3": "SW1A 1AA"}',
    );
    const out = join(folder, 'out');
    const result = await runCommand([
      ...['templates', 'preview', folder, '--out', out, '--values', join(folder, 'values.json')],
      ...['--service-name', 'Tax'],
    ]);
    expect(result).toEqual({
      code: 0,
      out: 'a/hello.email.md: Hi Ada <b>\ncode.sms.md: 96 characters, 2 parts; no value for code\npay.letter.md: 2 pages\n',
      err: '',
    });
    const read = (name: string) => readFileSync(join(out, name));
    expect(read('a/hello.email.html').toString()).toContain('Ada &lt;b&gt; &amp; co</h2>');
    expect(read('a/hello.email.html').toString()).toContain('https://example.org/unsubscribe');
    expect(read('a/hello.email.txt').toString()).toMatch(/^Subject: Hi Ada <b>\n\n/);
    expect(read('code.sms.txt').toString()).toMatch(/^Tax: ŵ x+ \(\(code\)\)\n$/);
    expect(JSON.parse(read('code.sms.json').toString())).toMatchObject({ encoding: 'ucs2', fragments: 2 });
    expect(read('pay.letter.pdf').subarray(0, 5).toString()).toBe('%PDF-');
    for (const page of [1, 2]) expect(read(`pay.letter.page-${page}.png`).subarray(1, 4).toString()).toBe('PNG');
    expect(existsSync(join(out, 'pay.letter.page-3.png'))).toBe(false);
    await runCommand(['templates', 'preview', folder, '--out', out]);
    expect(read('code.sms.txt').toString()).toMatch(/^ŵ x+ \(\(code\)\)\n$/);
    write('values.json', '[]');
    const wrong = await runCommand([
      'templates',
      'preview',
      folder,
      '--out',
      out,
      '--values',
      join(folder, 'values.json'),
    ]);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('must be a JSON object')]);
  });
});
