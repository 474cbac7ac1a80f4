import { createHash } from 'node:crypto';
import Client from 'ssh2-sftp-client';

interface Settings {
  sftpUrl: string | undefined;
  sftpPassword: string | undefined;
  sftpKey: string | undefined;
  sftpHostKey: string | undefined;
}

const timeout_ms = 20_000;

/** A connection to an SFTP server whose key is known. */
export class SftpConnection {
  /** The folder in the URL. */
  readonly home: string;
  private readonly client: Client;

  private constructor(client: Client, home: string) {
    this.client = client;
    this.home = home;
  }

  static async open({ sftpUrl = '', sftpPassword, sftpKey, sftpHostKey }: Settings): Promise<SftpConnection> {
    const { hostname, port, username, pathname } = new URL(sftpUrl);
    // Each call reports its own errors; without these functions the library writes to standard output.
    const client = new Client('print', { error: () => {}, end: () => {}, close: () => {} });
    let presented = '';
    try {
      await client.connect({
        host: hostname.replace(/^\[|\]$/g, ''),
        port: port === '' ? 22 : Number(port),
        username: decodeURIComponent(username),
        password: sftpPassword,
        privateKey: sftpKey,
        readyTimeout: timeout_ms,
        // A second attempt is the work of the task.
        retries: 0,
        hostVerifier: (key: Buffer) => {
          presented = fingerprintOf(key);
          return presented === sftpHostKey;
        },
      });
    } catch (error) {
      if (presented !== '' && presented !== sftpHostKey) {
        throw new Error(`the SFTP server of the printer has the key ${presented}, which is not PRINT_SFTP_HOST_KEY`);
      }
      throw error;
    }
    return new SftpConnection(client, decodeURIComponent(pathname) || '/');
  }

  /** The length of each file in a folder, which is created if it is missing. */
  async sizesIn(folder: string): Promise<Map<string, number>> {
    await this.client.mkdir(folder, true);
    return new Map((await this.client.list(folder)).map(({ name, size }) => [name, size]));
  }

  /** Uploads under a temporary name, so that a file under its own name is always complete. */
  async replace(path: string, content: Buffer, exists: boolean): Promise<void> {
    const temporary = `${path}.part`;
    await this.client.put(content, temporary);
    // SFTP does not rename to a name that is taken.
    if (exists) await this.client.delete(path, true);
    await this.client.rename(temporary, path);
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

/** As `ssh-keygen -l` prints it. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
