import { type Text, t } from '../../language/text.ts';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import { examineRunning } from '../doctor/doctor.ts';
import type { Finding } from '../doctor/finding.ts';

/** The names of the checks on pages; the command line has English names. */
export const checkNames: ReadonlyMap<string, Text> = new Map([
  ['node', t('Node')],
  ['data folder', t('Data folder')],
  ['disk', t('Disk')],
  ['files', t('Files')],
  ['database', t('Database')],
  ['schema', t('Schema')],
  ['standbys', t('Standbys')],
  ['replica', t('Standby for reads')],
  ['clock', t('Clock')],
  ['secret key', t('Secret key')],
  ['single sign-on', t('Single sign-on')],
  ['sms', t('Text provider')],
  ['email', t('Email provider')],
  ['bounce mailbox', t('Bounce mailbox')],
  ['printer', t('Printer')],
  ['virus scanner', t('Virus scanner')],
  ['database disk', t('Disk of the database')],
  ['domains', t('Sending domains')],
]);

type Deps = Parameters<typeof examineRunning>[0];

export type LiveFinding = Finding & {
  /** When a failing check first failed in this process. */
  since: Timestamp | undefined;
};

const checkedEvery_ms = 5_000;

/**
 * Runs the checks of `pennypost doctor` while the page is open. A caller gets the previous results immediately and starts the next checks,
 * so a provider that hangs does not block the page that reports it.
 */
export class LiveChecks {
  private readonly app: Deps;
  private latest: LiveFinding[] | undefined;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private running: Promise<LiveFinding[]> | undefined;

  constructor(app: Deps) {
    this.app = app;
  }

  async list(): Promise<LiveFinding[]> {
    if (performance.now() - this.checkedAt >= checkedEvery_ms) {
      this.running ??= this.check().finally(() => {
        this.running = undefined;
      });
    }
    return this.latest ?? this.running ?? [];
  }

  private async check(): Promise<LiveFinding[]> {
    const now = timestamp(this.app.clock.now());
    const failedBefore = new Map(this.latest?.map((one) => [keyOf(one), one.since]));
    const found = await examineRunning(this.app);
    this.latest = found.map((one) => ({
      ...one,
      since: one.ok ? undefined : (one.since ?? failedBefore.get(keyOf(one)) ?? now),
    }));
    this.checkedAt = performance.now();
    return this.latest;
  }
}

function keyOf({ name, provider = '' }: Finding): string {
  return `${name} ${provider}`;
}
