import { createPublicKey } from 'node:crypto';
import { Transform } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { createTransport } from 'nodemailer';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isInsideName } from '../../../platform/http/networks.ts';
import type { Negotiated } from '../../../sending-domains/checks/tls.ts';
import type { MailServerFacts } from '../../../sending-domains/domain-providers.ts';
import type { Signature } from '../../../sending-domains/sender-domains.ts';
import type { EmailDescriptor, ProviderDeps } from '../descriptor.ts';
import { mimeOf } from '../mime.ts';
import type { EmailMessage, Outcome, Provider } from '../provider.ts';
import { pieceBytes } from '../transfer-encoding.ts';
import { problemsOfBounces, receiverChecks, receivers } from './bounces.ts';
import { ReturnPaths } from './return-path.ts';
import { type SmtpSettings, smtpSettings } from './settings.ts';
import { type Bounce, bounceInText, bounceOf, statusCodesIn } from './status-code.ts';

/** Any mail server. With a return path its bounces are read; without one, acceptance counts as delivery. */
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
  domains: { kind: 'signed-here', mailServer },
  together: ['listenCertificate', 'listenKey'],
  problems: problemsOfBounces,
  guide: 'smtp',
  open,
  receivers,
  receiverChecks,
  // Also without a return path, for messages that were sent while there was one.
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
          ...(message.signature && { dkim: dkimOf(message.signature) }),
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

/** Splits chunks: signing and sending process a whole chunk at once, and the longest emails would block the event loop for 100 ms. */
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

/** Requests the headers only, so that a bounce returns neither the content of the message nor its files. */
function reportsTo(
  paths: ReturnPaths,
  { reference, to, return_path_domain }: EmailMessage,
  { reportDeliveries }: SmtpSettings,
) {
  return {
    envelope: { from: paths.addressOf(reference, return_path_domain), to },
    dsn: {
      id: paths.signed(reference),
      return: 'headers' as const,
      notify: reportDeliveries ? ['failure' as const, 'success' as const] : ['failure' as const],
    },
  };
}

function mailServer(settings: SmtpSettings): MailServerFacts {
  const { returnPath, listen, ehloName, dkimDomain, dkimSelector, dkimKey } = settings;
  const key =
    dkimDomain && dkimSelector && dkimKey
      ? { domain: dkimDomain, selector: dkimSelector, publicKey: publicKeyOf(dkimKey) }
      : undefined;
  const returnPathDomain = returnPath?.slice(returnPath.lastIndexOf('@') + 1);
  return {
    returnPathDomain,
    listens: listen !== undefined,
    helo: ehloName,
    key,
    negotiate: () => negotiateTls(settings),
  };
}

function publicKeyOf(privateKey: string): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
}

/** Nothing is sent without STARTTLS, which an attacker could strip, except to a server on a private network. */
export function requiresTls({ url, requireTls }: Pick<SmtpSettings, 'url' | 'requireTls'>): boolean {
  return requireTls && url !== undefined && !isInsideName(new URL(url).hostname);
}

/** Headers to sign if a message has them. RFC 8058 requires signing both unsubscribe headers, and the library's list lacks the second. */
const signedHeaders = [
  ...['From', 'Sender', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'To', 'Cc'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'In-Reply-To', 'References'],
  ...['List-Id', 'List-Help', 'List-Unsubscribe', 'List-Unsubscribe-Post'],
];

function dkim({ dkimDomain: domainName, dkimSelector: keySelector, dkimKey: privateKey }: SmtpSettings) {
  if (!domainName || !keySelector || !privateKey) return {};
  return { dkim: dkimOf({ domain: domainName, selector: keySelector, privateKey }) };
}

function dkimOf({ domain: domainName, selector: keySelector, privateKey }: Signature) {
  return { domainName, keySelector, privateKey, headerFieldNames: signedHeaders.join(':') };
}

/** The errors that nodemailer throws. `command` is the one that failed. */
interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/** Other commands are rejected because of us: the server does not know the message yet. */
const subjects = new Map([
  ['RCPT TO', 'the recipient'],
  ['DATA', 'the message'],
]);

const statuses = { 'hard-bounce': 'permanent-failure', 'soft-bounce': 'temporary-failure' } as const;

/**
 * 4xx is temporary. 5xx for the recipient or the message means the same as in a bounce, unless the server rejects us or cannot accept any
 * message: then the message is retried, and other messages may go through another provider.
 */
