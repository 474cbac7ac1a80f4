import { createHash, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;

export interface SftpServer {
  url: string;
  hostKey: string;
  /** What clients did, in order. */
  log: string[];
  /** Cuts the connection before the write of a file whose name contains this text, once. */
  cutAt: string | undefined;
  close(): Promise<void>;
}

/** An SFTP server (ssh2) on a folder. The user is `notify`, with a password or a key. */
export async function startSftpServer(
  folder: string,
  accepts: { password?: string; key?: string },
): Promise<SftpServer> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const parsed = ssh2.utils.parseKey(pem);
  if (parsed instanceof Error) throw parsed;
  const digest = createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '');
  const allowed = accepts.key === undefined ? undefined : ssh2.utils.parseKey(accepts.key);
  const state: Omit<SftpServer, 'url' | 'close'> = { hostKey: `SHA256:${digest}`, log: [], cutAt: undefined };
  const clients = new Set<ssh2.Connection>();
  const server = new ssh2.Server({ hostKeys: [pem] }, (client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    client.on('authentication', (context) => {
      if (context.username !== 'notify') return context.reject();
      if (context.method === 'password' && context.password === accepts.password) return context.accept();
      if (context.method === 'publickey' && allowed && !(allowed instanceof Error)) {
        const isKnown = context.key.data.equals(allowed.getPublicSSH());
        const isSigned =
          !context.signature || allowed.verify(context.blob ?? Buffer.alloc(0), context.signature, context.hashAlgo);
        if (isKnown && isSigned === true) return context.accept();
      }
      context.reject(['password', 'publickey']);
    });
    client.on('ready', () => client.on('session', (accept) => accept().on('sftp', (start) => serve(start(), client))));
  });

  function serve(sftp: ssh2.SFTPWrapper, client: ssh2.Connection): void {
    const at = (path: string) => join(folder, path);
    const open: { path: string; chunks: Buffer[] }[] = [];
    const listed = new Set<number>();
    const handle = (entry: { path: string; chunks: Buffer[] }) => {
      const buffer = Buffer.alloc(4);
      buffer.writeUInt32BE(open.push(entry) - 1);
      return buffer;
    };
    const attributes = (path: string) => {
      const { mode, size, uid, gid, atimeMs, mtimeMs } = statSync(at(path));
      return { mode, size, uid, gid, atime: Math.floor(atimeMs / 1_000), mtime: Math.floor(mtimeMs / 1_000) };
    };
    const stat = (id: number, path: string) =>
      existsSync(at(path)) ? sftp.attrs(id, attributes(path)) : sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
    const attempt = (id: number, work: () => void) => {
      try {
        work();
        sftp.status(id, STATUS_CODE.OK);
      } catch {
        sftp.status(id, STATUS_CODE.FAILURE);
      }
    };
    sftp.on('REALPATH', (id, path) =>
      sftp.name(id, [{ filename: join('/', path), longname: path, attrs: {} as ssh2.Attributes }]),
    );
    sftp.on('STAT', stat);
    sftp.on('LSTAT', stat);
    sftp.on('MKDIR', (id, path) => attempt(id, () => mkdirSync(at(path))));
    sftp.on('REMOVE', (id, path) =>
      attempt(id, () => {
        state.log.push(`delete ${path}`);
        rmSync(at(path));
      }),
    );
    sftp.on('RENAME', (id, from, to) =>
      attempt(id, () => {
        if (existsSync(at(to))) throw new Error('the name is taken');
        state.log.push(`rename ${from} ${to}`);
        renameSync(at(from), at(to));
      }),
    );
    sftp.on('OPEN', (id, path, flags) => {
      if (!(flags & OPEN_MODE.WRITE)) return sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
      state.log.push(`open ${path}`);
      sftp.handle(id, handle({ path, chunks: [] }));
    });
    sftp.on('WRITE', (id, buffer, _offset, data) => {
      const entry = open[buffer.readUInt32BE()];
      if (!entry) return sftp.status(id, STATUS_CODE.FAILURE);
      if (state.cutAt !== undefined && entry.path.includes(state.cutAt)) {
        state.cutAt = undefined;
        writeFileSync(at(entry.path), data.subarray(0, 3));
        return void client.end();
      }
      entry.chunks.push(Buffer.from(data));
      sftp.status(id, STATUS_CODE.OK);
    });
    sftp.on('FSTAT', (id, buffer) => stat(id, open[buffer.readUInt32BE()]?.path ?? ''));
    sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS_CODE.OK));
    sftp.on('OPENDIR', (id, path) => sftp.handle(id, handle({ path, chunks: [] })));
    sftp.on('READDIR', (id, buffer) => {
      const number = buffer.readUInt32BE();
      const path = open[number]?.path ?? '';
      const names = listed.has(number) ? [] : readdirSync(at(path));
      listed.add(number);
      if (names.length === 0) return sftp.status(id, STATUS_CODE.EOF);
      sftp.name(
        id,
        names.map((filename) => ({
          filename,
          longname: `-rw-r--r-- 1 notify notify 0 Jan 1 00:00 ${filename}`,
          attrs: attributes(join(path, filename)),
        })),
      );
    });
    sftp.on('CLOSE', (id, buffer) => {
      const entry = open[buffer.readUInt32BE()];
      if (entry && entry.chunks.length > 0) writeFileSync(at(entry.path), Buffer.concat(entry.chunks));
      sftp.status(id, STATUS_CODE.OK);
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    url: `sftp://notify@127.0.0.1:${(server.address() as AddressInfo).port}/letters`,
    async close() {
      for (const client of clients) client.end();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}
