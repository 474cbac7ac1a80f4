import { createHash, generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;

export interface SftpServer {
  url: string;
  hostKey: string;
  /** What clients did, in order. */
  log: string[];
  /** Cuts the connection once, before it lists, reads, writes or renames a path that contains this text. */
  cutAt: string | undefined;
  /** Refuses to write files to paths that begin with this text, and to move files there. */
  readOnly: string | undefined;
  /** Names that it lists in addition to those of the files. */
  inventedNames: string[];
  /** Lists those names again in every response, without end. */
  listsWithoutEnd: boolean;
  /** Sends files whose path contains this text without end. */
  readsWithoutEnd: string | undefined;
  /** Does not respond to requests to list a folder, and keeps the connection open. */
  listsNothing: boolean;
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
  const state: Omit<SftpServer, 'url' | 'close'> = {
    hostKey: `SHA256:${digest}`,
    log: [],
    cutAt: undefined,
    readOnly: undefined,
    inventedNames: [],
    listsWithoutEnd: false,
    readsWithoutEnd: undefined,
    listsNothing: false,
  };
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
    const attributes = (path: string, read = statSync) => {
      const { mode, size, uid, gid, atimeMs, mtimeMs } = read(at(path));
      return { mode, size, uid, gid, atime: Math.floor(atimeMs / 1_000), mtime: Math.floor(mtimeMs / 1_000) };
    };
    const stat = (id: number, path: string) =>
      existsSync(at(path)) ? sftp.attrs(id, attributes(path)) : sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
    const isReadOnly = (path: string) => state.readOnly !== undefined && path.startsWith(state.readOnly);
    const cuts = (path: string) => {
      if (state.cutAt === undefined || !path.includes(state.cutAt)) return false;
      state.cutAt = undefined;
      client.end();
      return true;
    };
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
    sftp.on('RENAME', (id, from, to) => {
      if (cuts(to)) return;
      attempt(id, () => {
        if (existsSync(at(to)) || isReadOnly(to)) throw new Error('the name is taken, or may not be');
        state.log.push(`rename ${from} ${to}`);
        renameSync(at(from), at(to));
      });
    });
    sftp.on('OPEN', (id, path, flags) => {
      if (!(flags & OPEN_MODE.WRITE)) {
        if (!existsSync(at(path))) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
        state.log.push(`read ${path}`);
        return sftp.handle(id, handle({ path, chunks: [] }));
      }
      if (isReadOnly(path)) return sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
      state.log.push(`open ${path}`);
      sftp.handle(id, handle({ path, chunks: [] }));
    });
    sftp.on('READ', (id, buffer, offset, length) => {
      const { path = '' } = open[buffer.readUInt32BE()] ?? {};
      if (cuts(path)) return;
      const data = readFileSync(at(path)).subarray(offset, offset + length);
      if (data.length > 0) return sftp.data(id, data);
      const isEndless = state.readsWithoutEnd !== undefined && path.includes(state.readsWithoutEnd);
      return isEndless ? sftp.data(id, Buffer.alloc(length, 'x')) : sftp.status(id, STATUS_CODE.EOF);
    });
    sftp.on('WRITE', (id, buffer, _offset, data) => {
      const entry = open[buffer.readUInt32BE()];
      if (!entry) return sftp.status(id, STATUS_CODE.FAILURE);
      if (cuts(entry.path)) return writeFileSync(at(entry.path), data.subarray(0, 3));
      entry.chunks.push(Buffer.from(data));
      sftp.status(id, STATUS_CODE.OK);
    });
    sftp.on('FSTAT', (id, buffer) => stat(id, open[buffer.readUInt32BE()]?.path ?? ''));
    sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS_CODE.OK));
    sftp.on('OPENDIR', (id, path) =>
      existsSync(at(path)) ? sftp.handle(id, handle({ path, chunks: [] })) : sftp.status(id, STATUS_CODE.NO_SUCH_FILE),
    );
    sftp.on('READDIR', (id, buffer) => {
      const number = buffer.readUInt32BE();
      const path = open[number]?.path ?? '';
      if (cuts(path)) return;
      if (state.listsNothing) return void state.log.push(`list ${path}`);
      const isFirst = !listed.has(number);
      listed.add(number);
      const names = isFirst ? readdirSync(at(path)) : [];
      const invented = isFirst || state.listsWithoutEnd ? state.inventedNames : [];
      const entry = (filename: string, attrs: ssh2.Attributes) => ({ filename, longname: filename, attrs });
      const regular = { mode: 0o100_644, size: 10, uid: 0, gid: 0, atime: 0, mtime: 0 };
      const entries = [
        ...names.map((name) => entry(name, attributes(join(path, name), lstatSync))),
        ...invented.map((name) => entry(name, regular)),
      ];
      return entries.length === 0 ? sftp.status(id, STATUS_CODE.EOF) : sftp.name(id, entries);
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