function outcomeOf({ code, command, responseCode, response = '', name }: SmtpError): Outcome {
  const subject = subjects.get(command ?? '');
  // The message exceeds the size limit that the server announced or checked at MAIL FROM: a retry would fail too.
  if (command === 'MAIL FROM' && (code === 'EMESSAGE' || ((responseCode ?? 0) >= 500 && isTooLarge(response)))) {
    return { kind: 'refused', reason: 'the message is too large for the server', status: 'temporary-failure' };
  }
  if (responseCode !== undefined) {
    const text = withoutAddresses(response);
    const status_code = statusCodeIn(text);
    const reply = [responseCode, status_code].filter(Boolean).join(' ');
    if (responseCode < 500 || subject === undefined || isAboutUs(responseCode, status_code, text)) {
      return { kind: 'retry', reason: `${reply} to ${subject ?? command ?? 'the connection'}` };
    }
    return { kind: 'refused', reason: `${reply} to ${subject}`, status: statuses[meaningOf(status_code, text)] };
  }
  // Only after the message was written can the server have accepted it without a response.
  const written = command === 'DATA' || command === 'SEND' || (code === 'ETIMEDOUT' && command === undefined);
  return { kind: 'retry', reason: code ?? name, perhaps_sent: written };
}

/** Servers quote the recipient's address, which may contain any word or number. */
function withoutAddresses(response: string): string {
  return response.replaceAll(/<[^<>]*>|[^\s<>()]+@[^\s<>()]+/g, '');
}

function statusCodeIn(text: string): string | undefined {
  return statusCodesIn(text).find((code) => code.startsWith('5.') || code.startsWith('4.'));
}

/** Unclear means temporary, as in a bounce: a correct address must not count as wrong. */
function meaningOf(status_code: string | undefined, text: string): Bounce {
  const isPlain = status_code === undefined || status_code.endsWith('.0.0');
  return (isPlain ? bounceInText(text) : bounceOf(status_code)) ?? 'soft-bounce';
}

/** Wrong order of commands, the server accepts no mail, authentication required, authentication failed. */
const repliesAboutUs = new Set([500, 502, 503, 504, 521, 523, 530, 534, 535, 538]);
/**
 * The server accepts no mail or is misconfigured (5.3.2, 5.3.5), the account's sending limit (5.4.5), authentication and encryption (5.7.3,
 * 5.7.8 to 5.7.14), and Exchange's codes for relaying, missing authentication and the sender address.
 */
const codesAboutUs = /^5\.(3\.[25]|4\.5|7\.([389]|1[0-4]|5[47]|60))$/;
/** The texts of servers that respond with 5.7.1, or no code, to a client that may not relay. */
const wordsAboutUs =
  /\brelay(ing)?( access)? (is )?(denied|not (permitted|allowed)|prohibited)|unable to relay|\ballowed rcpthosts|authentication (is )?(required|needed)|not authenticated/i;

function isAboutUs(responseCode: number, status_code: string | undefined, text: string): boolean {
  if (repliesAboutUs.has(responseCode) || (status_code !== undefined && codesAboutUs.test(status_code))) return true;
  const saysWhat = status_code !== undefined && !/^5\.(0\.0|7\.[01])$/.test(status_code);
  return !saysWhat && wordsAboutUs.test(text);
}

function isTooLarge(response: string): boolean {
  return statusCodesIn(response).some((code) => code === '5.3.4' || code === '5.2.3');
}

/**
 * Finds out which encryption a connection to the mail server gets. It only sends EHLO, and accepts certificates that sending would refuse.
 * Returns undefined if the server cannot be reached.
 */
export async function negotiateTls({ url, ehloName }: SmtpSettings): Promise<Negotiated | undefined> {
  if (url === undefined) return undefined;
  const options = parseConnectionUrl(url);
  const connection = new SMTPConnection({
    ...options,
    name: ehloName,
    tls: { ...options.tls, rejectUnauthorized: false },
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 5_000,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      connection.on('error', reject);
      connection.connect(() => resolve());
    });
    return { ...encryptionOf(connection), outside: !isInsideName(new URL(url).hostname) };
  } catch {
    // The provider's check reports why the server cannot be reached.
    return undefined;
  } finally {
    connection.close();
  }
}

function encryptionOf({ _socket: socket }: SMTPConnection): Pick<Negotiated, 'tls' | 'certificate'> {
  if (!(socket instanceof TLSSocket)) return { tls: null, certificate: null };
  // At run time this is a code such as CERT_HAS_EXPIRED, though its declared type is Error.
  const problem = socket.authorizationError as unknown;
  const code = problem instanceof Error ? problem.message : String(problem);
  return { tls: socket.getProtocol(), certificate: socket.authorized ? 'valid' : code };
}
