import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { createSocketFolder, type Location } from './location.ts';
import { findRunningServer, passwordFile, type RunningServer, type ServerAddress } from './server.ts';

export type Transport = 'socket' | 'tcp';

const socketPort = 5432;
const loopback = '127.0.0.1';

export const usualTransport: Transport = process.platform === 'win32' ? 'tcp' : 'socket';

/** The port stays the same while this process runs, because connections are reopened after a restart of the server. */
export async function chooseAddress(location: Location, data: string, transport: Transport): Promise<ServerAddress> {
  if (transport === 'socket') return { host: createSocketFolder(location), port: socketPort, password: undefined };
  const port = findRunningServer({ data })?.port ?? (await findFreePort());
  return { host: loopback, port, password: findOrCreatePassword(location) };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, loopback);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

export function addressOf({ socketFolder, port }: RunningServer, folder: string): ServerAddress {
  if (socketFolder !== '') return { host: socketFolder, port, password: undefined };
  return { host: loopback, port, password: readPassword(folder) };
}

function findOrCreatePassword({ folder, user }: Location): string {
  const file = passwordFile(folder);
  try {
    // Fails if the file exists, or if another process has just created it.
    writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
    // initdb runs as this user and reads the file.
    if (user) chownSync(file, user.uid, user.gid);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readPassword(folder);
}

function readPassword(folder: string): string {
  return readFileSync(passwordFile(folder), 'utf8');
}

/** Port and sslmode are explicit because PGPORT and PGSSLMODE would otherwise override the defaults. */
export function toUrl({ host, port, password }: ServerAddress, user: string, database: string): string {
  if (password !== undefined) return `postgresql://${user}:${password}@${host}:${port}/${database}?sslmode=disable`;
  return `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}&sslmode=disable`;
}
