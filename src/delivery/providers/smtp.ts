import { createTransport } from 'nodemailer';
import type { Config } from '../../config.ts';
import { isInsideName } from '../../platform/http/outside-addresses.ts';
import { mailOf } from './mime.ts';
import type { EmailMessage, Outcome, Provider } from './provider.ts';

interface Deps {
  config: Pick<
    Config,
    'SMTP_URL' | 'SMTP_REQUIRE_TLS' | 'SMTP_CONNECTIONS' | 'SMTP_DKIM_DOMAIN' | 'SMTP_DKIM_SELECTOR' | 'SMTP_DKIM_KEY'
  >;
}

/** Any mail server. SMTP has no receipts, so an accepted message counts as delivered. */
export function smtp({ config }: Deps): Provider<EmailMessage> {
  const transport = createTransport({
    url: config.SMTP_URL,
    requireTLS: requiresTls(config),
    pool: true,
    maxConnections: config.SMTP_CONNECTIONS,
    maxMessages: 1_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...dkim(config),
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
export function requiresTls({ SMTP_URL, SMTP_REQUIRE_TLS }: Pick<Config, 'SMTP_URL' | 'SMTP_REQUIRE_TLS'>): boolean {
  return SMTP_REQUIRE_TLS && SMTP_URL !== undefined && !isInsideName(new URL(SMTP_URL).hostname);
}

function dkim(config: Deps['config']) {
  const { SMTP_DKIM_DOMAIN: domainName, SMTP_DKIM_SELECTOR: keySelector, SMTP_DKIM_KEY: privateKey } = config;
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
