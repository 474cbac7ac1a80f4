import { createPrivateKey, X509Certificate } from 'node:crypto';
import * as setting from '../platform/setting.ts';
import { problemsOfPartlySet, type Values } from '../platform/setting-groups.ts';
import type { HttpSettings } from '../platform/settings.ts';

export const inletSettings = {
  listen: setting.optionalAddress(
    'SMTP_INLET_LISTEN',
    'Address and port where software that can only send mail hands over its emails, for example `0.0.0.0:587`. Unset: off.',
  ),
  certificate: setting.optionalText(
    'SMTP_INLET_TLS_CERT',
    'Certificate for TLS at SMTP_INLET_LISTEN with its chain, in PEM; requires SMTP_INLET_TLS_KEY.',
    { secret: true },
  ),
  key: setting.optionalText('SMTP_INLET_TLS_KEY', 'Private key of SMTP_INLET_TLS_CERT, in PEM.', { secret: true }),
  implicitTls: setting.flag(
    'SMTP_INLET_IMPLICIT_TLS',
    'Speak TLS from the first byte, as on port 465, instead of after STARTTLS, as on port 587.',
    { fallback: false },
  ),
  plainLoopback: setting.flag(
    'SMTP_INLET_PLAIN_LOOPBACK',
    'Let software on the same machine sign in without TLS. Needed to listen without a certificate.',
    { fallback: false },
  ),
  maxMessage_bytes: setting.megabytes(
    'SMTP_INLET_MAX_MB',
    'Largest email that is taken, in megabytes. Emails of all clients together take at most half of BODY_MEMORY_MB.',
    { fallback: 10, min: 1, max: 100 },
  ),
  files: setting.oneOf(
    'SMTP_INLET_FILES',
    'What happens to attachments, unless a service chooses: `refuse` the email, `drop` them and say so in the email, or `link` to them.',
    ['refuse', 'drop', 'link'],
    { fallback: 'refuse' },
  ),
  clients: setting.integer('SMTP_INLET_CLIENTS', 'Connections to SMTP_INLET_LISTEN at the same time, per process.', {
    fallback: 100,
    min: 1,
    max: 10_000,
  }),
};

export type InletSettings = Values<typeof inletSettings>;

/** A permission of services: those without it cannot send over SMTP. */
export const sendOverSmtp = 'smtp';

/** The part of BODY_MEMORY_MB that emails may take. */
export const shareOfBodyMemory = 0.5;

export function problemsOfInlet(settings: InletSettings, { bodyMemory_bytes }: HttpSettings): string[] {
  const { listen, certificate, plainLoopback, implicitTls, maxMessage_bytes } = settings;
  const partly = problemsOfPartlySet(inletSettings, settings, ['certificate', 'key']);
  if (listen === undefined || partly.length > 0) return partly;
  const cert = inletSettings.certificate.name;
  return [
    ...problemsOfCertificate(settings),
    ...(certificate === undefined && !plainLoopback
      ? [`${cert} must be set when ${inletSettings.listen.name} is set, or ${inletSettings.plainLoopback.name}`]
      : []),
    ...(certificate === undefined && implicitTls
      ? [`${cert} must be set when ${inletSettings.implicitTls.name} is set`]
      : []),
    ...(maxMessage_bytes > bodyMemory_bytes * shareOfBodyMemory
      ? [`${inletSettings.maxMessage_bytes.name} must be at most half of BODY_MEMORY_MB`]
      : []),
  ];
}

function problemsOfCertificate({ certificate, key }: InletSettings): string[] {
  if (certificate === undefined || key === undefined) return [];
  const names = { certificate: inletSettings.certificate.name, key: inletSettings.key.name };
  try {
    const parsed = new X509Certificate(certificate);
    try {
      return parsed.checkPrivateKey(createPrivateKey(key)) ? [] : [`${names.key} must belong to ${names.certificate}`];
    } catch {
      return [`${names.key} must be a private key in PEM`];
    }
  } catch {
    return [`${names.certificate} must be a certificate in PEM`];
  }
}
