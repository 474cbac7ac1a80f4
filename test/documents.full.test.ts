import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { signatureHeaders } from '../src/delivery/callbacks/callback-request.ts';
import { ensureDemo } from '../src/operations/demo.ts';
import { settingNames } from './kit/generate/describe-settings.ts';
import { useHarness } from './kit/harness.ts';
import { cloneDatabase } from './kit/process/database.ts';
import { processEnvironment } from './kit/process/process-environment.ts';
import { repositoryFiles } from './kit/repository-files.ts';

/** The documents are correct: their commands work, and their paths and settings exist. */

interface Block {
  document: string;
  language: string;
  /** After the language: `run`, or `answer` for the response to the block before. */
  mark: string | undefined;
  text: string;
}

const everyFile = repositoryFiles();
const documents = everyFile.filter((path) => path.endsWith('.md'));

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
  // Clients sign with the real time.
  harness.clock.set(new Date());
  const command = language === 'js' ? [process.execPath, '--input-type=module', '-e', text] : ['sh', '-ec', text];
  const [program = '', ...words] = command;
  return (await execute(program, words, { env: environment })).stdout;
}

/** The keys of a value, recursively. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return 'value';
  if (Array.isArray(value)) return value.map(shapeOf);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

/** Beginnings of blocks that are not run as they are, and what runs them, or why nothing does. */
const runElsewhere = [
  ['npm start', 'test/ready.full.test.ts'],
  ['npm test', 'runs this'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT=', 'src/commands/read-config.test.ts'],
  ['pennypost doctor', 'below'],
  ['COUNTRY', 'src/commands/country.test.ts'],
  ['pennypost country change', 'src/operations/country/change-zone.test.ts'],
  ['pennypost letters grid', 'src/commands/letters.test.ts'],
  ['pennypost holidays import', 'src/letters/print/days-without-printing.test.ts'],
  ['pennypost rates import', 'src/billing/rates-abroad.full.test.ts'],
  ['pennypost console-link', 'test/main.full.test.ts'],
  ['pennypost create-admin', 'test/main.full.test.ts'],
  ['pennypost send', 'src/commands/send.full.test.ts'],
  ['pennypost import-key', 'src/commands/templates.full.test.ts'],
  ['DATA_DIR=/new/data pennypost restore', 'below'],
  ['mkdir -m 700 secrets', 'below, up to docker'],
  ['docker build', 'needs Docker; `demo` is run by test/main.full.test.ts'],
  ['export PENNYPOST_API_KEY', 'src/commands/templates.full.test.ts'],
  ['export PENNYPOST', 'the environment that the others get'],
  ['import { createHmac', 'below'],
  ['import { spawn }', 'test/sandbox.full.test.ts'],
  ['show: (request, formState) => ({', 'src/console/file-forms.test.tsx has the same page'],
  ['const binds = new Binds(', 'src/delivery/providers/smpp/smpp.ts, in the same way'],
  ['const { header, batches, encoding }', 'test/kit/samples/read-spreadsheet.ts, in the same way'],
  ['const postgres = await startEmbeddedPostgres', 'src/libraries/embedded-postgres/embedded-postgres.full.test.ts'],
  ['import os', 'needs Python: npm run test:clients'],
  ['PENNYPOST=http', 'test/notify-front-end.full.test.ts'],
  ['swaks', 'needs swaks: npm run test:clients'],
  ['NotificationClient client', 'needs Java: npm run test:clients'],
  ['DATABASE_URL=postgres', 'settings, not commands'],
  ['DATABASE_URL="postgres', 'settings, not commands'],
  ['DATABASE_REPLICA_URL="postgres', 'settings, not commands'],
  ['ignore_startup_parameters', 'a setting of PgBouncer'],
  ['synchronous_mode', 'settings of Patroni, which npm run test:ha uses'],
  ['alter role', 'needs a role called pennypost'],
  ['create role pennypost', 'needs a superuser'],
  ['npm install --global', 'needs systemd'],
  ['systemd-run', 'needs systemd'],
] as const;

function blockThat(begins: string): Block {
  const block = blocks.find(({ text }) => text.startsWith(begins));
  if (!block) throw new Error(`No block begins with ${begins}`);
  return block;
}

function temporaryFolder(): string {
  // Other users may traverse it: as root, the database runs as another user.
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-guide-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('commands', () => {
  beforeAll(() => void execFileSync(process.execPath, ['scripts/ready.mjs'], { stdio: 'inherit' }), 120_000);

  it.each(blocks.filter(({ mark }) => mark === 'run'))('$document: $text', async (block) => {
    const output = await run(block);
    expect(output).not.toBe('');
    const next = blocks[blocks.indexOf(block) + 1];
    if (next?.mark === 'answer') {
      expect(shapeOf(JSON.parse(output))).toEqual(shapeOf(JSON.parse(next.text)));
    }
    if (block.document === 'docs/operations/scaling.md') expect(read(block.document)).toContain(output);
  });

  it('those for operators check, back up and restore', { timeout: 240_000 }, async () => {
    const folder = temporaryFolder();
    const database = await cloneDatabase();
    onTestFinished(database.drop);
    const main = resolve('dist/main.js');
    writeFileSync(join(folder, 'pennypost'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
    const operate = (begin: string, environment: NodeJS.ProcessEnv) => {
      const { text } = blockThat(begin);
      const here = text.replaceAll(/(?<=[ =])\/(backups|new)/g, `${folder}/$1`).replace('2026-11-15', '$(date +%F)');
      const PATH = `${folder}:${process.env.PATH}`;
      return execute('sh', ['-ec', here], {
        env: {
          ...processEnvironment,
          PATH,
          SECRET_KEY: 'of-a-test-and-at-least-32-characters-long',
          LOG_LEVEL: 'silent',
          ...environment,
        },
      });
    };
    const looked = await operate('pennypost doctor', { DATABASE_URL: database.url, DATA_DIR: join(folder, 'data') });
    expect(looked.stdout).toContain('The backup is in');
    expect((await operate('DATA_DIR=/new/data pennypost restore', {})).stdout).toContain('Restored');
  });

  it('those before `docker compose` create secrets that containers can read, in a folder closed to other users', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'docker'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const { text } = blockThat('mkdir -m 700 secrets');
    const { stdout } = await execute('sh', ['-ec', `umask 077\n${text}`], { cwd: folder, env });
    expect(stdout).toBe('compose up -d\n');
    const named = [...read('compose.yaml').matchAll(/file: \.\/(.*)/g)].map(([, file = '']) => file);
    expect(named.map((file) => statSync(join(folder, file)).mode & 0o777)).toEqual(named.map(() => 0o644));
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    const password = readFileSync(join(folder, 'secrets/postgres_password'), 'utf8').trim();
    expect(readFileSync(join(folder, 'secrets/database_url'), 'utf8')).toContain(`:${password}@postgres/`);
  });

  it('each one is run by a test, or has a reason not to be', () => {
    const unexplained = blocks
      .filter(({ mark, language }) => mark === undefined && !['', 'json', 'diff', 'po'].includes(language))
      .filter(({ text }) => !runElsewhere.some(([begin]) => text.startsWith(begin)));
    expect(unexplained).toEqual([]);
  });

  it('diffs are from the product', () => {
    const diffs = blocks.filter(({ language }) => language === 'diff');
    const parts = diffs.flatMap(({ text }) => text.split(/^\+\+\+ /m).slice(1));
    const unknown = parts.flatMap((part) => {
      const [path = '', ...added] = part.trimEnd().split('\n');
      const lines = new Set(read(path).split('\n'));
      return added.filter((line) => !lines.has(line.slice(1))).map((line) => `${path}: ${line}`);
    });
    expect(parts.length).toBeGreaterThan(10);
    expect(unknown).toEqual([]);
  });

  it('JSON blocks are valid JSON', () => {
    for (const { text } of blocks.filter(({ language }) => language === 'json')) JSON.parse(text);
  });

  it('the signature check accepts our callbacks, and rejects modified ones', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'guide.mjs'), blockThat('import { createHmac').text);
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
  it('every link points to a file', () => {
    const broken = documents.flatMap((document) =>
      [...read(document).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(dirname(document), target)))
        .map((target) => `${document}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('every path exists', () => {
    const made = ['bench/results/latest.json', 'bench/results/capacity.json'];
    const path = /`((?:src|test|docs|bench|migrations|packaging|scripts)\/[\w./*<>-]*)`/g;
    const missing = documents.flatMap((document) =>
      [...read(document).matchAll(path)]
        .map(([, name = '']) => name)
        // `letter-branding.*` stands for all files with this prefix.
        .filter((name) => !made.includes(name) && !everyFile.some((file) => file.startsWith(name.replace(/\*.*$/, ''))))
        .map((name) => `${document}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('a file name without a folder exists beside the file named before it in the line, or else anywhere', () => {
    // `x.ts` and similar names stand for any noun.
    const name = /`(?!x\.)([\w./-]+\.(?:ts|mjs|sql|\*))`/g;
    const missing = documents.flatMap((document) =>
      read(document)
        .split('\n')
        .flatMap((line) => {
          let folder = '';
          return [...line.matchAll(name)].flatMap(([, file = '']) => {
            if (file.includes('/')) folder = dirname(file);
            const end = `/${basename(file).replace('*', '')}`;
            if (everyFile.some((path) => path.startsWith(folder) && path.includes(end))) return [];
            return `${document}: ${file}`;
          });
        }),
    );
    expect(missing).toEqual([]);
  });

  it('every setting exists', () => {
    const files = everyFile.filter((file) => file.endsWith('.md') || /^(compose\.yaml|packaging\/)/.test(file));
    const ofNotifysFrontEnd =
      'ADMIN_CLIENT_SECRET$|API_HOST_NAME|TOKEN_SECRET_KEY|SECRET_KEY$|DANGEROUS_SALT|NEW_PASSWORD_ENCRYPTION_KEY|NOTIFY_ENVIRONMENT|LOGO_CDN_DOMAIN|REDIS_ENABLED|S3_BUCKET_';
    const ofOthers = new RegExp(`^(POSTGRES_|NODE_|BENCH_|ESME_|TEXT_|${ofNotifysFrontEnd})`);
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
        .filter((name) => !settingNames.includes(name) && !ownVariables.includes(name) && !ofOthers.test(name))
        .map((name) => `${file}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});
