import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { settings } from '../src/config.ts';
import { signatureHeaders } from '../src/delivery/callback-request.ts';
import { ensureDemo } from '../src/operations/demo.ts';
import { useHarness } from './kit/harness.ts';

/** What the documents say is true: their commands work, their paths exist, their settings are ours. */

interface Block {
  document: string;
  language: string;
  /** After the language: `run`, or `answer` for what the block before is answered with. */
  mark: string | undefined;
  text: string;
}

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(path));
const documents = tracked.filter((path) => path.endsWith('.md'));

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

function blocksOf(document: string): Block[] {
  return [...read(document).matchAll(/^```(\w*)(?: (run|answer))?\n(.*?)^```$/gms)].map(
    ([, language = '', mark, text = '']) => ({
      ...{ document, language, text },
      mark,
    }),
  );
}

const blocks = documents.flatMap(blocksOf);
const harness = useHarness();
const execute = promisify(execFile);
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  const address = await harness.http.listen({ port: 0, host: '127.0.0.1' });
  const { api_key, templates } = await ensureDemo(harness.app);
  environment = {
    ...process.env,
    PENNYPOST: address,
    API_KEY: api_key,
    SMS_TEMPLATE: templates.sms,
    EMAIL_TEMPLATE: templates.email,
    LETTER_TEMPLATE: templates.letter,
  };
});

async function run({ language, text }: Block): Promise<string> {
  // Clients sign with the time of day.
  harness.clock.set(new Date());
  const command = language === 'js' ? [process.execPath, '--input-type=module', '-e', text] : ['sh', '-ec', text];
  const [program = '', ...words] = command;
  return (await execute(program, words, { env: environment })).stdout;
}

/** The keys of a value, all the way down. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return 'value';
  if (Array.isArray(value)) return value.map(shapeOf);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

describe('commands', () => {
  it.each(blocks.filter(({ mark }) => mark === 'run'))('$document: $text', async (block) => {
    const output = await run(block);
    expect(output).not.toBe('');
    const next = blocks[blocks.indexOf(block) + 1];
    if (next?.mark === 'answer') {
      expect(shapeOf(JSON.parse(output))).toEqual(shapeOf(JSON.parse(next.text)));
    }
    if (block.document === 'docs/operations/scaling.md') expect(read(block.document)).toContain(output);
  });

  it('JSON that is shown is JSON', () => {
    for (const { text } of blocks.filter(({ language }) => language === 'json')) JSON.parse(text);
  });

  it('the check of a callback’s signature takes ours, and nothing that was changed', async () => {
    const block = blocks.find(({ text }) => text.includes('export function isGenuine'));
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-guide-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'guide.mjs'), block?.text ?? '');
    const { isGenuine } = await import(pathToFileURL(join(folder, 'guide.mjs')).href);
    const callback = { id: 'one', url: 'https://example.org', bearer_token: 'token-of-the-service', body: '{"a":1}' };
    const headers = signatureHeaders(callback, new Date());
    expect(isGenuine(headers, callback.body, callback.bearer_token)).toBe(true);
    expect(isGenuine(headers, '{"a":2}', callback.bearer_token)).toBe(false);
    expect(isGenuine(headers, callback.body, 'another-token')).toBe(false);
    expect(isGenuine(signatureHeaders(callback, new Date(0)), callback.body, callback.bearer_token)).toBe(false);
  });
});

describe('names', () => {
  it('every link leads to a file', () => {
    const broken = documents.flatMap((document) =>
      [...read(document).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(dirname(document), target)))
        .map((target) => `${document}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('every path exists', () => {
    const made = ['bench/results/latest.json'];
    const path = /`((?:src|test|docs|bench|migrations|packaging|scripts)\/[\w./*<>-]*)`/g;
    const missing = documents.flatMap((document) =>
      [...read(document).matchAll(path)]
        .map(([, name = '']) => name)
        // `letter-branding.*` stands for the files that begin so.
        .filter((name) => !made.includes(name) && !tracked.some((file) => file.startsWith(name.replace(/\*.*$/, ''))))
        .map((name) => `${document}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('a file that is named without its folder is beside the one named before it in the line, or else anywhere', () => {
    // `x.ts` and its like stand for any noun.
    const name = /`(?!x\.)([\w./-]+\.(?:ts|mjs|sql|\*))`/g;
    const missing = documents.flatMap((document) =>
      read(document)
        .split('\n')
        .flatMap((line) => {
          let folder = '';
          return [...line.matchAll(name)].flatMap(([, file = '']) => {
            if (file.includes('/')) folder = dirname(file);
            const end = `/${basename(file).replace('*', '')}`;
            if (tracked.some((path) => path.startsWith(folder) && path.includes(end))) return [];
            return `${document}: ${file}`;
          });
        }),
    );
    expect(missing).toEqual([]);
  });

  it('every setting is one of ours', () => {
    const files = tracked.filter((file) => file.endsWith('.md') || /^(compose\.yaml|packaging\/)/.test(file));
    const ofOthers = /^(POSTGRES_|NODE_|PENNYPOST_|BENCH_)/;
    const unknown = files.flatMap((file) => {
      const text = read(file);
      const ownVariables = [...text.matchAll(/^export (.*)$/gm)].flatMap(
        ([, line = '']) => line.match(/\w+(?==)/g) ?? [],
      );
      const named = [
        ...text.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[^`]*`|^\s*-?\s*([A-Z][A-Z0-9]*_[A-Z0-9_]+)[:=]/gm),
      ];
      return named
        .map(([, quoted, assigned]) => (quoted ?? assigned ?? '').replace(/_FILE$/, ''))
        .filter((name) => !(name in settings) && !ownVariables.includes(name) && !ofOthers.test(name))
        .map((name) => `${file}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});
