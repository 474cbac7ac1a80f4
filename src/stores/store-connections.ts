import { setTimeout as sleep } from 'node:timers/promises';
import { minute_ms } from '../platform/clock.ts';
import { type ConnectionOptions, type Connections, prepareConnections } from '../platform/db/connections.ts';
import { makeUsable, type StoreToUse } from './make-usable.ts';

interface StoreOptions extends ConnectionOptions, StoreToUse {
  /** How long a process waits with its start, as while a store is being migrated. */
  wait_ms: number;
}

const retryEvery_ms = 1_000;
const reportEvery_ms = minute_ms;

/**
 * The connections to a store. Before it has the schema of this release and a copy of the configuration, each attempt to connect
 * fails as if it were away. A process starts without it, and goes on trying to open it.
 */
export function prepareStoreConnections(options: StoreOptions): Connections {
  const { log, number, wait_ms } = options;
  const closing = new AbortController();
  let isUsable = false;
  let opening: Promise<void> | undefined;
  let reported = { at: Number.NEGATIVE_INFINITY, problem: '' };
  const connections = prepareConnections({ ...options, isUsable: () => isUsable });

  async function attempt(): Promise<boolean> {
    try {
      await makeUsable(options);
      await connections.changeListener.start();
      isUsable = true;
      if (reported.problem) log.info({ event: 'store.back' }, `Message store ${number} can be used again`);
    } catch (error) {
      report(error);
    }
    return isUsable;
  }

  function report(error: unknown): void {
    const problem = String(error);
    if (problem === reported.problem && performance.now() - reported.at < reportEvery_ms) return;
    reported = { at: performance.now(), problem };
    log.error(
      { event: 'store.away', err: error },
      `Message store ${number} cannot be used: requests of its services get a 503 until it can`,
    );
  }

  async function keepTrying(): Promise<void> {
    while (!closing.signal.aborted) {
      await sleep(retryEvery_ms, undefined, { signal: closing.signal }).catch(() => undefined);
      if (closing.signal.aborted || (await attempt())) return;
    }
  }

  return {
    ...connections,
    async open() {
      const first = attempt();
      opening = first.then((isDone) => (isDone ? undefined : keepTrying()));
      await Promise.race([first, sleep(wait_ms, undefined, { ref: false })]);
    },
    async close() {
      closing.abort();
      await opening;
      await connections.close();
    },
  };
}
