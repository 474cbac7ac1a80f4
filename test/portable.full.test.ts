import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repositoryFiles } from './kit/repository-files.ts';

/** These tests run on Linux and macOS too, so that a change that breaks Windows is noticed where it is made. */

const files = repositoryFiles();

describe('package.json', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const programs = ['node', 'npm', 'vitest', 'biome', 'tsc'];

  it.each(Object.entries(scripts))('the script %s needs no particular shell', (_name, script) => {
    for (const command of script.split(' && ')) {
      const [program = '', ...words] = command.split(' ');
      expect(programs, command).toContain(program);
      // Variables, quotes, redirections, wildcards and lists are different in cmd.exe, or do not exist there.
      for (const word of words) expect(word, command).toMatch(/^[\w./:=-]+$/);
    }
  });
});

describe('file names', () => {
  it('exist on Windows', () => {
    const reserved = /[<>:"|?*\\]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
    expect(files.filter((path) => path.split('/').some((name) => reserved.test(name)))).toEqual([]);
  });

  it('differ not only in case', () => {
    expect(new Set(files.map((path) => path.toLowerCase())).size).toBe(new Set(files).size);
  });
});

describe('the code that users and contributors run', () => {
  // How each file handles systems that do not have what it uses is beside its name.
  const systemPaths: Record<string, string> = {
    'scripts/test-days.mjs': 'for Linux: libfaketime',
    'scripts/test.mjs': 'only on Linux: processor time',
    'src/commands/templates/diff.ts': 'how diffs name a file that does not exist',
    'src/libraries/embedded-postgres/location.ts': 'only where there are unix sockets and numeric users',
    'src/libraries/embedded-postgres/server-process.ts': 'asks whether /proc exists',
    'src/libraries/embedded-postgres/server.ts': 'the PATH of a server on a unix system',
    'src/libraries/embedded-postgres/user.ts': 'only as root',
    'src/platform/http/connections.ts': 'undefined without /proc',
    'src/platform/threads/thread-time.ts': 'undefined without /proc',
  };
  const sources = files
    .filter((path) => /^(src|scripts)\/.*\.(ts|tsx|mjs)$/.test(path) && !path.includes('.test.'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const using = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  it('has no paths of unix systems, except where a file knows other systems', () => {
    expect(using(/['"`](\/tmp|\/usr|\/bin|\/var|\/etc|\/proc|\/dev)\b/).sort()).toEqual(Object.keys(systemPaths));
  });

  it('makes paths of file URLs with fileURLToPath, which knows drives', () => {
    expect(using(/import\.meta\.url\)\.pathname/)).toEqual([]);
  });

  it('asks for numeric users only where there are any', () => {
    expect(using(/process\.get[eg]?[ug]id(!|\(|\s*as\b)/)).toEqual([]);
  });

  it('starts no program through a shell', () => {
    expect(using(/\bexecSync\(|\bexec\(['"`]|shell: true/)).toEqual([]);
  });
});
