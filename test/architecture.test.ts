import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { providers } from '../src/delivery/providers/providers.ts';
import { surfaces } from '../src/routes.ts';
import { tasks } from '../src/tasks.ts';
import { useHarness } from './kit/harness.ts';

/** The rules of ARCHITECTURE.md, so that reviews need not check them. */

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');

/** Low to high: a feature calls downwards only, and features of one group may call each other. */
const featureOrder = [
  ['auth', 'organisations', 'branding'],
  ['users', 'templates'],
  ['services'],
  ['sending-domains'],
  ['complaints', 'documents', 'inbound', 'unsubscribe'],
  ['notifications'],
  ['jobs', 'inlet'],
  ['plans'],
  ['letters'],
  ['delivery'],
  ['billing'],
  ['statistics'],
  ['operations'],
  ['console'],
];
const pureLayers = ['rendering', 'recipients'];
/** What differs between countries, as data; everything above may use it. */
const countries = 'countries';
/** Texts in the languages of people; everything above may use it. */
const language = 'language';
/** Each is a folder of its own that could be a package. */
const libraries = 'libraries';
/** Facts of the protocol that import nothing themselves. */
const pureFacts = [
  'protocol/channels.ts',
  'protocol/comparable-key.ts',
  'protocol/dialect.ts',
  'protocol/whitespace.ts',
];
const rootFiles = ['main.ts', 'app.ts', 'routes.ts', 'tasks.ts', 'config.ts', 'seeds.ts'];

interface SourceFile {
  path: string;
  /** The folder under src, or '' for the root files. */
  layer: string;
  text: string;
  imports: { path: string; layer: string; typeOnly: boolean }[];
}

