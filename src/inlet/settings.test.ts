import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { aCertificate } from '../../test/kit/vendors/certificate.ts';
import { readConfig } from '../commands/read-config.ts';

const valid = { from: new Date(Date.now() - 1_000), until: new Date(Date.now() + 60_000) };
const [own, other] = [aCertificate(valid, 'inlet.example'), aCertificate(valid, 'other.example')];
const keyOf = ({ privateKey }: typeof own) => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const read = (settings: Record<string, string>) => readConfig({ DATA_DIR: tmpdir(), ...settings }).inlet;

const SMTP_INLET_LISTEN = '127.0.0.1:587';
const tls = { SMTP_INLET_LISTEN, SMTP_INLET_TLS_CERT: own.pem, SMTP_INLET_TLS_KEY: keyOf(own) };

describe('the settings of the SMTP inlet', () => {
  it('are off by default', () => {
    expect(read({}).listen).toBeUndefined();
    expect(read(tls)).toMatchObject({
      ...{ listen: { host: '127.0.0.1', port: 587 }, implicitTls: false, plainLoopback: false },
      ...{ maxMessage_bytes: 10 * 1024 * 1024, files: 'refuse', clients: 100 },
    });
    expect(read({ SMTP_INLET_LISTEN, SMTP_INLET_PLAIN_LOOPBACK: 'true' }).listen).toBeDefined();
  });

  it.each<[Record<string, string>, RegExp]>([
    [
      { SMTP_INLET_LISTEN },
      /SMTP_INLET_TLS_CERT must be set when SMTP_INLET_LISTEN is set, or SMTP_INLET_PLAIN_LOOPBACK/,
    ],
    [
      { SMTP_INLET_LISTEN, SMTP_INLET_PLAIN_LOOPBACK: 'true', SMTP_INLET_IMPLICIT_TLS: 'true' },
      /SMTP_INLET_TLS_CERT must be set when SMTP_INLET_IMPLICIT_TLS is set/,
    ],
    [{ SMTP_INLET_TLS_CERT: own.pem }, /SMTP_INLET_TLS_KEY must be set when SMTP_INLET_TLS_CERT is set/],
    [{ ...tls, SMTP_INLET_TLS_CERT: 'a certificate' }, /SMTP_INLET_TLS_CERT must be a certificate in PEM/],
    [{ ...tls, SMTP_INLET_TLS_KEY: 'a key' }, /SMTP_INLET_TLS_KEY must be a private key in PEM/],
    [{ ...tls, SMTP_INLET_TLS_KEY: keyOf(other) }, /SMTP_INLET_TLS_KEY must belong to SMTP_INLET_TLS_CERT/],
    [{ ...tls, SMTP_INLET_LISTEN: '587:x' }, /SMTP_INLET_LISTEN must be an address and a port/],
    [{ ...tls, SMTP_INLET_MAX_MB: '25' }, /SMTP_INLET_MAX_MB must be at most half of BODY_MEMORY_MB/],
    [{ ...tls, SMTP_INLET_MAX_MB: '0' }, /SMTP_INLET_MAX_MB/],
    [{ ...tls, SMTP_INLET_CLIENTS: '0' }, /SMTP_INLET_CLIENTS/],
    [{ ...tls, SMTP_INLET_FILES: 'keep' }, /SMTP_INLET_FILES/],
  ])('refuses %j', (settings, problem) => {
    expect(() => read(settings)).toThrow(problem);
  });
});
