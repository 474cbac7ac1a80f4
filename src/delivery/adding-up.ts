import { addUpChanges } from '../notifications/rollups/rollups.ts';
import { addUpPlanOutcomes } from '../plans/plan-outcomes.shared.sql.ts';
import type { Platform } from '../platform/platform.ts';
import { Loop } from '../platform/process/loop.ts';
import { addUpDomainMail } from '../sending-domains/readiness/domain-mail.shared.sql.ts';
import { addUpHealth } from './failover/provider-health.sql.ts';

/**
 * Max share of time spent merging. The cost grows with services and templates, and with old snapshots that prevent vacuum: the slower a
 * merge is, the less often it runs.
 */
const maxShare = 0.02;
const every_ms = { min: 1_000, max: 30_000 };

/** Merges appended counts into the rollups. Until they are merged, readers add them. */
export function addingUp({ db, country, clock, log, metrics }: Platform) {
  let last = clock.now();
  metrics.gauges(
    'changes_added_up_timestamp_seconds',
    'When this worker last added up appended changes; another worker may have done so since',
    [],
    async () => [{ labels: {}, value: last.getTime() / 1_000 }],
  );
  async function addUp(): Promise<number> {
    const took_ms = await addUpChanges(db, async (tx) => {
      await addUpHealth(tx);
      await addUpDomainMail(country.calendar, tx);
      await addUpPlanOutcomes(tx);
    });
    if (took_ms === undefined) return every_ms.min;
    last = clock.now();
    return restAfter_ms(took_ms);
  }
  const loop = new Loop({ name: 'adding up', step: addUp, log });
  return {
    start: () => loop.start(),
    runOnce: async () => {
      await addUp();
    },
    stop: () => loop.stop(),
  };
}

export function restAfter_ms(took_ms: number): number {
  return Math.min(every_ms.max, Math.max(every_ms.min, took_ms / maxShare));
}
