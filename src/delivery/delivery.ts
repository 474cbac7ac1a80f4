import { PlanWorker } from '../plans/advance.ts';
import { inTransaction } from '../platform/db/database.ts';
import { retryOnConflict } from '../platform/db/errors.ts';
import { Loop } from '../platform/process/loop.ts';
import { addingUp } from './adding-up.ts';
import { CallbackSender } from './callbacks/callback-sender.ts';
import { ChannelWorker } from './channel-worker.ts';
import { buildChannels, type Channels, type DeliveryDeps } from './channels.ts';
import { clockRecovery } from './clock-recovery.ts';
import { DeliveryMetrics } from './delivery-metrics.ts';
import { measureQueues } from './queue-check.ts';
import { recordReceipts, traceReceipts } from './receipts/receipts.ts';
import { ReportReceivers } from './receipts/report-receivers.ts';
import { areSandboxReceiptsDue, isSandboxInUse, takeSandboxReceipts } from './sandbox/sandbox.ts';
import { endListedMessages } from './sweeps.ts';

/** Work that goes on for the lifetime of a worker process. Registers its own metrics when it is opened or started. */
interface BackgroundLoop {
  start(): void;
  /** Resolves when the work in progress has ended. */
  stop(): Promise<void>;
  /** Does everything that is due now, for tests. Omitted by a loop that only watches. */
  runOnce?(): Promise<void>;
}

interface ListedLoop {
  name: string;
  description: string;
  /** Stops after all others, because it works on the data they leave. */
  isLast?: true;
  open(app: DeliveryDeps, channels: Channels): BackgroundLoop;
}

/**
 * Every loop of a worker process, in start order; each process runs all of them. A loop reacts within milliseconds; a task, which needs a
 * database row per run, reacts within seconds. See src/tasks.ts for the tasks.
 */
const loops: ListedLoop[] = [
  {
    name: 'deliver-texts',
    description: 'Leases text messages that are due, hands them to providers and records the results.',
    open: (app, { texts }) => new ChannelWorker(app, texts),
  },
  {
    name: 'deliver-emails',
    description: 'The same for emails.',
    open: (app, { emails }) => new ChannelWorker(app, emails),
  },
  {
    name: 'sandbox-receipts',
    description: 'Records the receipts of messages that the sandbox took, if it is in use.',
    open: sandboxReceipts,
  },
  {
    name: 'report-receivers',
    description:
      'Receives the reports of providers that call no webhook: reads mailboxes of bounces, and listens for them.',
    open: (app) => new ReportReceivers(app),
  },
  {
    name: 'listed-messages',
    description:
      'Ends emails that count as delivered because no report has come, if a provider in use reports failures only.',
    open: listedMessages,
  },
  {
    name: 'channel-plans',
    description: 'Follows the steps of messages with a channel plan, and starts the next ones.',
    open: (app) => new PlanWorker(app),
  },
  {
    name: 'service-callbacks',
    description: 'Posts callbacks to services, with retries.',
    open: (app) => new CallbackSender(app),
  },
  {
    name: 'clock',
    description: 'Watches the clock of the machine, and reschedules what was due before it was set back.',
    open: clockRecovery,
  },
  {
    name: 'adding-up',
    description: 'Adds the appended changes of statistics, usage and provider health to their rollups.',
    isLast: true,
    open: addingUp,
  },
];

export interface Delivery {
  start(): void;
  stop(): Promise<void>;
  /** Processes everything that is due now. For tests. */
  runOnce(): Promise<void>;
}

/** Builds the part of a worker process that sends messages, creates the receipts of the sandbox and posts callbacks. */
export function buildDelivery(app: DeliveryDeps): Delivery {
  const channels = buildChannels(app);
  const opened = loops.map(({ open, isLast = false }) => ({ loop: open(app, channels), isLast }));
  const stopAll = (last: boolean) =>
    Promise.all(opened.filter(({ isLast }) => isLast === last).map(({ loop }) => loop.stop()));
  return {
    start() {
      measureQueues(app);
      channels.listen();
      for (const { loop } of opened) loop.start();
    },
    async stop() {
      await stopAll(false);
      await stopAll(true);
    },
    async runOnce() {
      for (const { loop } of opened) await loop.runOnce?.();
    },
  };
}

const endEvery_ms = 5_000;

/** Ends messages that count as delivered because no report has arrived. */
function listedMessages(app: DeliveryDeps): BackgroundLoop {
  const isNeeded = app.config.email.providers.some((name) =>
    app.providers.some((provider) => provider.name === name && provider.deliveredAfter_ms),
  );
  const end = () => endListedMessages(app);
  const step = async () => {
    await end();
    return endEvery_ms;
  };
  const loop = new Loop({ name: 'listed messages', step, log: app.log });
  return {
    start() {
      if (isNeeded) loop.start();
    },
    stop: () => loop.stop(),
    runOnce: end,
  };
}

const receiptsIdle_ms = 100;
/** Interval between batches while receipts are due. */
const receiptsEvery_ms = 25;

function sandboxReceipts(app: DeliveryDeps): BackgroundLoop {
  const metrics = new DeliveryMetrics(app.metrics);
  const step = async () => {
    const now = app.clock.now();
    if (!(await areSandboxReceiptsDue(app.db, now))) return 0;
    const { receipts, outcomes, changed } = await retryOnConflict(() =>
      inTransaction(app.db, async (tx) => {
        const due = await takeSandboxReceipts(tx, now);
        return { receipts: due, ...(await recordReceipts({ ...app, db: tx }, due, now)) };
      }),
    );
    metrics.observeReceipts(receipts, outcomes, changed, now);
    await traceReceipts(app, changed, now);
    return receipts.length;
  };
  const restAfter = (taken: number) => (taken > 0 ? { atLeast_ms: receiptsEvery_ms, atMost_ms: 0 } : receiptsIdle_ms);
  const loop = new Loop({ name: 'sandbox receipts', step: async () => restAfter(await step()), log: app.log });
  return {
    start() {
      if (isSandboxInUse(app.config)) loop.start();
    },
    stop: () => loop.stop(),
    async runOnce() {
      while ((await step()) > 0);
    },
  };
}
