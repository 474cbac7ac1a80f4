import { readProviderStates } from '../../delivery/failover/provider-states.ts';
import type { ActiveProviders } from '../../delivery/providers/settings.ts';
import { lanes } from '../../notifications/notification.ts';
import { listLaneDepths, listRetries } from '../../notifications/queue/delivery-queue.ts';
import type { Timestamp } from '../../platform/clock.ts';
import type { Platform } from '../../platform/platform.ts';
import { providersInUse, tooLate_ms } from './verdict.ts';

/** A channel on which the messages of every service wait. */
export interface Delay {
  channel: 'sms' | 'email';
  since: Timestamp;
}

/**
 * Reads what services are told about an outage, from the facts of the operator's overview. Low priority is left out, because a large file
 * takes its time, and so are single messages that a provider keeps refusing.
 */
export async function readDelays(app: Platform & { config: ActiveProviders }): Promise<Delay[]> {
  const [{ states }, depths, retries] = await Promise.all([
    readProviderStates(app),
    listLaneDepths(app, 1),
    listRetries(app, 1),
  ]);
  const in_use = { sms: app.config.sms.providers, email: app.config.email.providers };
  const now = app.clock.now().getTime();
  return (['email', 'sms'] as const).flatMap((channel): Delay[] => {
    const isOfChannel = (one: { notification_type: string }) => one.notification_type === channel;
    const active = providersInUse({ providers: states, in_use }, channel).filter((provider) => provider.active);
    const outages = active.flatMap(({ without_success_since }) => without_success_since ?? []);
    const hasRetries = retries.some((one) => isOfChannel(one) && one.waiting > 0);
    const isOut = active.length > 0 && outages.length === active.length && hasRetries;
    const late = depths
      .filter((one) => isOfChannel(one) && one.lane !== lanes.bulk)
      .map(({ oldest_due_at }) => oldest_due_at)
      .filter((due) => now - Date.parse(due) >= tooLate_ms);
    const [since] = [...(isOut ? outages.sort().slice(-1) : []), ...late].sort();
    return since === undefined ? [] : [{ channel, since }];
  });
}
