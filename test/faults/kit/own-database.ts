import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/libraries/embedded-postgres/embedded-postgres.ts';
import { createLog } from '../../../src/platform/log.ts';

/** A durable PostgreSQL for fault injection, restarted whenever it ends, as by a service manager. */
export class OwnDatabase {
  private readonly folder: string;
  private readonly server: EmbeddedPostgres;

  static async start(): Promise<OwnDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'pennypost-faults-'));
    // The server runs as another user when we are root.
    chmodSync(folder, 0o711);
    return new OwnDatabase(folder, await startEmbeddedPostgres({ dataDir: folder, log: createLog('silent') }));
  }

  private constructor(folder: string, server: EmbeddedPostgres) {
    this.folder = folder;
    this.server = server;
  }

  get url(): string {
    return this.server.url;
  }

  /** To the postmaster, which ends every session with itself. */
  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(this.pid, signal);
    } catch {
      // It is down already.
    }
  }

  /** To every process of the server. */
  signalAll(signal: NodeJS.Signals): void {
    const { pid } = this;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const each of [pid, ...children.map(Number)]) process.kill(each, signal);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    for (const path of [this.server.location, this.folder]) rmSync(path, { recursive: true, force: true });
  }

  private get pid(): number {
    return Number(readFileSync(join(this.server.location, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }
}