const files: SourceFile[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  .map((path) => {
    const text = readFileSync(join(src, path), 'utf8');
    const imports = [...text.matchAll(/^(?:import|export)\s+(type\s)?[^'"]*?from '(\.[^']+)'/gms)].map((match) => {
      const target = relative(src, join(src, dirname(path), match[2] ?? ''));
      return { path: target, layer: layerOf(target), typeOnly: match[1] !== undefined };
    });
    return { path, layer: layerOf(path), text, imports };
  });

function layerOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : '';
}

function rank(feature: string): number {
  return featureOrder.findIndex((group) => group.includes(feature));
}

function violations(check: (file: SourceFile) => string[]): string[] {
  return files.flatMap((file) => check(file).map((problem) => `${file.path}: ${problem}`));
}

describe('rings', () => {
  it('every folder is the commands, the platform, the protocol, the libraries, a pure one or a feature in the order', () => {
    const layers = [...new Set(files.map((file) => file.layer))].filter((layer) => layer !== '');
    const known = [
      'commands',
      'platform',
      'protocol',
      countries,
      language,
      libraries,
      ...pureLayers,
      ...featureOrder.flat(),
    ];
    expect(layers.filter((layer) => !known.includes(layer))).toEqual([]);
  });

  it('the root contains only the table of contents', () => {
    expect(
      files
        .filter((file) => file.layer === '')
        .map((file) => file.path)
        .sort(),
    ).toEqual([...rootFiles].sort());
  });

  it('a library imports only its own folder, Node and npm packages, and has a README', () => {
    const folderOf = (path: string) => path.split('/').slice(0, 2).join('/');
    expect(
      violations((file) =>
        file.layer === libraries
          ? file.imports
              .filter(({ path }) => folderOf(path) !== folderOf(file.path))
              .map(({ path }) => `imports ${path}`)
          : [],
      ),
    ).toEqual([]);
    const folders = [...new Set(files.filter(({ layer }) => layer === libraries).map(({ path }) => folderOf(path)))];
    expect(folders.filter((folder) => !existsSync(join(src, folder, 'README.md')))).toEqual([]);
  });

  it('texts import no product code', () => {
    expect(
      violations(({ layer, imports }) =>
        layer === language
          ? imports.filter((each) => each.layer !== language).map(({ path }) => `imports ${path}`)
          : [],
      ),
    ).toEqual([]);
  });

  it('countries import no product code', () => {
    expect(
      violations(({ layer, imports }) =>
        layer === countries
          ? imports.filter((each) => each.layer !== countries).map(({ path }) => `imports ${path}`)
          : [],
      ),
    ).toEqual([]);
  });

  it('rendering and recipients import no product code but facts of the protocol', () => {
    expect(
      violations((file) =>
        pureLayers.includes(file.layer)
          ? file.imports
              .filter(
                ({ layer, path }) =>
                  ![file.layer, countries, language, libraries].includes(layer) && !pureFacts.includes(path),
              )
              .map(({ path }) => `imports ${path}`)
          : pureFacts.includes(file.path)
            ? file.imports.map(({ path }) => `imports ${path}`)
            : [],
      ),
    ).toEqual([]);
  });

  it('the platform imports no product code', () => {
    expect(
      violations((file) =>
        file.layer === 'platform'
          ? file.imports
              .filter(({ layer }) => !['platform', countries, language, libraries].includes(layer))
              .map(({ path }) => `imports ${path}`)
          : [],
      ),
    ).toEqual([]);
  });

  it('the platform uses no product terms', () => {
    const product = /notification|letter|template|service|sms/gi;
    const otherMeanings = /ServiceUnavailableError|grid-template-columns/g;
    /** Terms of PostgreSQL, AWS and OpenTelemetry, and what operators read about settings. */
    const allowed = new Map([
      ['platform/cache.ts', ['notification']],
      ['platform/db/change-listener.ts', ['notification']],
      ['platform/settings.ts', ['letter', 'service']],
      ['platform/storage/aws-signature.ts', ['service']],
      ['platform/storage/object-store.ts', ['service']],
    ]);
    expect(
      violations(({ layer, path, text }) => {
        if (layer !== 'platform' || path === 'platform/db/schema.ts') return [];
        const found = text.replaceAll(otherMeanings, '').match(product) ?? [];
        return [...new Set(found.map((word) => word.toLowerCase()))].filter(
          (word) => !allowed.get(path)?.includes(word),
        );
      }),
    ).toEqual([]);
  });

  it('the protocol imports the platform, countries and texts alone', () => {
    expect(
      violations((file) =>
        file.layer === 'protocol'
          ? file.imports
              .filter(({ layer }) => ![countries, language, 'protocol', 'platform'].includes(layer))
              .map(({ path }) => `imports ${path}`)
          : [],
      ),
    ).toEqual([]);
  });

  it('features import no root file and call downwards only', () => {
    expect(
      violations((file) =>
        rank(file.layer) < 0
          ? []
          : file.imports
              .filter(({ layer }) => layer === '' || layer === 'commands' || rank(layer) > rank(file.layer))
              .map(({ path }) => `imports ${path}`),
      ),
    ).toEqual([]);
  });

  it('no feature imports another feature’s .sql, .routes, .task and .seed files, except .shared.sql', () => {
    expect(
      violations((file) =>
        rank(file.layer) < 0
          ? []
          : file.imports
              .filter(
                ({ layer, path }) =>
                  layer !== file.layer && /(?<!\.shared)\.(sql|routes|pages|task|seed)\.tsx?$/.test(path),
              )
              .map(({ path }) => `imports ${path}`),
      ),
    ).toEqual([]);
  });

  it('there are no import cycles', () => {
    const edges = new Map(files.map((file) => [file.path, file.imports.map(({ path }) => path)]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, trail: string[]) => {
      if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      if (done.has(path) || trail.includes(path)) return;
      for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of edges.keys()) visit(path, []);
    expect(circles).toEqual([]);
  });

  it('no chain of imports is longer than thirty files', () => {
    const edges = new Map(files.map((file) => [file.path, file.imports.map(({ path }) => path)]));
    const chains = new Map<string, string[]>();
    const longest = (path: string): string[] => {
      const known = chains.get(path);
      if (known) return known;
      const below = (edges.get(path) ?? [])
        .map(longest)
        .reduce((one, other) => (other.length > one.length ? other : one), []);
      chains.set(path, [path, ...below]);
      return [path, ...below];
    };
    expect(files.map(({ path }) => longest(path)).filter(({ length }) => length > 30)).toEqual([]);
  });

  it('the main thread does not load what only other threads or few installations need', () => {
    const loaded = new Set(['commands/start.ts']);
    for (const path of loaded) {
      const file = files.find((one) => one.path === path);
      for (const { path: next, typeOnly } of file?.imports ?? []) if (!typeOnly) loaded.add(next);
    }
    const apart = /^import (?!type).*'(pdfkit|fontkit|svg-to-pdfkit|@hyzyla\/pdfium|ssh2|ssh2-sftp-client)'/m;
    expect(files.filter(({ path, text }) => loaded.has(path) && apart.test(text)).map(({ path }) => path)).toEqual([]);
    expect(loaded.has('letters/print/sftp-connection.ts')).toBe(true);
  });
});

describe('places', () => {
  it('the environment is read in read-config.ts alone', () => {
    // The environment of the embedded server: how this machine loads programs, not a setting.
    expect(files.filter(({ text }) => text.includes('process.env')).map(({ path }) => path)).toEqual([
      'commands/read-config.ts',
      'libraries/embedded-postgres/server.ts',
    ]);
  });

  it('days of a time zone come from the calendar and from localDay alone', () => {
    // language.ts writes a day in the words of a language.
    const places = ['countries/calendar.ts', 'platform/db/local-day.ts', 'language/language.ts'];
    expect(
      violations(({ path, text }) =>
        !places.includes(path) && /at time zone|timeZone:/.test(text) ? ['computes a day of its own'] : [],
      ),
    ).toEqual([]);
  });

  it('features keep SQL in their .sql.ts files', () => {
    const query = /\b(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(<[^>]*>)?`/;
    expect(
      files
        .filter(({ layer, path, text }) => rank(layer) >= 0 && !path.endsWith('.sql.ts') && query.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it('a provider is known in its own file, and in the list of providers', () => {
    // The other one is also a protocol, which other software speaks to us.
    const names = providers.map(({ name }) => name).filter((name) => !['sandbox', 'smtp'].includes(name));
    const named = new RegExp(`\\b(${names.join('|')})\\b`, 'i');
    // Examples in descriptions, and who demands a rule.
    const exceptions = ['delivery/settings.ts', 'sending-domains/readiness/evaluate-rows.ts'];
    const isProtocol = (path: string) => path.startsWith('libraries/smpp/');
    expect(
      files
        .filter(({ path, text }) => !path.startsWith('delivery/providers/') && !isProtocol(path) && named.test(text))
        .map(({ path }) => path),
    ).toEqual(exceptions);
    const channels = providers.map(({ name, channel }) => `${channel} ${name}`);
    const ids = providers.map(({ details }) => details.id);
    expect([new Set(channels).size, new Set(ids).size]).toEqual([providers.length, providers.length]);
  });

  it('there are no barrel files and no utils', () => {
    expect(
      files.filter(({ path }) => /(^|\/)(index\.tsx?|utils?|helpers?|common|types)(\/|$|\.tsx?$)/.test(path)),
    ).toEqual([]);
  });

  it('a folder is a table of contents: at most 20 nouns, beside its subfolders', () => {
    const nouns = new Map<string, Set<string>>();
    for (const { path } of files) {
      const [noun = ''] = basename(path).split('.');
      nouns.set(dirname(path), (nouns.get(dirname(path)) ?? new Set()).add(noun));
    }
    const crowded = [...nouns].filter(([, named]) => named.size > 20).map(([folder, { size }]) => `${folder}: ${size}`);
    expect(crowded).toEqual([]);
  });

  it('a file is worth opening: what is short and has one user in its folder is part of that user', () => {
    const hasRole = /\.(sql|routes|pages|task|seed)\.tsx?$/;
    const tinyFiles = files.filter(({ path, text }) => {
      if (hasRole.test(path) || /(settings|worker|thread)\.ts$/.test(path) || text.split('\n').length > 25)
        return false;
      const users = files.filter(({ imports }) => imports.some((imported) => imported.path === path));
      return (
        users.length === 1 && users.every((user) => dirname(user.path) === dirname(path) && !hasRole.test(user.path))
      );
    });
    expect(tinyFiles.map(({ path }) => path)).toEqual([]);
  });

  it('no file is longer than 400 lines', () => {
    expect(
      files
        .filter(({ path, text }) => path !== 'platform/db/schema.ts' && text.split('\n').length > 400)
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it('exactly one feature writes each table, and ARCHITECTURE.md names it', () => {
    const writers = new Map<string, Set<string>>();
    const write =
      /(?:insertInto|updateTable|deleteFrom)\('(\w+)|\b(?:insert into|delete from|update) (?!set\b)(\w+)(?= |\n|`|$)/g;
    for (const { layer, path, text } of files.filter(({ path }) => path.endsWith('.sql.ts'))) {
      if (layer === 'platform') continue;
      for (const match of text.matchAll(write)) {
        const table = match[1] ?? match[2] ?? '';
        if (!tables.has(table)) continue;
        writers.set(table, (writers.get(table) ?? new Set()).add(path.split('/')[0] ?? ''));
      }
    }
    const shared = [...writers].filter(([, features]) => features.size > 1);
    expect(shared.map(([table, features]) => `${table}: ${[...features].join(', ')}`)).toEqual([]);
    const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
    const unlisted = [...writers].filter(
      ([table, features]) => !new RegExp(`^\\| ${[...features][0]} \\|.*\\b${table}\\b`, 'm').test(map),
    );
    expect(unlisted.map(([table, features]) => `${table} of ${[...features][0]}`)).toEqual([]);
  });

  it('every export is used by another file, and not by tests alone', () => {
    const users = new Map<string, number>();
    for (const folder of ['src', 'test', 'bench']) {
      for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.tsx?$/.test(name)) continue;
        const text = readFileSync(join(root, folder, name), 'utf8');
        for (const word of new Set(text.match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1);
      }
    }
    // A test may import what else only its own file uses. The first use is the declaration.
    const uses = new Map<string, number>();
    for (const { text } of files) {
      const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
      for (const [word] of code.matchAll(/\w+/g)) uses.set(word, (uses.get(word) ?? 0) + 1);
    }
    // The harness runs tasks with it, on the settings of a worker.
    const forTests = 'runDueTasks';
    const isNeedless = (name: string) => (users.get(name) ?? 0) < 2 || ((uses.get(name) ?? 0) < 2 && name !== forTests);
    const exported = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;
    const needless = violations(({ path, text }) =>
      path === 'platform/db/schema.ts'
        ? []
        : [...text.matchAll(exported)].map(([, name = '']) => name).filter(isNeedless),
    );
    expect(needless).toEqual([]);
  });

  it('input is never used as a key of a plain object', () => {
    // Looked up by our own names, never by input: kinds of error, formats, schemas, settings, commands.
    const ownWords = [
      'commands/commands.ts',
      'operations/system-errors.ts',
      'operations/text-formats.ts',
      'platform/threads/worker-thread.ts',
      'platform/http/connections.ts',
      'platform/http/openapi.ts',
      'platform/http/page.ts',
      'protocol/schema-problems.ts',
      'protocol/fields.ts',
      'rendering/letter/logo.ts',
      'statistics/service-costs.ts',
    ];
    const table = /^(?:export )?const \w+: (?:Readonly<)?Record<string,/m;
    // Unlike `'name' in value`, where the name is a literal.
    const membership = /[\w)\]] in (?!keyof\b)[a-z]\w*\)/;
    const code = (text: string) => text.replaceAll(/\/\*.*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`|\bfor \([^)]*\)/gs, "''");
    expect(
      violations(({ path, text }) => [
        ...(table.test(text) && !ownWords.includes(path) ? ['has a table that is no Map'] : []),
        ...(membership.test(code(text)) ? ['uses `in` where Object.hasOwn knows more'] : []),
      ]),
    ).toEqual([]);
  });

  it('every dependency is used, and docs/decisions says why', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const folder = join(root, 'docs/decisions');
    const decisions = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const needed = Object.keys(dependencies);
    const unused = needed.filter((name) => !files.some(({ text }) => new RegExp(`'${name}['/]`).test(text)));
    const tools = Object.keys(devDependencies).filter((name) => !name.startsWith('@types/'));
    const unexplained = [...needed, ...tools].filter((name) => !decisions.some((text) => text.includes(name)));
    expect({ unused, unexplained }).toEqual({ unused: [], unexplained: [] });
  });
});

const tables = new Set(
  [...readFileSync(join(root, 'docs/schema.sql'), 'utf8').matchAll(/^create table (\w+)/gm)].map(
    (match) => match[1] ?? '',
  ),
);

describe('wiring', () => {
  const harness = useHarness();

  it('401 without credentials for every route outside the open surfaces', async () => {
    const open = surfaces.filter(({ authenticate }) => authenticate === 'open').map(({ name }) => name);
    expect(open).toEqual(['callbacks', 'printer', 'open', 'pages', 'unsubscribe', 'console', 'operations']);
    const paths = harness.http.swagger().paths as Record<string, Record<string, { tags?: string[] }>>;
    const unguarded: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { tags = [] }] of Object.entries(methods)) {
        if (tags.some((tag) => open.includes(tag))) continue;
        // A path with malformed segments is 404 even without credentials.
        const url = path
          .replace('{version}', '1')
          .replace('{notification_type}', 'sms')
          .replaceAll(/\{\w+\}/g, '4f46df42-f795-4cc4-83bb-65ca312f49cc');
        const response = await harness.request({ method: method.toUpperCase() as 'GET', url, payload: '{}' });
        if (response.status !== 401) unguarded.push(`${method} ${path}: ${response.status}`);
      }
    }
    expect(unguarded).toEqual([]);
  });

  it('a list that may be empty is compared with anyOf', () => {
    // PostgreSQL does not parse `in ()`.
    expect(
      violations(({ text }) => [...text.matchAll(/'(?:not )?in', (?:\w+[).]|\[\.\.\.).*/g)].map(([line]) => line)),
    ).toEqual([]);
  });

  it('every log line has a stable event key', () => {
    const calls = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\blog\??\.(?:debug|info|warn|error|fatal)\(\s*([^;]*?)\);/g)].map(([, call = '']) => ({
        path,
        call,
      })),
    );
    expect(calls.length).toBeGreaterThan(60);
    expect(
      calls.filter(({ call }) => !/^\{[^}]*\bevent\b/.test(call)).map(({ path, call }) => `${path}: ${call}`),
    ).toEqual([]);
  });

  it('every loop of a feature is opened by the list of loops', () => {
    const list = files.find(({ path }) => path === 'delivery/delivery.ts');
    const listed = ['delivery/delivery.ts', ...(list?.imports ?? []).map(({ path }) => path)];
    const withLoops = files.filter(({ layer, text }) => rank(layer) >= 0 && text.includes('new Loop('));
    expect(withLoops.length).toBeGreaterThan(4);
    expect(withLoops.map(({ path }) => path).filter((path) => !listed.includes(path))).toEqual([]);
  });

  it('every task is listed once, and every enqueued task is listed', () => {
    const names = tasks.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const defined = files.flatMap(({ text }) =>
      [...text.matchAll(/: Task<[^=]+> = \{\s+name: '([\w-]+)'/g)].map(([, name = '']) => name),
    );
    expect(defined.length).toBeGreaterThan(5);
    expect(defined.filter((name) => !names.includes(name))).toEqual([]);
  });
});
