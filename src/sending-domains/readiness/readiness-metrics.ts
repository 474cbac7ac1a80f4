import { minute_ms } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  getDomainReadiness,
  getInstallationReadiness,
  listReadyDomains,
  type Readiness,
  type ReadinessDeps,
} from './readiness.ts';

type Deps = Platform & ReadinessDeps;

/** Rows change hourly, and a scrape must not wait for hundreds of domains. */
const every_ms = 15 * minute_ms;

interface Measured {
  labels: { domain_kind: string; row: string; verdict: string };
  value: number;
}

/** A scrape returns the latest measurement, and starts a new one if that is old. */
export function measureReadiness(app: Deps): void {
  let measured: Measured[] = [];
  let dueAt = 0;
  const measure = async () => {
    measured = count(await evaluateAll(app));
  };
  const help = 'Domains that emails come from, by whether they keep a rule of the large mailbox providers';
  app.metrics.gauges('sender_readiness', help, ['domain_kind', 'row', 'verdict'], async () => {
    const now = app.clock.now().getTime();
    if (now < dueAt) return measured;
    dueAt = now + every_ms;
    const isFirst = measured.length === 0;
    const measuring = measure().catch((err: unknown) => {
      dueAt = 0;
      app.log.error({ event: 'sender_readiness.failed', err }, 'Whether domains can send could not be measured');
    });
    if (isFirst) await measuring;
    return measured;
  });
}

/** Evaluates one domain after the other, because nobody waits for the result. */
async function evaluateAll(app: Deps): Promise<Readiness[]> {
  const found: Readiness[] = [];
  for (const { id } of await listReadyDomains(app)) {
    found.push(id === undefined ? await getInstallationReadiness(app) : await getDomainReadiness(app, id));
  }
  return found;
}

function count(all: Readiness[]): Measured[] {
  const counts = new Map<string, Measured>();
  for (const { domain_kind, rows } of all) {
    for (const { row, verdict } of rows) {
      const key = `${domain_kind} ${row} ${verdict}`;
      const known = counts.get(key) ?? { labels: { domain_kind, row, verdict }, value: 0 };
      counts.set(key, { ...known, value: known.value + 1 });
    }
  }
  return [...counts.values()];
}
