import { createTransport } from 'nodemailer';
import type { Config } from '../../config.ts';
import { isInsideName } from '../../platform/http/outside-addresses.ts';
import { mailOf } from './mime.ts';
import type { EmailMessage, Outcome, Provider } from './provider.ts';

type Deps = {
  config: Pick<
    Config,
    'SMTP_URL' | 'SMTP_REQUIRE_TLS' | 'SMTP_CONNECTIONS' | 'SMTP_DKIM_DOMAIN' | 'SMTP_DKIM_SELECTOR' | 'SMTP_DKIM_KEY'
  >;
};

/** Any mail server. It sends no receipts, so its yes is the last word: delivered. */
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

/** A server that offers no STARTTLS, or a network that hides the offer, gets nothing, unless it is our own network. */
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

/** What a server says when it refuses the recipient because of who is asking: policy (5.7.x), no relay, no sign-in. */
const aboutUs = /5\.7\.\d+|relay|authenti/i;

/** 5xx to the recipient is about the recipient; 5xx to anything else is about us, and 4xx is about now. */
function outcomeOf({ code, command, responseCode, response, name }: SmtpError): Outcome {
  if (responseCode !== undefined) {
    if (responseCode >= 500 && command === 'RCPT TO' && !aboutUs.test(response ?? '')) {
      return { kind: 'refused', reason: `${responseCode} to the recipient`, status: 'permanent-failure' };
    }
    return { kind: 'retry', reason: `${responseCode} to ${command ?? 'the connection'}` };
  }
  // Only after the message itself has been written can the server have it without having said so.
  const written = command === 'DATA' || command === 'SEND' || (code === 'ETIMEDOUT' && command === undefined);
  return { kind: 'retry', reason: code ?? name, perhaps_sent: written };
}
