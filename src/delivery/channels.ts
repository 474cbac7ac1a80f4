import { findOptedOut } from '../inbound/opt-outs/opt-outs.ts';
import type { OptOutSettings } from '../inbound/opt-outs/settings.ts';
import { readAttachments } from '../notifications/attachments/attachments.ts';
import { PausedServices } from '../notifications/guard/guard.ts';
import { lanes } from '../notifications/notification.ts';
import type { InLane } from '../notifications/queue/delivery-queue.ts';
import { attachmentsOf } from '../notifications/sending/secret-values.ts';
import type { GuardSettings } from '../notifications/settings.ts';
import type { PlanDeps } from '../plans/message-callback.ts';
import { FairLimiter } from '../platform/threads/limiter.ts';
import { maxEmailBytes } from '../rendering/email/email.ts';
import type { SenderDomains } from '../sending-domains/sender-domains.ts';
import type { CallbackSettings } from '../services/settings.ts';
import type { DeliveryChannel } from './channel-worker.ts';
import { composeEmail, composeText, type EmailConfig } from './compose-message.ts';
import { ProviderChoice } from './failover/provider-choice.ts';
import { ProviderRateLimiter, type RateLimiterOptions } from './failover/provider-rate-limiter.ts';
import { reserveSlots } from './failover/provider-slots.sql.ts';
import type { EmailDescriptor, ProviderDescriptor } from './providers/descriptor.ts';
import { sendsFrom } from './providers/domain-providers.ts';
import type { EmailMessage, TextMessage } from './providers/provider.ts';
import { type SenderIdentity, senderIdentities } from './providers/sender-identities.ts';
import { openEmailProviders, openTextProviders, type ProvidersConfig } from './providers/settings.ts';
import { reportsOf } from './receipts/provider-reports.ts';
import { ReceiptRecorder } from './receipts/receipts.ts';

export type DeliveryDeps = PlanDeps & {
  config: ProvidersConfig &
    EmailConfig & { callbacks: CallbackSettings; guard: GuardSettings; optOuts: OptOutSettings };
  senderDomains: SenderDomains;
  providers: readonly ProviderDescriptor[];
};

/** The state that the workers of text messages and emails share within a process. */
export interface Channels {
  texts: DeliveryChannel<TextMessage>;
  emails: DeliveryChannel<EmailMessage>;
  /** Starts the providers that receive reports on their own connection. */
  listen(): void;
}

