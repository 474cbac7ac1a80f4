import { createTransport } from 'nodemailer';
import { isInsideName } from '../../platform/http/outside-addresses.ts';
import * as setting from '../../platform/setting.ts';
import type { Values } from '../../platform/setting-groups.ts';
import type { EmailDescriptor, ProviderDeps } from './descriptor.ts';
import { mailOf } from './mime.ts';
import type { EmailMessage, Outcome, Provider } from './provider.ts';

const settings = {
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
};

/** Any mail server. SMTP has no receipts, so an accepted message counts as delivered. */
export const smtp = {
  name: 'smtp' as const,
  channel: 'email',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c06',
    display_name: 'SMTP',
    priority: 50,
    supports_international: false,
  },
  settings,
  required: ['url'],
  open,
} satisfies EmailDescriptor<typeof settings>;

type SmtpSettings = Values<typeof settings>;

function open(app: ProviderDeps<typeof settings>): Provider<EmailMessage> {
  const transport = createTransport({
    url: app.settings.url,
    requireTLS: requiresTls(app.settings),
    pool: true,
    maxConnections: app.settings.connections,
    maxMessages: 1_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...dkim(app.settings),
  });
  return {
    name: 'smtp',
    async close() {
      transport.close();
    },
    async check() {
      try {
        await transport.verify();
      } catch (error) {
        const { response, message } = error as SmtpError;
        throw new Error(`${response ?? message}: correct SMTP_URL`);
      }
    },
    async send(message) {
      try {
        await transport.sendMail(mailOf(message));
        return { kind: 'accepted', final: 'delivered' };
      } catch (error) {
        return outcomeOf(error as SmtpError);
      }
    },
  };
}

/** Without STARTTLS (or if an attacker strips it) nothing is sent, except to a server on a private network. */
export function requiresTls({ url, requireTls }: Pick<SmtpSettings, 'url' | 'requireTls'>): boolean {
  return requireTls && url !== undefined && !isInsideName(new URL(url).hostname);
}

function dkim({ dkimDomain: domainName, dkimSelector: keySelector, dkimKey: privateKey }: SmtpSettings) {
  return domainName && keySelector && privateKey ? { dkim: { domainName, keySelector, privateKey } } : {};
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/** Matches rejections of the sender, not of the recipient: policy (5.7.x), relaying denied, not authenticated. */
const senderRejected = /5\.7\.\d+|relay|authenti/i;

/** 5xx to RCPT TO rejects the recipient; any other 5xx rejects us; 4xx is temporary. */
function outcomeOf({ code, command, responseCode, response, name }: SmtpError): Outcome {
  if (responseCode !== undefined) {
    if (responseCode >= 500 && command === 'RCPT TO' && !senderRejected.test(response ?? '')) {
      return { kind: 'refused', reason: `${responseCode} to the recipient`, status: 'permanent-failure' };
    }
    return { kind: 'retry', reason: `${responseCode} to ${command ?? 'the connection'}` };
  }
  // Only after the message was written can the server have it without having confirmed it.
  const written = command === 'DATA' || command === 'SEND' || (code === 'ETIMEDOUT' && command === undefined);
  return { kind: 'retry', reason: code ?? name, perhaps_sent: written };
}
