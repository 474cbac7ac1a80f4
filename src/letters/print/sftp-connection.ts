import { createHash, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { posix } from 'node:path';
import type { FileEntryWithStats, SFTPWrapper } from 'ssh2';
import type Client from 'ssh2-sftp-client';

interface SftpSettings {
  sftpUrl: string | undefined;
  sftpPassword: string | undefined;
  sftpKey: string | undefined;
  sftpHostKey: string | undefined;
}

export interface RemoteFile {
  name: string;
  size_bytes: number;
  modifiedAt: Date;
  /** False for folders, symbolic links and other special files. */
  regular: boolean;
}

const maxSilence_ms = 20_000;
/** The timeout of one call: a server may keep the connection open and never respond. */
const maxCall_ms = 60_000;
const maxTransfer_ms = 300_000;
/** A batch that takes longer continues in its next attempt. */
const maxConnection_ms = 900_000;
/** More files than any print run has. Without a limit, a server could list names endlessly. */
const maxListed = 200_000;

/** A connection to an SFTP server whose host key is known. The server may be slow, broken or hostile, so time and memory are bounded. */
export class SftpConnection {
  /** The folder in PRINT_SFTP_URL. */
  readonly home: string;
  private readonly client: Client;
  private readonly sftp: SFTPWrapper;
  private readonly socket: Socket;

  private constructor(client: Client, sftp: SFTPWrapper, socket: Socket, home: string) {
    this.client = client;
    this.sftp = sftp;
    this.socket = socket;
    this.home = home;
  }

  static async open({ sftpUrl = '', sftpPassword, sftpKey, sftpHostKey }: SftpSettings): Promise<SftpConnection> {
    const { hostname, port, username, pathname } = new URL(sftpUrl);
    // Imported on demand, because its WebAssembly cipher takes 17 MB.
    const { default: SftpClient } = await import('ssh2-sftp-client');
    // Each call reports its own errors; without these handlers the library writes to standard output.
    const client = new SftpClient('print', { error: () => {}, end: () => {}, close: () => {} });
    const socket = boundedSocket(hostname.replace(/^\[|\]$/g, ''), port === '' ? 22 : Number(port));
    let presented = '';
    try {
      const sftp = await client.connect({
        sock: socket,
        username: decodeURIComponent(username),
        password: sftpPassword,
        privateKey: sftpKey,
        readyTimeout: maxSilence_ms,
        // The task retries, not the connection.
        retries: 0,
        hostVerifier: (key: Buffer) => {
          presented = fingerprintOf(key);
          return presented === sftpHostKey;
        },
      });
      return new SftpConnection(client, sftp, socket, decodeURIComponent(pathname) || '/');
    } catch (error) {
      socket.destroy();
      if (presented !== '' && presented !== sftpHostKey) {
        throw new Error(`the SFTP server of the printer has the key ${presented}, which is not PRINT_SFTP_HOST_KEY`);
      }
      throw error;
    }
  }

  /** Returns the length of each file in a folder, and creates the folder if it is missing. */
  async sizesIn(folder: string): Promise<Map<string, number>> {
    await this.createFolder(folder);
    const sizes = new Map<string, number>();
    for await (const { name, size_bytes } of this.list(folder, maxListed)) sizes.set(name, size_bytes);
    return sizes;
  }

  /** Yields at most `maxEntries` entries of a folder. */
  async *list(folder: string, maxEntries: number): AsyncGenerator<RemoteFile> {
    const handle = await this.answerOf<Buffer>((done) => this.sftp.opendir(folder, done));
    try {
      for (let listed = 0; listed < maxEntries; ) {
        const entries = await this.readEntries(handle);
        if (!entries) return;
        for (const entry of entries.slice(0, maxEntries - listed)) yield remoteFile(entry);
        // A response without entries counts as one, because a server could send these endlessly.
        listed += Math.max(entries.length, 1);
      }
    } finally {
      // A lost connection does not respond any more.
      if (this.isOpen) await this.answerOf((done) => this.sftp.close(handle, done));
    }
  }

  /** Returns undefined at the end of the folder. */
  private async readEntries(handle: Buffer): Promise<FileEntryWithStats[] | undefined> {
    try {
      return await this.answerOf<FileEntryWithStats[]>((done) => this.sftp.readdir(handle, done));
    } catch (error) {
      if ((error as { code?: unknown }).code === endOfFile) return undefined;
      throw error;
    }
  }

  private answerOf<T = void>(call: (done: (error: Error | undefined | null, value?: T) => void) => void): Promise<T> {
    return this.within(
      maxCall_ms,
      () =>
        new Promise<T>((resolve, reject) => {
          call((error, value) => (error ? reject(error) : resolve(value as T)));
        }),
    );
  }

  /** Closes the connection if a call takes too long. ssh2 itself never ends a call whose connection was destroyed here. */
  private within<T>(limit_ms: number, call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const lost = () => reject(new Error('the connection to the SFTP server of the printer was lost'));
      if (!this.isOpen) return lost();
      const giveUp = () =>
        this.socket.destroy(new Error(`the SFTP server of the printer did not answer for ${limit_ms / 1_000} s`));
      const timer = setTimeout(giveUp, limit_ms).unref();
      this.socket.once('close', lost);
      call()
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
          this.socket.off('close', lost);
        });
    });
  }

  /** Reads a file, or only the start of a longer one. */
  async read(path: string, maxBytes: number): Promise<Buffer> {
    // Options of ssh2 that the client's types lack.
    const readStreamOptions: object = { start: 0, end: maxBytes - 1 };
    // An empty file is an empty list.
    const content = await this.within(maxTransfer_ms, () => this.client.get(path, undefined, { readStreamOptions }));
    return Buffer.from(content as Buffer | []);
  }

  /** Uploads under a temporary name, so that a file with its final name is always complete. */
  async replace(path: string, content: Buffer, exists: boolean): Promise<void> {
    const temporary = `${path}.part`;
    await this.within(maxTransfer_ms, () => this.client.put(content, temporary));
    // SFTP cannot rename to an existing name.
    if (exists) await this.within(maxCall_ms, () => this.client.delete(path, true));
    await this.move(temporary, path);
  }

  async move(from: string, to: string): Promise<void> {
    await this.within(maxCall_ms, () => this.client.rename(from, to));
  }

  async createFolder(folder: string): Promise<void> {
    await this.within(maxCall_ms, () => this.client.mkdir(folder, true));
  }

  /**
   * Writes a file, moves it to another folder if one is given, and deletes it. Returns the server's time, which the age of its files is
   * compared with.
   */
  async tryToWrite(folder: string, target = folder): Promise<Date> {
    const name = `.pennypost-${randomUUID()}.part`;
    const path = posix.join(target, name);
    const content = Buffer.from('Pennypost deletes this file at once.\n');
    await this.within(maxCall_ms, () => this.client.put(content, posix.join(folder, name)));
    if (target !== folder) await this.move(posix.join(folder, name), path);
    const { modifyTime } = await this.within(maxCall_ms, () => this.client.stat(path));
    await this.within(maxCall_ms, () => this.client.delete(path));
    return new Date(modifyTime);
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  async close(): Promise<void> {
    if (this.isOpen) await this.client.end();
  }
}

const endOfFile = 1;

/** Creates a socket that is destroyed when the server is silent or takes too long; waiting calls then fail. */
function boundedSocket(host: string, port: number): Socket {
  const socket = connect({ host, port });
  const giveUp = (why: string) => socket.destroy(new Error(`the SFTP server of the printer ${why}`));
  socket.setTimeout(maxSilence_ms, () => giveUp(`sent nothing for ${maxSilence_ms / 1_000} s`));
  const tooLong = `was connected for more than ${maxConnection_ms / 60_000} minutes`;
  const timer = setTimeout(() => giveUp(tooLong), maxConnection_ms).unref();
  socket.once('close', () => clearTimeout(timer));
  return socket;
}

function remoteFile({ filename, attrs }: FileEntryWithStats): RemoteFile {
  const { size, mtime } = attrs;
  return { name: filename, size_bytes: size, modifiedAt: new Date(mtime * 1_000), regular: attrs.isFile() };
}

/** Returns the fingerprint in the format of `ssh-keygen -l`. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