export function buildChannels(app: DeliveryDeps): Channels {
  const services = senderIdentities(app);
  const rateLimiters = rateLimitersOf(app);
  const textProviders = openTextProviders(app);
  const emailProviders = openEmailProviders(app);
  const limiter = new FairLimiter(longEmails(app.config.delivery.concurrency));
  const limiterWithFiles = new FairLimiter({ ...longEmails(app.config.delivery.concurrency), size: maxAttachedBytes });
  const maxWaiting = Math.ceil(app.config.delivery.concurrency * maxLongShare);
  const paused = app.config.guard.mode === 'on' ? new PausedServices(app) : undefined;
  const ownerOf = ({ service_id, lane }: InLane) => `${service_id} ${lane}`;
  const sent = app.metrics.counter(
    'emails_sent_total',
    'Emails that a provider has accepted, by whose domain they come from',
    ['domain_kind'],
  );
  const texts: DeliveryChannel<TextMessage> = {
    type: 'sms',
    choice: new ProviderChoice(textProviders, rateLimiters),
    services,
    compose: (queued, service) => composeText(app, queued, service),
    async isOptedOut({ service_id, template_id, reply_to_text: sender, normalised_recipient: number }, service) {
      if (!service.has_opt_outs || number === null) return false;
      return (await findOptedOut(app, app.db, { service_id, template_id, sender }, [number])).size > 0;
    },
    unitsOf: async (queued, service) => (await composeText(app, queued, service)).billable_units,
  };
  const emails: DeliveryChannel<EmailMessage> = {
    type: 'email',
    choice: new ProviderChoice(emailProviders, rateLimiters),
    services,
    async compose(queued, service, attempt, provider) {
      const sender = await resolveSender(app, queued.service_id, service, provider);
      const composed = await composeEmail(app, queued, sender.service, (length) => {
        const tasks = app.emailThreads.inBackground(queued.service_id);
        return {
          run: (...task) =>
            attempt.withSlotReleased(async () => {
              attempt.atEnd(await limiter.acquire(ownerOf(queued), length));
              return tasks.run(...task);
            }),
        };
      });
      Object.assign(composed.message, sender.of);
      const stored = attachmentsOf(app, queued);
      if (stored.length === 0) return composed;
      const size = stored.reduce((sum, { size_in_bytes }) => sum + size_in_bytes, 0);
      const attachments = await attempt.withSlotReleased(async () => {
        attempt.atEnd(await limiterWithFiles.acquire(ownerOf(queued), size));
        return readAttachments(app, queued.service_id, stored);
      });
      return { ...composed, message: { ...composed.message, attachments } };
    },
    unitsOf: async () => 0,
    domainOf: ({ sending_domain_id = null }) => sending_domain_id,
    count: ({ domain_kind = 'installation' }) => sent.inc({ domain_kind }),
    beforeLease: () => paused?.refresh(),
    shouldSkip: (queued) =>
      (queued.lane === lanes.bulk && paused?.has(queued.service_id) === true) ||
      [limiter, limiterWithFiles].some((waiting) => waiting.countWaiting(ownerOf(queued)) >= maxWaiting),
  };
  const listen = () => {
    const receipts = new ReceiptRecorder(app);
    for (const provider of [...textProviders, ...emailProviders]) {
      provider.listen?.(reportsOf(app, provider, receipts));
    }
  };
  return { texts, emails, listen };
}

/** Chooses a sending domain that this provider supports. Returns the service with that domain, and the fields that it adds to the email. */
async function resolveSender(
  { providers, senderDomains }: DeliveryDeps,
  serviceId: string,
  service: SenderIdentity,
  provider: string,
): Promise<{ service: SenderIdentity; of: Partial<EmailMessage> }> {
  const known = providers.find((each): each is EmailDescriptor => each.channel === 'email' && each.name === provider);
  const domain = await senderDomains.choose(
    serviceId,
    service,
    (each) => known !== undefined && sendsFrom(known, each),
  );
  const signature = domain && senderDomains.signatureOf(domain);
  if (!domain || signature === 'unreadable') return { service, of: {} };
  const { id, scope: domain_kind, return_path_domain } = domain;
  return {
    service: { ...service, from_domain: domain.name },
    of: {
      signature,
      domain_kind,
      ...(domain_kind === 'installation' ? {} : { sending_domain_id: id }),
      ...(return_path_domain === null ? {} : { return_path_domain }),
    },
  };
}

/**
 * Limits of the long emails of a process, from rendering until the provider has them. `running` is far below what a worker may hold, so
 * that other messages can be leased. `size` allows four of the longest, whose HTML may be thirty times as long as their text.
 */
function longEmails(calls: number) {
  return { running: Math.ceil(calls / 2), size: 4 * maxEmailBytes, waiting: calls * 2 };
}

/**
 * Max total size of the attachments that a process is sending. While it is sent, an email holds each about four times: the file, its
 * encoded form, the request, and the write buffer.
 */
const maxAttachedBytes = 32 * 1024 * 1024;

/** When this many long emails of a service and lane wait, as a share of the calls, no more of them are leased. */
const maxLongShare = 0.25;

/** Slots are reserved in the database, so the rates hold for all workers together. */
function rateLimitersOf({ config, db, log }: DeliveryDeps): ReadonlyMap<string, ProviderRateLimiter> {
  const rateLimiters = Object.entries(config.delivery.providerRates).map(([provider, perSecond]) => {
    const reserve: RateLimiterOptions['reserve'] = (count, pace) => reserveSlots(db, { provider, count, ...pace });
    return [provider, new ProviderRateLimiter({ provider, perSecond, reserve, log })] as const;
  });
  return new Map(rateLimiters);
}
