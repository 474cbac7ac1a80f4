import type { InLane } from '../notifications/queue/delivery-queue.ts';
import { addUpChanges } from '../notifications/rollups/rollup-changes.ts';
import { inTransaction } from '../platform/db/database.ts';
import { retryOnConflict } from '../platform/db/errors.ts';
import type { Platform } from '../platform/platform.ts';
import { Loop } from '../platform/process/loop.ts';
import { FairTurns } from '../platform/threads/turns.ts';
import { maxEmailBytes } from '../rendering/email/email.ts';
import type { CallbackSettings } from '../services/settings.ts';
import type { CompiledTemplates } from '../templates/compiled-templates.ts';
import type { EmailThreads } from '../templates/email-threads.ts';
import { CallbackSender } from './callbacks/callback-sender.ts';
import { ChannelWorker, type DeliveryChannel } from './channel-worker.ts';
import { clockRecovery } from './clock-recovery.ts';
import { composeEmail, composeText } from './compose-message.ts';
import { DeliveryMetrics } from './delivery-metrics.ts';
import { ProviderChoice } from './failover/provider-choice.ts';
import { addUpHealth } from './failover/provider-health.sql.ts';
import { type PaceOptions, ProviderPace } from './failover/provider-pace.ts';
import { reserveSlots } from './failover/provider-slots.sql.ts';
import { openEmailProviders, openTextProviders } from './providers/active-providers.ts';
import type { ProviderDescriptor } from './providers/descriptor.ts';
import type { EmailMessage, TextMessage } from './providers/provider.ts';
import { senderIdentities } from './providers/sender-identities.ts';
import type { ProvidersConfig } from './providers/settings.ts';
import { measureQueues } from './queue-check.ts';
import { reportsOf } from './receipts/provider-reports.ts';
import { receiptRecorder } from './receipts/receipt-recorder.ts';
import { recordReceipts } from './receipts/receipts.ts';
import { ReportReceivers } from './receipts/report-receivers.ts';
import { traceReceipts } from './receipts/trace-receipts.ts';
import type { EmailConfig } from './render-message.ts';
import { areSandboxReceiptsDue, isSandboxInUse, takeSandboxReceipts } from './sandbox/sandbox.ts';
import { endListedMessages } from './time-outs.ts';

type DeliveryDeps = Platform & {
  config: ProvidersConfig & EmailConfig & { callbacks: CallbackSettings };
  compiledTemplates: CompiledTemplates;
  emailThreads: EmailThreads;
  providers: readonly ProviderDescriptor[];
};

export interface Delivery {
  start(): void;
  stop(): Promise<void>;
  /** Processes everything that is due now. For tests. */
  runOnce(): Promise<void>;
}

/**
 * Limits of the long emails of a process, from rendering until the provider has them. Far fewer than a worker may hold, so that
 * others can be leased; and four of the longest, whose HTML may be thirty times as long as their text.
 */
function longEmails(calls: number) {
  return { underWay: Math.ceil(calls / 2), size: 4 * maxEmailBytes, waiting: calls * 2 };
}

/** While so many long emails of a service wait, as a share of the calls, no further ones of the same lane are leased. */
const maxLongShare = 0.25;

/** In the database, so that the rates hold for all workers together. */
function pacesOf({ config, db, log }: DeliveryDeps): ReadonlyMap<string, ProviderPace> {
  const paces = Object.entries(config.delivery.providerRates).map(([provider, perSecond]) => {
    const reserve: PaceOptions['reserve'] = (count, pace) => reserveSlots(db, { provider, count, ...pace });
    return [provider, new ProviderPace({ provider, perSecond, reserve, log })] as const;
  });
  return new Map(paces);
}

/** The part of a worker process that sends messages, creates the receipts of the sandbox and posts callbacks. */
export function buildDelivery(app: DeliveryDeps): Delivery {
  const services = senderIdentities(app);
  const paces = pacesOf(app);
  const textProviders = openTextProviders(app);
  const emailProviders = openEmailProviders(app);
  const turns = new FairTurns(longEmails(app.config.delivery.concurrency));
  const maxWaiting = Math.ceil(app.config.delivery.concurrency * maxLongShare);
  const ownerOf = ({ service_id, lane }: InLane) => `${service_id} ${lane}`;
  const texts: DeliveryChannel<TextMessage> = {
    type: 'sms',
    choice: new ProviderChoice(textProviders, paces),
    services,
    compose: (queued, service) => composeText(app, queued, service),
    unitsOf: async (queued, service) => (await composeText(app, queued, service)).billable_units,
  };
  const emails: DeliveryChannel<EmailMessage> = {
    type: 'email',
    choice: new ProviderChoice(emailProviders, paces),
    services,
    compose: (queued, service, attempt) =>
      composeEmail(app, queued, service, (length) => {
        const tasks = app.emailThreads.inBackground(queued.service_id);
        return {
          run: (...task) =>
            attempt.aside(async () => {
              attempt.atEnd(await turns.take(ownerOf(queued), length));
              return tasks.run(...task);
            }),
        };
      }),
    unitsOf: async () => 0,
    mustWait: (queued) => turns.waitingOf(ownerOf(queued)) >= maxWaiting,
  };
  const parts = [
    new ChannelWorker(app, texts),
    new ChannelWorker(app, emails),
    sandboxReceipts(app),
    new ReportReceivers(app),
    listedMessages(app),
    new CallbackSender(app),
  ];
  const clock = clockRecovery(app);
  const rollups = addingUp(app);
  return {
    start() {
      measureQueues(app);
      const receipts = receiptRecorder(app);
      for (const provider of [...textProviders, ...emailProviders])
        provider.listen?.(reportsOf(app, provider, receipts));
      for (const part of [...parts, clock, rollups]) part.start();
    },
    async stop() {
      await Promise.all([...parts, clock].map((part) => part.stop()));
      await rollups.stop();
    },
    async runOnce() {
      for (const part of [...parts, rollups]) await part.runOnce();
    },
  };
}

/** Appended counts are merged into the rollups this often; until then readers add them. */
const addUpEvery_ms = 1_000;
/**
 * The cost grows with services and templates, and with old snapshots that prevent cleanup of deleted rows: the slower it is,
 * the less often it runs.
 */
const shareOfAddingUp = 0.02;

function addingUp(app: DeliveryDeps): Delivery {
  const addUp = () => addUpChanges(app.db, addUpHealth);
  const loop = new Loop({
    name: 'adding up',
    async step() {
      const began = performance.now();
      await addUp();
      return Math.max(addUpEvery_ms, (performance.now() - began) / shareOfAddingUp);
    },
    log: app.log,
  });
  return {
    start: () => loop.start(),
    runOnce: addUp,
    stop: () => loop.stop(),
  };
}

const endEvery_ms = 5_000;

/** Messages that count as delivered because no report has come. */
function listedMessages(app: DeliveryDeps): Delivery {
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
/** While receipts are due, they are taken in batches this often. */
const receiptsEvery_ms = 25;

function sandboxReceipts(app: DeliveryDeps): Delivery {
  const metrics = new DeliveryMetrics(app.metrics);
  const step = async () => {
    const now = app.clock.now();
    if (!(await areSandboxReceiptsDue(app, now))) return 0;
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
