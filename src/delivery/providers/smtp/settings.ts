import * as setting from '../../../platform/setting.ts';
import type { Values } from '../../../platform/setting-groups.ts';

export const smtpSettings = {
  url: setting.optionalUrl(
    'SMTP_URL',
    'SMTP server, for example `smtps://user:password@mail.example:465`.',
    ['smtp://', 'smtps://'],
    { secret: true },
  ),
  requireTls: setting.flag(
    'SMTP_REQUIRE_TLS',
    'Refuse to send to an SMTP server without STARTTLS, unless it is on this machine or network.',
    { fallback: true },
  ),
  ehloName: setting.optionalText(
    'SMTP_EHLO_NAME',
    'Name of this machine in EHLO, for servers that compare it with DNS; in a container the host name is rarely one.',
    { fallbackText: 'the host name if it has a dot, else `[127.0.0.1]`' },
  ),
  connections: setting.integer('SMTP_CONNECTIONS', 'Connections to the SMTP server that one process keeps open.', {
    fallback: 10,
    min: 1,
    max: 500,
  }),
  dkimDomain: setting.optionalText(
    'SMTP_DKIM_DOMAIN',
    'Domain for DKIM signatures; requires SMTP_DKIM_SELECTOR and SMTP_DKIM_KEY.',
  ),
  dkimSelector: setting.optionalText('SMTP_DKIM_SELECTOR', 'DKIM selector of the published public key.'),
  dkimKey: setting.optionalText('SMTP_DKIM_KEY', 'DKIM private key, in PEM.', { secret: true }),
  returnPath: setting.optionalText(
    'SMTP_RETURN_PATH',
    'Address for bounces, for example `bounces@mail.example`. Each message gets its own signed one: `bounces+tag@mail.example`, or with the tag where a `*` is: `*@bounces.example`. Requires SMTP_BOUNCE_IMAP_URL or SMTP_BOUNCE_LISTEN. Unset: a message that the server accepted counts as delivered.',
  ),
  deliveredAfter_ms: setting.seconds(
    'SMTP_DELIVERED_AFTER_S',
    'Seconds after which a message without a bounce counts as delivered. A later bounce still changes its status. Only with SMTP_RETURN_PATH.',
    { fallback: 900, min: 0, max: 259_200 },
  ),
  reportDeliveries: setting.flag(
    'SMTP_REPORT_DELIVERIES',
    'Ask the server to report deliveries too, if it can (RFC 3461). Doubles the number of emails. Only with SMTP_RETURN_PATH.',
    { fallback: false },
  ),
  imapUrl: setting.optionalUrl(
    'SMTP_BOUNCE_IMAP_URL',
    'Mailbox that receives bounces and complaints, for example `imaps://user:password@mail.example:993/INBOX`. Let nothing else read it.',
    ['imap://', 'imaps://'],
    { secret: true },
  ),
  pollEvery_ms: setting.seconds('SMTP_BOUNCE_POLL_S', 'Seconds between looks into the mailbox.', {
    fallback: 20,
    min: 1,
    max: 60,
  }),
  listen: setting.optionalText(
    'SMTP_BOUNCE_LISTEN',
    'Address and port where the worker itself receives bounces over SMTP, for example `0.0.0.0:25`.',
  ),
  listenCertificate: setting.optionalText(
    'SMTP_BOUNCE_TLS_CERT',
    'Certificate for STARTTLS at SMTP_BOUNCE_LISTEN, in PEM; requires SMTP_BOUNCE_TLS_KEY.',
    { secret: true },
  ),
  listenKey: setting.optionalText('SMTP_BOUNCE_TLS_KEY', 'Private key of SMTP_BOUNCE_TLS_CERT, in PEM.', {
    secret: true,
  }),
};

export type SmtpSettings = Values<typeof smtpSettings>;
