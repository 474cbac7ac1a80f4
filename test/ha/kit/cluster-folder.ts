import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseServerUser } from '../../../src/libraries/embedded-postgres/user.ts';
import { programPath } from './programs.ts';

/**
 * Waits until the test has ended, in whatever way, and then kills what works in the folder: the input is a pipe from the
 * test. Patroni starts PostgreSQL as a daemon, so there is no parent that could end it.
 */
const guard = `cat > /dev/null
for process in /proc/[0-9]*; do
  case "$(readlink "$process/cwd")" in
    "$1" | "$1"/*) kill -9 "\${process#/proc/}" ;;
  esac
done
sleep 1
rm -rf "$1"`;

/** The folder of a cluster, and the processes in it. */
export class ClusterFolder {
  readonly path: string;
  private readonly user = process.getuid?.() === 0 ? chooseServerUser() : undefined;
  private readonly guard: ChildProcess;

  constructor(parent = findRoom()) {
    this.path = mkdtempSync(join(parent, 'pennypost-cluster-'));
    chmodSync(this.path, 0o755);
    this.give(this.path);
    this.guard = spawn('sh', ['-c', guard, 'guard', this.path], {
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
      // Ctrl-C must not end it before the others.
      detached: true,
    });
  }

  folder(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    this.give(path);
    return path;
  }

  file(name: string, content: string): string {
    const path = join(this.path, name);
    writeFileSync(path, content);
    this.give(path);
    return path;
  }

  /** As another user, because PostgreSQL refuses to run as root. The output goes to a file. */
  run(name: string, program: string, words: string[]): ChildProcess {
    const log = openSync(join(this.path, `${name}.log`), 'a');
    const env = { PATH: programPath, LC_ALL: 'C', TZ: 'UTC', HOME: this.path };
    return spawn(program, words, { cwd: this.path, env, stdio: ['ignore', log, log], ...this.user });
  }

  async close(): Promise<void> {
    this.guard.stdin?.end();
    await once(this.guard, 'exit');
  }

  private give(path: string): void {
    if (this.user) chownSync(path, this.user.uid, this.user.gid);
  }
}

/**
 * In memory if there is room: on a disk that four servers share, etcd waits for seconds and the cluster falls apart. What
 * is killed loses nothing there that it would not lose on a disk.
 */
function findRoom(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 2 * 1024 ** 3 ? '/dev/shm' : tmpdir();
  } catch {
    return tmpdir();
  }
}
