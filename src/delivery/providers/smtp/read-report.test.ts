import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bounceEmail, bouncesFolder } from '../../../../test/kit/vendors/mail-servers.ts';
import { newId } from '../../../platform/id.ts';
import { SecretBox } from '../../../platform/secrets/secrets.ts';
import { maxReport_bytes, readReport } from './read-report.ts';
import { problemOfReturnPath, ReturnPaths } from './return-path.ts';

const secrets = new SecretBox(['a-secret-key-of-a-test-that-is-long-enough']);
const paths = new ReturnPaths('bounces@mail.example', secrets);
const id = newId(new Date('2026-11-15T12:00:00Z'));

function email(name: string, returnPath = paths.addressOf(id), signedId = paths.signed(id)): Buffer {
  return Buffer.from(bounceEmail(name, { returnPath, signedId }));
}

/** `postfix-unknown-user.hard-bounce`: style and case, then what it means. */
const corpus = readdirSync(bouncesFolder).map(
  (file) => [file.replace(/\.eml$/, ''), file.split('.')[1] ?? ''] as const,
);
const aboutMessages = corpus.filter(([, kind]) => !['auto-reply', 'other'].includes(kind));

describe('emails to the return path', () => {
  it.each(corpus)('%s is %s', async (name, kind) => {
    const report = await readReport(email(name), paths);
    expect(report.kind).toBe(kind);
    if ('id' in report) expect(report.id).toBe(id);
    if (report.kind === 'complaint') {
      expect(report).toEqual({ kind, id, complaint_type: 'abuse', complaint_date: '2026-11-15T12:30:00.000Z' });
    }
  });

  it.each(aboutMessages)('%s without our signature is about no message', async (name) => {
    const forged = new ReturnPaths(
      'bounces@mail.example',
      new SecretBox(['another-key-of-a-test-that-is-long-enough']),
    );
    const source = email(name, forged.addressOf(id), forged.signed(id));
    expect(await readReport(source, paths)).toEqual({ kind: 'unsigned' });
    expect(await readReport(email(name, 'bounces@mail.example', 'none'), paths)).toEqual({ kind: 'unsigned' });
  });

  it.each(corpus)('%s cut anywhere is read without an error', async (name) => {
    const source = email(name);
    for (let end = 0; end < source.length; end += 797) await readReport(source.subarray(0, end), paths);
  });

  it('the envelope decides, not what the email says', async () => {
    const other = newId(new Date('2026-11-15T12:00:00Z'));
    const source = email('postfix-unknown-user.hard-bounce');
    expect(await readReport(source, paths, [paths.addressOf(other)])).toMatchObject({ kind: 'hard-bounce', id: other });
  });

  it('a bounce that returns a large message is read from its beginning', async () => {
    const start = email('exim-unknown-user.hard-bounce');
    const source = Buffer.concat([start, Buffer.alloc(30 * 1024 * 1024, 'x')]).subarray(0, maxReport_bytes);
    expect(await readReport(source, paths)).toMatchObject({ kind: 'hard-bounce', id });
  });

  it.each([
    ['postfix-unknown-user.hard-bounce', /^550 5\.1\.1 .*User unknown/],
    ['postfix-spam-rejected.soft-bounce', /^554 5\.7\.1 Service unavailable; Client host/],
    ['exim-mailbox-full.soft-bounce', /^552 Mailbox is full$/],
    ['postfix-delayed.delayed', undefined],
    ['postfix-success.delivered', undefined],
  ])('%s has the words of the server', async (name, expected) => {
    const report = await readReport(email(name), paths);
    const { reason } = report as { reason?: string };
    if (expected === undefined) expect(reason).toBeUndefined();
    else expect(reason).toMatch(expected);
  });

  it('the words of a server are bounded, and without control characters', async () => {
    const source = email('postfix-unknown-user.hard-bounce')
      .toString('latin1')
      .replace(/Diagnostic-Code: smtp; /, `Diagnostic-Code: smtp; 550 5.7.26 \0\x07${'z'.repeat(5_000)} `);
    const { reason } = (await readReport(Buffer.from(source, 'latin1'), paths)) as { reason?: string };
    expect(reason).toMatch(/^5\.1\.1 550 5\.7\.26 {1,2}z{300,500}$/);
  });

  it('a message nested a thousand times, and a header of 200 kB, are read without an error', async () => {
    const nested = Array.from(
      { length: 1_000 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
    );
    const from = 'From: MAILER-DAEMON@relay.example\r\n';
    expect((await readReport(Buffer.from(`${from}${nested.join('')}`), paths)).kind).toBe('unsigned');
    expect((await readReport(Buffer.from(`${from}X-Long: ${'y'.repeat(200_000)}\r\n\r\nNo`), paths)).kind).toBe(
      'unsigned',
    );
  });
});

describe('return paths', () => {
  it('are found in any case, and with an older key', () => {
    const rotated = new ReturnPaths(
      'bounces@mail.example',
      new SecretBox(['the-next-key-of-a-test-that-is-long-enough', 'a-secret-key-of-a-test-that-is-long-enough']),
    );
    expect(rotated.idOfAddress(paths.addressOf(id).toUpperCase())).toBe(id);
    expect(paths.addressOf(id)).toMatch(/^bounces\+[0-9a-f]{32}\.[0-9a-z]{16}@mail\.example$/);
  });

  it('are whole addresses with an unchanged id and tag', () => {
    const address = paths.addressOf(id);
    const changed = address.replace(/\d(?=[0-9a-f]*\.)/, (digit) => String((Number(digit) + 1) % 10));
    for (const wrong of [
      changed,
      `x${address}`,
      address.replace('@', 'x@'),
      address.replace('@', ''),
      'bounces@mail.example',
      '',
    ]) {
      expect(paths.idOfAddress(wrong)).toBeUndefined();
    }
  });

  it('can be at the domain of a service', () => {
    const address = paths.addressOf(id, 'bounces.council.example');
    expect(address).toMatch(/^bounces\+[0-9a-f]{32}\.[0-9a-z]{16}@bounces\.council\.example$/);
    expect(paths.idOfAddress(address)).toBe(id);
    expect(paths.idOfAddress(address.replace(/\.[0-9a-z]{16}@/, '.0000000000000000@'))).toBeUndefined();
  });

  it.each([
    ['*@bounces.example', undefined],
    ['bounces-*@mail.example', undefined],
    ['bounces', 'must be an address'],
    ['bounces@', 'must be an address'],
    ['a*b*@mail.example', 'must be an address'],
    ['bounces of mail@mail.example', 'must be an address'],
    ['a-very-long-local-part@mail.example', 'may have at most 15 characters'],
  ])('%s as the setting: %s', (pattern, problem) => {
    const found = problemOfReturnPath(pattern);
    if (problem === undefined) {
      expect(found).toBeUndefined();
      const own = new ReturnPaths(pattern, secrets);
      expect(own.idOfAddress(own.addressOf(id))).toBe(id);
    } else expect(found).toContain(problem);
  });
});
