import { setTimeout as sleep } from 'node:timers/promises';
import type { Send } from './provider.ts';
import type { World } from './world.ts';

const finalStatuses = ['delivered', 'temporary-failure', 'permanent-failure', 'technical-failure'];

export interface Outcome {
  accepted: number;
  final: number;
  /** Accepted messages that the provider was given at least once. */
  seen: number;
  /** Requests to the provider after the first for the same message. */
  duplicates: Send[][];
  /** Accepted, and missing in the database, unfinished or never seen by the provider. */
  lost: string[];
  /** Until the last message was final and every callback was sent. */
  seconds: number;
}

/** Waits, with a timeout, until every message is final, and counts. */
export async function collectOutcome(world: World, accepted: ReadonlySet<string>, maxWait_s = 60): Promise<Outcome> {
  const started = Date.now();
  let final = new Set<string>();
  while (Date.now() - started < maxWait_s * 1_000) {
    const rows = await world.query<{ id: string }>(
      'select id from notifications where id = any ($1::uuid[]) and status = any ($2)',
      [[...accepted], finalStatuses],
    );
    const [waiting] = await world.query("select 1 from service_callbacks where status = 'waiting' limit 1");
    final = new Set(rows.map(({ id }) => id));
    if (final.size === accepted.size && !waiting) break;
    await sleep(250);
  }
  const sends = new Map<string, Send[]>();
  for (const send of world.provider.sends) sends.set(send.reference, [...(sends.get(send.reference) ?? []), send]);
  return {
    accepted: accepted.size,
    final: final.size,
    seen: [...accepted].filter((id) => sends.has(id)).length,
    duplicates: [...sends.values()].filter(({ length }) => length > 1),
    lost: [...accepted].filter((id) => !final.has(id) || !sends.has(id)),
    seconds: Math.round((Date.now() - started) / 1_000),
  };
}

export function countDuplicates(duplicates: Send[][]): number {
  return duplicates.reduce((sum, sends) => sum + sends.length - 1, 0);
}
