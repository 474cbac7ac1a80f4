import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { emptyDatabase } from '../../../test/kit/process/database.ts';
import { withoutAwsCredentials } from '../../../test/kit/vendors/aws.ts';
import { aCertificate } from '../../../test/kit/vendors/certificate.ts';
import { startMailbox } from '../../../test/kit/vendors/mail-servers.ts';
import { startSftpServer } from '../../../test/kit/vendors/sftp-server.ts';
import { readConfig } from '../../commands/read-config.ts';
import { day_ms } from '../../platform/clock.ts';
import { examine } from './doctor.ts';

/** Fake gateways and a mail server that accept one key each. */
const gateway = createServer(({ url = '', method, headers }, response) => {
  const { authorization = '' } = headers;
  if (url === '/2010-04-01/Accounts/AC1.json') {
    const isKnown = authorization === `Basic ${Buffer.from('AC1:right').toString('base64')}`;
    return void response.writeHead(isKnown ? 200 : 401).end();
  }
  if (url === '/v2/email/account') {
    const type = authorization.includes('Credential=mayOnlySend/')
      ? 'AccessDeniedException'
      : 'UnrecognizedClientException';
    return void response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify({ __type: type }));
  }
  if (url.startsWith('/our-bucket/doctor/')) {
    const may = authorization.includes('Credential=mayStore/') || method !== 'DELETE';
    return void response.writeHead(may ? 200 : 403).end('<Code>AccessDenied</Code>');
  }
  if (url === '/issuer/.well-known/openid-configuration') {
    const metadata = JSON.stringify({ issuer: `${address}/issuer` });
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(metadata);
  }
  response.writeHead(405).end();
});
const mail = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  onAuth: ({ password }, _session, done) => (password === 'right' ? done(null, { user: 'us' }) : done(new Error('No'))),
});
await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
await new Promise<void>((resolve) => void mail.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
const mailPort = (mail.server.address() as AddressInfo).port;
afterAll(() => {
  gateway.close();
  mail.close();
});

const database = await emptyDatabase();
afterAll(database.drop);

const folder = mkdtempSync(join(tmpdir(), 'pennypost-doctor-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function findings(environment: Record<string, string>): Promise<string[]> {
  const config = readConfig({
    SECRET_KEY: 'of-a-test-and-at-least-32-characters-long',
    DATA_DIR: folder,
    ...environment,
  });
  return (await examine(config, database.url)).map(
    ({ name, ok, description }) => `${ok ? 'ok' : 'PROBLEM'} ${name}: ${description}`,
  );
}

describe('pennypost doctor', () => {
  it('reports that nothing is sent without a provider', async () => {
    const found = await findings({});
    expect(found).toContain('ok sms: sandbox: keeps messages in the outbox, none is sent');
    expect(found).toContain('ok email: sandbox: keeps messages in the outbox, none is sent');
  });

  it('reports a missing migration', async () => {
    expect(await findings({})).toContainEqual(
      expect.stringMatching(/^PROBLEM schema: \d+ migrations are missing: run/),
    );
  });

  const twilio = { SMS_PROVIDERS: 'twilio', TWILIO_URL: address, TWILIO_ACCOUNT_SID: 'AC1' };
  const ses = { EMAIL_PROVIDERS: 'ses', SES_URL: address, SES_SECRET_ACCESS_KEY: 'secret', SES_TOPIC_ARNS: '*' };
  it.each([
    [{ SMS_PROVIDERS: 'mmg', MMG_URL: `${address}/mmg`, MMG_API_KEY: 'key' }, 'ok sms: mmg can be reached'],
    [
      { SMS_PROVIDERS: 'firetext', FIRETEXT_URL: 'http://127.0.0.1:9/', FIRETEXT_API_KEY: 'key' },
      'PROBLEM sms: firetext: 127.0.0.1:9 cannot be reached (ECONNREFUSED): let this machine connect to it',
    ],
    [{ ...twilio, TWILIO_AUTH_TOKEN: 'right' }, 'ok sms: twilio can be reached'],
    [
      { ...twilio, TWILIO_AUTH_TOKEN: 'wrong' },
      'PROBLEM sms: twilio: it responded with 401: correct TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN',
    ],
    [{ ...ses, SES_ACCESS_KEY_ID: 'mayOnlySend' }, 'ok email: ses can be reached'],
    [
      { ...ses, SES_ACCESS_KEY_ID: 'unknown' },
      'PROBLEM email: ses: it responded with 403: correct SES_ACCESS_KEY_ID and SES_SECRET_ACCESS_KEY, and the clock',
    ],
    [{ EMAIL_PROVIDERS: 'smtp', SMTP_URL: `smtp://us:right@127.0.0.1:${mailPort}` }, 'ok email: smtp can be reached'],
    [
      { EMAIL_PROVIDERS: 'smtp', SMTP_URL: `smtp://us:wrong@127.0.0.1:${mailPort}` },
      'PROBLEM email: smtp: 535 No: correct SMTP_URL',
    ],
  ])('%j: %s', async (environment, expected) => {
    expect(await findings(environment)).toContain(expected);
  });

  it('says how to trust a certificate of your own', async () => {
    const { pem, privateKey } = aCertificate(
      { from: new Date('2020-01-01'), until: new Date('2040-01-01') },
      'localhost',
    );
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const server = new SMTPServer({ secure: true, cert: pem, key, logger: false });
    server.on('error', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => server.close());
    const { port } = server.server.address() as AddressInfo;
    expect(await findings({ EMAIL_PROVIDERS: 'smtp', SMTP_URL: `smtps://us:right@127.0.0.1:${port}` })).toContain(
      'PROBLEM email: smtp: self-signed certificate: correct SMTP_URL, or name its certificate authority in NODE_EXTRA_CA_CERTS',
    );
  });

  it('finds a front end of Notify that cannot read the links of messages', async () => {
    const of = async (settings: Record<string, string>) =>
      (await findings({ ADMIN_API_SHAPES: 'notifications-admin', ...settings })).find((line) =>
        line.includes('front end'),
      );
    expect(await of({ LINK_TOKEN_KEY: `${'A'.repeat(43)}=` })).toBe(
      'ok front end: links carry tokens that it can read',
    );
    expect(await of({})).toMatch(/^PROBLEM front end: .* set LINK_TOKEN_KEY to the front end's TOKEN_SECRET_KEY$/);
    expect((await findings({})).filter((line) => line.includes('front end'))).toEqual([]);
  });

  it('says until when the certificate of the SMTP inlet is valid', async () => {
    const ofCertificate = async (days: number) => {
      const until = new Date(Date.now() + days * day_ms);
      const { pem, privateKey } = aCertificate({ from: new Date('2020-01-01'), until }, 'inlet.example');
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const inlet = { SMTP_INLET_LISTEN: '127.0.0.1:587', SMTP_INLET_TLS_CERT: pem, SMTP_INLET_TLS_KEY: key };
      const found = (await findings(inlet)).find((line) => line.includes('smtp inlet'));
      return found?.replace(until.toISOString().slice(0, 10), 'DATE');
    };
    const renew = 'renew SMTP_INLET_TLS_CERT and restart, or software cannot send over SMTP';
    expect(await ofCertificate(15)).toBe('ok smtp inlet: the certificate is valid until DATE');
    expect(await ofCertificate(13)).toBe(`ok smtp inlet: the certificate expires on DATE: ${renew}`);
    expect(await ofCertificate(-1)).toBe(`PROBLEM smtp inlet: the certificate expired on DATE: ${renew}`);
    expect((await findings({})).filter((line) => line.includes('smtp inlet'))).toEqual([]);
  });

  it('opens the mailbox of bounces', async () => {
    const mailbox = await startMailbox();
    onTestFinished(mailbox.close);
    const ofMailbox = async (url: string) => {
      const found = await findings({
        EMAIL_PROVIDERS: 'smtp',
        SMTP_URL: `smtp://us:right@127.0.0.1:${mailPort}`,
        SMTP_RETURN_PATH: 'bounces@mail.example',
        SMTP_BOUNCE_IMAP_URL: url,
      });
      return found.find((line) => line.includes('bounce mailbox'));
    };
    expect(await ofMailbox(mailbox.url)).toBe('ok bounce mailbox: can be read');
    expect(await ofMailbox(mailbox.url.replace('secret', 'wrong'))).toBe(
      'PROBLEM bounce mailbox: cannot be read: the user or the password is wrong: correct SMTP_BOUNCE_IMAP_URL',
    );
    expect(await ofMailbox('imap://us:secret@127.0.0.1:9')).toBe(
      'PROBLEM bounce mailbox: cannot be read: ECONNREFUSED: correct SMTP_BOUNCE_IMAP_URL',
    );
  });

  it('writes, moves and deletes files at the SFTP server of the printer', async () => {
    const root = join(folder, 'sftp');
    mkdirSync(join(root, 'letters'), { recursive: true });
    const server = await startSftpServer(root, { password: 'secret' });
    onTestFinished(server.close);
    const ofPrinter = async (environment: Record<string, string> = {}) => {
      const found = await findings({
        PRINT_HAND_OFF: 'sftp',
        PRINT_SFTP_URL: server.url,
        PRINT_SFTP_PASSWORD: 'secret',
        PRINT_SFTP_HOST_KEY: server.hostKey,
        PRINT_SFTP_REPORTS_FOLDER: '/reports',
        ...environment,
      });
      return found.find((line) => line.includes('printer'));
    };
    const { host } = new URL(server.url);
    expect(await ofPrinter({ PRINT_SFTP_HOST_KEY: `SHA256:${'A'.repeat(43)}` })).toBe(
      `PROBLEM printer: SFTP: ${host}: the SFTP server of the printer has the key ${server.hostKey}, which is not PRINT_SFTP_HOST_KEY: ask the printer whether that key is right before you correct it`,
    );
    expect(await ofPrinter({ PRINT_SFTP_PASSWORD: 'wrong' })).toMatch(
      /: correct the user in PRINT_SFTP_URL, and PRINT_SFTP_KEY or PRINT_SFTP_PASSWORD$/,
    );
    expect(await ofPrinter({ PRINT_SFTP_KEY: 'no key' })).toMatch(/: correct PRINT_SFTP_KEY$/);
    expect(await ofPrinter({ PRINT_SFTP_URL: 'sftp://notify@127.0.0.1:9/letters' })).toMatch(
      /^PROBLEM printer: SFTP: 127.0.0.1:9: .*ECONNREFUSED.*: correct PRINT_SFTP_URL, and let this machine connect to that server$/,
    );
    expect(await ofPrinter()).toMatch(
      /^PROBLEM printer: SFTP: \/reports cannot be read \(.*\): create it, or correct PRINT_SFTP_REPORTS_FOLDER$/,
    );
    mkdirSync(join(root, 'reports'));
    expect(await ofPrinter()).toBe('ok printer: letters can be uploaded, and reports read');
    server.readOnly = '/reports/quarantine';
    expect(await ofPrinter()).toMatch(
      /^PROBLEM printer: SFTP: files cannot be moved from \/reports to \/reports\/quarantine \(.*\): let the user/,
    );
    server.readOnly = '/letters';
    expect(await ofPrinter()).toMatch(
      /^PROBLEM printer: SFTP: \/letters cannot be written \(.*\): let the user create, rename and delete files there/,
    );
  });

  const bucket = { S3_BUCKET: 'our-bucket', S3_ENDPOINT: address, S3_SECRET_ACCESS_KEY: 'secret' };
  it.each([
    [{ ...bucket, S3_ACCESS_KEY_ID: 'mayStore' }, 'ok files: bucket our-bucket can be read and written'],
    [
      { ...bucket, S3_ACCESS_KEY_ID: 'mayNotDelete' },
      'PROBLEM files: bucket our-bucket: the object store did not delete a file: 403 AccessDenied: check the S3_ settings and the permissions of the access key',
    ],
  ])('%j: %s', async (environment, expected) => {
    expect(await findings(environment)).toContain(expected);
  });

  it('asks the issuer of single sign-on for its name', async () => {
    const settings = { OIDC_CLIENT_ID: 'us', OIDC_CLIENT_SECRET: 'secret', OIDC_ALLOWED_DOMAINS: 'example.org' };
    const ofIssuer = async (issuer: string) =>
      (await findings({ ...settings, OIDC_ISSUER: issuer })).find((line) => line.includes('single sign-on'));
    expect(await ofIssuer(`${address}/issuer`)).toBe(`ok single sign-on: ${address}/issuer responds`);
    expect(await ofIssuer(`${address}/nothing`)).toMatch(
      /^PROBLEM single sign-on: .*: check OIDC_ISSUER and the network$/,
    );
  });

  it('lets the virus scanner scan a small file', async () => {
    const clamd = createTcpServer((socket) =>
      socket.on('data', (data) => data.subarray(-4).equals(Buffer.alloc(4)) && socket.end('stream: OK\0')),
    );
    await new Promise<void>((resolve) => clamd.listen(0, '127.0.0.1', resolve));
    const { port } = clamd.address() as AddressInfo;
    const ofScanner = async () =>
      (await findings({ CLAMAV_ADDRESS: `127.0.0.1:${port}` })).find((line) => line.includes('virus scanner'));
    expect(await ofScanner()).toBe(`ok virus scanner: ClamAV at 127.0.0.1:${port} scans files`);
    await new Promise((resolve) => clamd.close(resolve));
    expect(await ofScanner()).toBe(
      `PROBLEM virus scanner: ClamAV at 127.0.0.1:${port} cannot scan, so requests with files get a 503: ECONNREFUSED: start clamd, or correct CLAMAV_ADDRESS`,
    );
    expect((await findings({})).filter((line) => line.includes('virus scanner'))).toEqual([]);
  });

  it('says that a check did not finish, and not what is wrong', async () => {
    const silent = createTcpServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const found = await findings({
      EMAIL_PROVIDERS: 'smtp',
      SMTP_URL: `smtp://us:right@127.0.0.1:${port}`,
      SMTP_RETURN_PATH: 'bounces@mail.example',
      SMTP_BOUNCE_IMAP_URL: `imap://us:secret@127.0.0.1:${port}`,
      CLAMAV_ADDRESS: `127.0.0.1:${port}`,
    });
    const unfinished =
      'the check did not finish within 5 s: the server is slow, a firewall drops the connection, or this machine is busy';
    expect(found).toEqual(
      expect.arrayContaining([
        `PROBLEM email: smtp: ${unfinished}`,
        `PROBLEM bounce mailbox: ${unfinished}`,
        `PROBLEM virus scanner: ${unfinished}`,
      ]),
    );
  }, 30_000);

  it('reports that there are no AWS credentials', async () => {
    withoutAwsCredentials(folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const found = await findings({
      EMAIL_PROVIDERS: 'ses',
      SES_URL: address,
      SES_TOPIC_ARNS: '*',
      S3_BUCKET: 'our-bucket',
      S3_ENDPOINT: address,
    });
    const description =
      'There are no AWS credentials (Could not load credentials from any providers): set an access key, or let this process use an AWS profile, a web identity, or the role of its container or instance';
    expect(found).toContain(`PROBLEM files: bucket our-bucket: ${description}`);
    expect(found).toContain(`PROBLEM email: ses: ${description}`);
  });
});
