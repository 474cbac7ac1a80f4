import { type AddressInfo, createServer } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { aCertificate } from '../../../../test/kit/vendors/certificate.ts';
import type { SmtpSettings } from './settings.ts';
import { negotiateTls } from './smtp.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const day_ms = 86_400_000;
const at = (days: number) => new Date(Date.now() + days * day_ms);

async function startServer(options: SMTPServerOptions): Promise<number> {
  const server = new SMTPServer({ authOptional: true, logger: false, ...options });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => void server.close(() => {}));
  return (server.server.address() as AddressInfo).port;
}

function certificate(from: number, until: number) {
  const { pem, privateKey } = aCertificate({ from: at(from), until: at(until) }, 'mail.example');
  return { cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

const negotiate = (url: string) => negotiateTls({ url, ehloName: 'client.example' } as SmtpSettings);

describe('the encryption of a connection to the mail server', () => {
  it('is none where the server offers none', async () => {
    const port = await startServer({ disabledCommands: ['STARTTLS'] });
    expect(await negotiate(`smtp://127.0.0.1:${port}`)).toEqual({ tls: null, certificate: null, outside: false });
  });

  it.each([
    ['smtp', {}],
    ['smtps', { secure: true }],
  ])('is that of %s, with what is wrong with the certificate', async (protocol, options) => {
    const port = await startServer({ ...options, ...certificate(-1, 1) });
    expect(await negotiate(`${protocol}://localhost:${port}`)).toEqual({
      tls: 'TLSv1.3',
      certificate: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      outside: false,
    });
  });

  it('has the version that both know', async () => {
    const port = await startServer({ secure: true, maxVersion: 'TLSv1.2', ...certificate(-1, 1) });
    expect(await negotiate(`smtps://localhost:${port}`)).toMatchObject({ tls: 'TLSv1.2' });
  });

  it('is not known without a server, or one that says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    closers.push(() => silent.close());
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as AddressInfo;
    expect(await negotiate(`smtp://127.0.0.1:${port}`)).toBeUndefined();
    expect(await negotiate('smtp://127.0.0.1:1')).toBeUndefined();
  });
});
