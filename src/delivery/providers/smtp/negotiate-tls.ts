import { TLSSocket } from 'node:tls';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isInsideName } from '../../../platform/http/networks.ts';
import type { Negotiated } from '../../../sending-domains/checks/tls.ts';
import type { SmtpSettings } from './settings.ts';

/**
 * Which encryption a connection to the mail server gets. It says hello and no more, and looks at a certificate that sending would refuse.
 * Undefined if there is no server to talk to.
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
    // Whether it can be reached is the check of the provider, which says why not.
    return undefined;
  } finally {
    connection.close();
  }
}

function encryptionOf({ _socket: socket }: SMTPConnection): Pick<Negotiated, 'tls' | 'certificate'> {
  if (!(socket instanceof TLSSocket)) return { tls: null, certificate: null };
  // A code such as CERT_HAS_EXPIRED; the declared type knows errors only.
  const problem = socket.authorizationError as unknown;
  const code = problem instanceof Error ? problem.message : String(problem);
  return { tls: socket.getProtocol(), certificate: socket.authorized ? 'valid' : code };
}
