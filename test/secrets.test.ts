import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { repositoryFiles } from './kit/repository-files.ts';

/** No credentials in the repository, and no paths of a developer's machine. */

const suspicious: { what: string; pattern: RegExp }[] = [
  { what: 'a private key', pattern: new RegExp('-----BEGIN [A-Z ]*PRIVATE' + ' KEY-----\\s+[A-Za-z0-9+/=]{20}') },
  { what: 'an Amazon access key', pattern: /\b(AKIA|ASIA)(?!.*EXAMPLE)[A-Z0-9]{16}\b/ },
  { what: 'a GitHub token', pattern: /\bgh[pousr]_[A-Za-z0-9]{36}\b|\bgithub_pat_\w{40}/ },
  { what: 'an npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { what: 'a Slack token', pattern: /\bxox[abprs]-[A-Za-z0-9-]{20}/ },
  { what: 'a Stripe or similar live key', pattern: /\b[sr]k_live_[A-Za-z0-9]{16}/ },
  { what: 'a Google API key', pattern: /\bAIza[A-Za-z0-9_-]{35}\b/ },
  { what: 'a Twilio account or key', pattern: /\b(AC|SK)(?!0{8}|1{8}|a{8})[0-9a-f]{32}\b/ },
  { what: 'a JSON web token', pattern: /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}/ },
  {
    what: 'an address with a password',
    pattern: /\b\w+:\/\/[\w.-]+:(?!password@|secret@|\$|<|\.\.\.)[^@\s/'"`$]{12,}@/,
  },
  { what: 'a home folder', pattern: /(?<![\w.])\/(home|Users)\/(?!node\b)[a-z][\w-]+\// },
  { what: 'a private registry', pattern: /"resolved": "https?:\/\/(?!registry\.npmjs\.org\/)/ },
];

function problems(path: string, text: string): string[] {
  return suspicious.filter(({ pattern }) => pattern.test(text)).map(({ what }) => `${path}: ${what}`);
}

const binary = /\.(pdf|png|woff2?|ttf|ico|gz)$/;
const files = repositoryFiles().filter((path) => !binary.test(path));

describe('the files of the repository', () => {
  it('contain no credentials and no paths of a machine', () => {
    expect(files.flatMap((path) => problems(path, readFileSync(path, 'utf8')))).toEqual([]);
    const here = [process.cwd(), homedir()].filter((folder) => folder.split('/').length > 2);
    expect(files.filter((path) => here.some((folder) => readFileSync(path, 'utf8').includes(folder)))).toEqual([]);
  });

  it('contain no file for one machine only', () => {
    expect(files.filter((path) => /(^|\/)(\.env|data|secrets|id_rsa|.*\.pem|.*\.p12)$/.test(path))).toEqual([]);
  });

  it.each([
    ['an Amazon access key', `key = ${'AKIA'}${'Q7ZK2M4N6P8R0T1V'}`],
    ['a GitHub token', `${'ghp'}_${'a1B2'.repeat(9)}`],
    ['an address with a password', `${'postgres'}://me:${'correct-horse-battery'}@db.example/x`],
    ['a home folder', `see ${'/home'}/somebody/notes.txt`],
    ['a private registry', `"resolved": ${'"https:'}//npm.example/left-pad.tgz"`],
  ])('%s would be found', (what, text) => {
    expect(problems('a file', text)).toEqual([`a file: ${what}`]);
  });
});
