import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type SftpServer, startSftpServer } from '../../../test/kit/vendors/sftp-server.ts';
import { readConfig } from '../../commands/read-config.ts';
import { printSftp } from './print-sftp.ts';

const root = mkdtempSync(join(tmpdir(), 'sftp-'));
mkdirSync(join(root, 'letters'));
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
});
const server: SftpServer = await startSftpServer(root, { password: 'secret', key: privateKey });
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const settings = { sftpUrl: server.url, sftpPassword: 'secret', sftpKey: undefined, sftpHostKey: server.hostKey };
const day = '2026-07-02';
const folder = join(root, 'letters', day);
const letter = (reference: string) => ({
  reference,
  notification_id: '018f3a2b-0000-7000-8000-000000000001',
  name: `NOTIFY.${reference}.D.2.C.20260701233000.PDF`,
  postage: 'second' as const,
  sheets: 1,
  callback_url: 'http://localhost:6011/notifications/letter/status?token=x',
  pdf: Buffer.from(`%PDF of ${reference}`),
});
const letters = ['AAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBB', 'CCCCCCCCCCCCCCCC'].map(letter);
const manifest = 'MANIFEST.AAAAAAAAAAAAAAAA.JSON';
const complete = [manifest, ...letters.map(({ name }) => name)];

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  server.log.length = 0;
});

describe('hand-over by SFTP', () => {
  it.each([
    ['a password', settings],
    ['a key', { ...settings, sftpPassword: undefined, sftpKey: privateKey }],
  ])('with %s uploads each file under a temporary name, and the manifest last', async (_, given) => {
    await printSftp(given).handOver({ day, letters });
    expect(readdirSync(folder).sort()).toEqual(complete);
    const paths = [...letters.map(({ name }) => name), manifest].map((name) => `/letters/${day}/${name}`);
    expect(server.log).toEqual(paths.flatMap((path) => [`open ${path}.part`, `rename ${path}.part ${path}`]));
    expect(readFileSync(join(folder, letters[1]?.name ?? ''), 'utf8')).toBe('%PDF of BBBBBBBBBBBBBBBB');
    const { print_run, letters: listed } = JSON.parse(readFileSync(join(folder, manifest), 'utf8'));
    expect([print_run, listed.length]).toEqual([day, 3]);
  });

  it('continues after a lost connection, without a manifest until all letters are there', async () => {
    server.cutAt = 'BBBB';
    await expect(printSftp(settings).handOver({ day, letters })).rejects.toThrow();
    expect(readdirSync(folder).sort()).toEqual([letters[0]?.name, `${letters[1]?.name}.part`]);
    server.log.length = 0;
    await printSftp(settings).handOver({ day, letters });
    expect(readdirSync(folder).sort()).toEqual(complete);
    expect(readFileSync(join(folder, letters[1]?.name ?? ''), 'utf8')).toBe('%PDF of BBBBBBBBBBBBBBBB');
    expect(server.log.filter((line) => line.includes('AAAA') && line.includes('PDF'))).toEqual([]);
  });

  it('replaces a letter of another length, and uploads no letter twice', async () => {
    await printSftp(settings).handOver({ day, letters });
    const [first, ...rest] = letters;
    const longer = [{ ...letter('AAAAAAAAAAAAAAAA'), ...first, pdf: Buffer.from('%PDF of another length') }, ...rest];
    server.log.length = 0;
    await printSftp(settings).handOver({ day, letters: longer });
    expect(server.log.filter((line) => line.startsWith('delete'))).toHaveLength(2);
    expect(readFileSync(join(folder, first?.name ?? ''), 'utf8')).toBe('%PDF of another length');
    server.log.length = 0;
    await printSftp(settings).handOver({ day, letters: longer });
    expect(server.log.filter((line) => line.startsWith('open'))).toEqual([`open /letters/${day}/${manifest}.part`]);
  });

  it('refuses another server and wrong credentials', async () => {
    const other = `SHA256:${'A'.repeat(43)}`;
    await expect(printSftp({ ...settings, sftpHostKey: other }).handOver({ day, letters })).rejects.toThrow(
      `has the key ${server.hostKey}, which is not PRINT_SFTP_HOST_KEY`,
    );
    await expect(printSftp({ ...settings, sftpPassword: 'guess' }).handOver({ day, letters })).rejects.toThrow(
      'authentication methods failed',
    );
    expect(server.log).toEqual([]);
  });

  it('needs a server, the fingerprint of its key, and a password or a key', () => {
    const read = (environment: Record<string, string>) => () =>
      readConfig({ DATA_DIR: root, SECRET_KEY: 's'.repeat(32), ADMIN_CLIENT_SECRETS: 'a'.repeat(32), ...environment });
    expect(read({ PRINT_HAND_OFF: 'sftp' })).toThrow(
      /PRINT_SFTP_URL must be set .*\n.*PRINT_SFTP_HOST_KEY must be set .*\n.*PRINT_SFTP_KEY or PRINT_SFTP_PASSWORD must be set/,
    );
    const given = { PRINT_HAND_OFF: 'sftp', PRINT_SFTP_URL: server.url, PRINT_SFTP_PASSWORD: 'x' };
    expect(read({ ...given, PRINT_SFTP_HOST_KEY: 'aa:bb' })).toThrow('PRINT_SFTP_HOST_KEY must be a fingerprint');
    expect(read({ ...given, PRINT_SFTP_HOST_KEY: server.hostKey })).not.toThrow();
  });
});
