import type { Config } from '../config.ts';
import { inTransaction } from '../platform/db/database.ts';
import { withoutCollisions } from '../platform/db/patience.ts';
import { Loop } from '../platform/loop.ts';
import type { Platform } from '../platform/platform.ts';
import type { CompiledTemplates } from '../templates/compiled-templates.ts';
import { CallbackSender } from './callback-sender.ts';
import { type Channel, ChannelWorker } from './channel-worker.ts';
import { clockMender } from './clock-mender.ts';
import { composeEmail, composeText } from './compose.ts';
import { DeliveryMetrics } from './delivery-metrics.ts';
import type { EmailMessage, TextMessage } from './provider.ts';
import { ProviderChoice } from './provider-choice.ts';
import { isSandboxInUse, takeSandboxReceipts } from './providers/sandbox.ts';
import { emailProviders, textProviders } from './providers.ts';
import { measureQueues } from './queue-check.ts';
import { recordReceipts } from './receipts.ts';
import { senderIdentities } from './sender-identities.ts';

type DeliveryNeeds = Platform & { config: Config; compiledTemplates: CompiledTemplates };

export interface Delivery {
  start(): void;
  stop(): Promise<void>;
  /** Everything that is due now: for tests. */
  runOnce(): Promise<void>;
}

/** The part of a worker process that hands messages over, collects what the sandbox owes, and tells services. */
export function buildDelivery(app: DeliveryNeeds): Delivery {
  const services = senderIdentities(app);
  const rates = app.config.PROVIDER_RATES;
  const texts: Channel<TextMessage> = {
    type: 'sms',
    choice: new ProviderChoice(textProviders(app), rates),
    services,
    compose: (queued, service) => composeText(app, queued, service),
  };
  const emails: Channel<EmailMessage> = {
    type: 'email',
    choice: new ProviderChoice(emailProviders(app), rates),
    services,
    compose: (queued, service) => composeEmail(app, queued, service),
  };
  const parts = [
    new ChannelWorker(app, texts),
    new ChannelWorker(app, emails),
    sandboxReceipts(app),
    new CallbackSender(app),
  ];
  const clock = clockMender(app);
  return {
    start() {
      measureQueues(app);
      for (const part of [...parts, clock]) part.start();
    },
    async stop() {
      await Promise.all([...parts, clock].map((part) => part.stop()));
    },
    async runOnce() {
      for (const part of parts) await part.runOnce();
    },
  };
}

const receiptsIdle_ms = 100;

function sandboxReceipts(app: DeliveryNeeds): Delivery {
  const metrics = new DeliveryMetrics(app.metrics);
  const step = async () => {
    const now = app.clock.now();
    const { receipts, outcomes, changed } = await withoutCollisions(() =>
      inTransaction(app.db, async (tx) => {
        const owed = await takeSandboxReceipts(tx, now);
        return { receipts: owed, ...(await recordReceipts(tx, owed, now)) };
      }),
    );
    metrics.observeReceipts(receipts, outcomes, changed, now);
    return receipts.length > 0 ? 0 : receiptsIdle_ms;
  };
  const loop = new Loop({ name: 'sandbox receipts', step, log: app.log });
  return {
    start() {
      if (isSandboxInUse(app.config)) loop.start();
    },
    stop: () => loop.stop(),
    async runOnce() {
      while ((await step()) === 0);
    },
  };
}
