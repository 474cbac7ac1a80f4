import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

const debianFolder = '/usr/lib/postgresql';

/** The programs of the newest PostgreSQL that Debian's packages installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).map(Number) : [];
  const folders = versions.sort((one, other) => other - one).map((version) => `${debianFolder}/${version}/bin`);
  return folders.find((folder) => existsSync(`${folder}/postgres`) && existsSync(`${folder}/pg_rewind`));
}

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: programPath } }).status === 0;
}

/** Also where Debian installs what is meant for administrators. */
export const programPath = `${process.env.PATH}:/usr/sbin:/sbin`;

/** Global set-up: stops the run if a program is missing. */
export default function setup(): void {
  const missing = ['patroni', 'etcd', 'haproxy'].filter((program) => !isInstalled(program));
  if (findPostgres() === undefined) missing.push('postgresql');
  if (missing.length === 0) return;
  throw new Error(
    `npm run test:ha starts a PostgreSQL cluster, and these programs are missing: ${missing.join(', ')}.\n` +
      'On Debian: apt-get install -y --no-install-recommends patroni etcd-server haproxy postgresql python3-etcd python3-psycopg2',
  );
}
