import { Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { isInsideName } from '../../../platform/http/networks.ts';
import type { EmailDescriptor, ProviderDeps } from '../descriptor.ts';
import { mimeOf } from '../mime.ts';
import type { EmailMessage, Provider } from '../provider.ts';
import { pieceBytes } from '../transfer-encoding.ts';
import { problemsOfBounces, receiverChecks, receivers } from './bounces.ts';
import { ReturnPaths } from './return-path.ts';
import { outcomeOf, type SmtpError } from './session-outcome.ts';
import { type SmtpSettings, smtpSettings } from './settings.ts';

/** Any mail server. With a return path its bounces are read; without, an accepted message counts as delivered. */
export const smtp = {
  name: 'smtp' as const,
  channel: 'email',
  details: {
    id: '2e3a6c1e-6f0f-4f0c-9c9a-9d3f3a5d1c06',
    display_name: 'SMTP',
    priority: 50,
    supports_international: false,
  },
  settings: smtpSettings,
  required: ['url'],
  together: ['listenCertificate', 'listenKey'],
  problems: problemsOfBounces,
  open,
  receivers,
  receiverChecks,
  // Also without a return path: those that were sent with one.
  deliveredAfter_ms: ({ deliveredAfter_ms }) => deliveredAfter_ms,
} satisfies EmailDescriptor<typeof smtpSettings>;

function open(app: ProviderDeps<typeof smtpSettings>): Provider<EmailMessage> {
  const { returnPath, deliveredAfter_ms: delivered_after_ms } = app.settings;
  const paths = returnPath === undefined ? undefined : new ReturnPaths(returnPath, app.secrets);
  const transport = createTransport({
    url: app.settings.url,
    requireTLS: requiresTls(app.settings),
    name: app.settings.ehloName,
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
  transport.use('stream', ({ data, message }, done) => {
    if (Buffer.isBuffer(data.raw) && data.raw.length > pieceBytes) message.transform(inPieces);
    done();
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
        await transport.sendMail({
          raw: await mimeOf(message, app.clock.now()),
          envelope: { from: message.from.address, to: message.to },
          ...(paths && reportsTo(paths, message, app.settings)),
        });
        return paths && delivered_after_ms > 0
          ? { kind: 'accepted', delivered_after_ms }
          : { kind: 'accepted', final: 'delivered' };
      } catch (error) {
        return outcomeOf(error as SmtpError);
      }
    },
  };
}

/** Signing and sending work on what they get at one go: with the longest emails they would block other work for a tenth of a second. */
function inPieces(): Transform {
  return new Transform({
    async transform(chunk: Buffer, _, done) {
      for (let from = 0; from < chunk.length; from += pieceBytes) {
        this.push(chunk.subarray(from, from + pieceBytes));
        await setImmediate();
      }
      done();
    },
  });
}

/** Asks for the headers only: a bounce then returns neither the content of the message nor its files. */
function reportsTo(paths: ReturnPaths, { reference, to }: EmailMessage, { reportDeliveries }: SmtpSettings) {
  return {
    envelope: { from: paths.addressOf(reference), to },
    dsn: {
      id: paths.signed(reference),
      return: 'headers' as const,
      notify: reportDeliveries ? ['failure' as const, 'success' as const] : ['failure' as const],
    },
  };
}

/** Without STARTTLS (or if an attacker strips it) nothing is sent, except to a server on a private network. */
export function requiresTls({ url, requireTls }: Pick<SmtpSettings, 'url' | 'requireTls'>): boolean {
  return requireTls && url !== undefined && !isInsideName(new URL(url).hostname);
}

/**
 * The headers that are signed if a message has them. RFC 8058 requires both of the unsubscribe button, and the list of the library
 * lacks the second.
 */
const signedHeaders = [
  ...['From', 'Sender', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'To', 'Cc'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'In-Reply-To', 'References'],
  ...['List-Id', 'List-Help', 'List-Unsubscribe', 'List-Unsubscribe-Post'],
];

function dkim({ dkimDomain: domainName, dkimSelector: keySelector, dkimKey: privateKey }: SmtpSettings) {
  if (!domainName || !keySelector || !privateKey) return {};
  return { dkim: { domainName, keySelector, privateKey, headerFieldNames: signedHeaders.join(':') } };
}
