import type { Country } from '../countries/country.ts';
import { type FailedAttemptRow, failedAttemptRow } from '../notifications/attempts/attempts.ts';
import type { Status, StatusChange } from '../notifications/notification.ts';
import type { QueuedNotification } from '../notifications/queue/leases.shared.sql.ts';
import { hour_ms, later } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import { currentSpan } from '../platform/tracing/span.ts';
import { isSimulatedEmailAddress, isSimulatedPhoneNumber, simulatedOutcome } from '../recipients/recipient.ts';
import type { Composed } from './compose-message.ts';
import type { Outcome, Provider } from './providers/provider.ts';
import type { SenderIdentity } from './providers/sender-identities.ts';
import type { DeliverySettings } from './settings.ts';

/** Composes the messages of a channel. */
export interface MessageComposer<Message> {
  /** Takes the provider, because it may not be able to send from every domain. */
  compose(
    queued: QueuedNotification,
    service: SenderIdentity,
    attempt: RunningAttempt,
    provider: string,
  ): Promise<Composed<Message>>;
  /** For emails: the sending domain; null if it is the installation's. */
  domainOf?(message: Message): string | null;
  /** Called for every message that a provider has accepted. */
  count?(message: Message): void;
  /** Whether the recipient has opted out of messages of the service. */
  isOptedOut?(queued: QueuedNotification, service: SenderIdentity): Promise<boolean>;
  /** The billable units of a message that is not composed. */
  unitsOf(queued: QueuedNotification, service: SenderIdentity): Promise<number>;
}

export interface RunningAttempt {
  /** Runs work that may take long. Meanwhile the attempt does not count as a call, so it does not delay other messages. */
  withSlotReleased<T>(work: () => Promise<T>): Promise<T>;
  /** Registers a function to call when the provider has responded or the attempt has failed. */
  atEnd(end: () => void): void;
}

type Deps = Platform & { config: { delivery: DeliverySettings } };

/** One attempt to send a leased message. Its queue row already names `provider`. */
interface Attempt<Message> {
  app: Deps;
  channel: MessageComposer<Message>;
  queued: QueuedNotification;
  service: SenderIdentity | undefined;
  provider: Provider<Message> | undefined;
  /** The provider to record for a message of a test key, which no provider gets. */
  simulatedProvider?: string;
  /** All providers are at their rate limit. Waiting does not count as an attempt. */
  isRateLimited: boolean;
  running: RunningAttempt;
  /** Resolves when the rate of the provider allows the call. */
  waitForSlot(): Promise<void>;
  /** Whether the message is still leased. */
  isHeld(): boolean;
}

/** The outcome of an attempt. Several are recorded in one transaction. */
export interface Result {
  queued: QueuedNotification;
  change?: StatusChange;
  /** When to try again; undefined removes the message from the queue. */
  later?: { due_at: Date; attempts: number; outcome_known: boolean };
  provider?: string;
  /** When the message counts as delivered if no report has arrived. */
  delivered_at?: Date;
  /** Set if the provider was called. */
  outcome?: Outcome['kind'];
  /** Set if the provider was called with an email: its sending domain, or null for the installation's. */
  domain_id?: string | null;
  /** The recipient has replied STOP to the provider. */
  opted_out?: true;
  /** The references of its parts, if the provider sent it as several. */
  parts?: string[];
  /** Set if the attempt failed. Shown in the timeline of the message. */
  failure?: FailedAttemptRow;
  /** Set if it was counted before, but could not be recorded because the message was locked. */
  isRepeated?: true;
}

/**
 * Sends a queued message to a provider. Each step is a guard: the first one that returns a result ends the attempt. Returns
 * undefined if the lease was lost before the call.
 */
export async function deliver<Message>(attempt: Attempt<Message>): Promise<Result | undefined> {
  return (
    dropIfDeleted(attempt) ??
    (await completeIfReceiptCameFirst(attempt)) ??
    failIfExpired(attempt) ??
    failIfRetriesAreExhausted(attempt) ??
    refuseIfServiceIsInactive(attempt) ??
    (await completeIfSimulated(attempt)) ??
    (await failIfOptedOut(attempt)) ??
    requeueIfRateLimited(attempt) ??
    retryWithoutProvider(attempt) ??
    (await completeIfAlreadyAccepted(attempt)) ??
    (await handToProvider(attempt))
  );
}

function dropIfDeleted<M>({ queued }: Attempt<M>): Result | undefined {
  return queued.status === null ? { queued } : undefined;
}

const receiptStatuses: Status[] = [
  'pending',
  'delivered',
  'temporary-failure',
  'permanent-failure',
  'technical-failure',
];

/** Only `created` messages are sent. If the receipt arrived before we recorded the hand-over, this records the hand-over. */
async function completeIfReceiptCameFirst<M>(attempt: Attempt<M>): Promise<Result | undefined> {
  const { queued, service } = attempt;
  if (queued.status === 'created' || queued.status === null) return undefined;
  if (queued.sent_at !== null || !receiptStatuses.includes(queued.status)) return { queued };
  const billable_units = service ? await attempt.channel.unitsOf(queued, service) : 0;
  return { queued, change: lateHandOver(attempt, { billable_units }) };
}

function lateHandOver<M>({ queued, app: { clock } }: Attempt<M>, facts: Partial<StatusChange>): StatusChange {
  return { sent_at: clock.now(), ...facts, id: queued.id, event: 'handedOverLate' };
}

function failIfExpired<M>({ queued, app }: Attempt<M>): Result | undefined {
  return app.clock.now() < expiryOf(queued, app) ? undefined : technicalFailure(queued);
}

function expiryOf(queued: QueuedNotification, { config }: Deps): Date {
  return later(new Date(queued.scheduled_for ?? queued.created_at), config.delivery.expiry_ms);
}

/** A lease also counts attempts that crashed the process, so a message that causes crashes is not composed without limit. */
function failIfRetriesAreExhausted<M>({ queued, app: { config } }: Attempt<M>): Result | undefined {
  return queued.attempts > config.delivery.maxRetries ? technicalFailure(queued) : undefined;
}

function refuseIfServiceIsInactive<M>({ queued, service }: Attempt<M>): Result | undefined {
  return service?.active ? undefined : technicalFailure(queued);
}

/** Messages of a test key are never sent: the recipient determines the simulated outcome. The same holds for simulated rows of a job. */
async function completeIfSimulated<M>(attempt: Attempt<M>): Promise<Result | undefined> {
  const { queued, service, simulatedProvider } = attempt;
  if (!service) return undefined;
  const recipient = queued.normalised_recipient ?? queued.recipient;
  const isTest = queued.key_type === 'test';
  if (!isTest && (queued.job_id === null || !isSimulated(attempt.app.country, recipient))) return undefined;
  // Messages of a test key keep their units, because they are never billed.
  const billable_units = isTest ? await attempt.channel.unitsOf(queued, service) : 0;
  const status = simulatedOutcome(recipient);
  const change = handedOver(attempt, { billable_units, status, provider: simulatedProvider });
  return { queued, change: { ...change, event: 'simulated' } };
}

/** Ends a message whose recipient replied STOP after it was accepted. It gets no provider, so it is not billed. */
async function failIfOptedOut<M>({ queued, service, channel }: Attempt<M>): Promise<Result | undefined> {
  if (!service || !(await channel.isOptedOut?.(queued, service))) return undefined;
  return { queued, change: { id: queued.id, status: 'permanent-failure', event: 'givenUp' } };
}

function isSimulated(country: Country, recipient: string): boolean {
  return isSimulatedPhoneNumber(country, recipient) || isSimulatedEmailAddress(country, recipient);
}

const requeueDelay_ms = 200;

function requeueIfRateLimited<M>({ queued, isRateLimited, app: { clock } }: Attempt<M>): Result | undefined {
  if (!isRateLimited) return undefined;
  return requeue(queued, later(clock.now(), requeueDelay_ms));
}

function retryWithoutProvider<M>(attempt: Attempt<M>): Result | undefined {
  if (attempt.provider) return undefined;
  return retried(attempt, { kind: 'retry', reason: 'no provider in use can take it' });
}

/** For a previous attempt that ended between the call and its record. Asks the provider, if it can tell, instead of sending again. */
async function completeIfAlreadyAccepted<M>(attempt: Attempt<M>): Promise<Result | undefined> {
  const { queued, provider, service } = attempt;
  if (queued.outcome_known || !service || !provider?.findAccepted || provider.name !== queued.last_provider)
    return undefined;
  const accepted = await provider.findAccepted([queued.id]);
  if (!accepted.has(queued.id)) return undefined;
  const billable_units = await attempt.channel.unitsOf(queued, service);
  return resultOf(attempt, { kind: 'accepted' }, billable_units);
}

async function handToProvider<M>(attempt: Attempt<M>): Promise<Result | undefined> {
  const { queued, service, provider } = attempt;
  if (!service || !provider) throw new Error('Cannot send a message without a service and a provider');
  const { message, billable_units } = await attempt.channel.compose(queued, service, attempt.running, provider.name);
  await attempt.waitForSlot();
  if (!attempt.isHeld()) return undefined;
  const began = performance.now();
  const outcome = await send(attempt, provider, message);
  if (outcome.kind === 'accepted') attempt.channel.count?.(message);
  const result = resultOf(attempt, outcome, billable_units, performance.now() - began);
  return attempt.channel.domainOf ? { ...result, domain_id: attempt.channel.domainOf(message) } : result;
}

async function send<M>(attempt: Attempt<M>, provider: Provider<M>, message: M): Promise<Outcome> {
  const span = currentSpan()?.child(`call ${provider.name}`, 'client', { 'pennypost.provider': provider.name });
  const outcome = await call(attempt, provider, message);
  span?.set({ 'pennypost.outcome': outcome.kind });
  // The reason is omitted: providers quote numbers and addresses in it.
  span?.end(outcome.kind === 'accepted' ? undefined : outcome.kind);
  return outcome;
}

async function call<M>({ queued, app: { log } }: Attempt<M>, provider: Provider<M>, message: M): Promise<Outcome> {
  try {
    return await provider.send(message);
  } catch (error) {
    log.error(
      { event: 'provider.call_failed', err: error, provider: provider.name, notification_id: queued.id },
      'A call to a provider failed unexpectedly',
    );
    return { kind: 'retry', reason: 'unexpected failure', perhaps_sent: true };
  }
}

function resultOf<M>(attempt: Attempt<M>, outcome: Outcome, billable_units: number, duration_ms?: number): Result {
  const { queued, provider, app } = attempt;
  const { clock, log } = app;
  const called = { queued, provider: provider?.name, outcome: outcome.kind };
  switch (outcome.kind) {
    case 'accepted': {
      const { provider_reference, part_references: parts, final, delivered_after_ms } = outcome;
      const facts = { billable_units, provider: provider?.name, provider_reference, ...(final && { status: final }) };
      const assumed = delivered_after_ms && { delivered_at: later(clock.now(), delivered_after_ms) };
      return { ...called, ...assumed, change: handedOver(attempt, facts), ...(parts && { parts }) };
    }
    case 'refused':
      log.warn(
        { event: 'message.rejected', notification_id: queued.id, provider: provider?.name, reason: outcome.reason },
        'The provider rejected a message',
      );
      return {
        ...called,
        ...(outcome.opted_out && { opted_out: true as const }),
        change: { id: queued.id, status: outcome.status, event: 'givenUp', provider: provider?.name, billable_units },
        failure: failedAttemptRow(
          queued,
          { provider: provider?.name, outcome: 'refused', reason: outcome.reason, duration_ms, at: clock.now() },
          undefined,
        ),
      };
    case 'retry':
      return { ...retried(attempt, outcome, duration_ms), ...called };
  }
}

/**
 * An international text message stays `sent`, because its network may send no receipt. Acceptance is final if the provider has no receipts.
 */
function handedOver<M>({ queued, app: { clock } }: Attempt<M>, facts: Partial<StatusChange>): StatusChange {
  const status = queued.international ? 'sent' : 'sending';
  return { status, ...facts, id: queued.id, event: 'handedOver', sent_at: clock.now() };
}

function retried<M>(
  { queued, provider, app }: Attempt<M>,
  outcome: Outcome & { kind: 'retry' },
  duration_ms?: number,
): Result {
  const { clock, config, log } = app;
  const attempts = queued.attempts + 1;
  const { reason, after_ms, perhaps_sent = false } = outcome;
  log.warn(
    { event: 'message.deferred', notification_id: queued.id, provider: provider?.name, reason, attempts },
    'A message could not be handed over to a provider',
  );
  const failed = {
    provider: provider?.name,
    outcome: perhaps_sent ? ('unknown' as const) : ('failed' as const),
    reason,
    duration_ms,
    at: clock.now(),
  };
  if (attempts > config.delivery.maxRetries) {
    return { ...technicalFailure(queued), failure: failedAttemptRow(queued, failed, undefined) };
  }
  const isAtOnce = queued.notification_type === 'sms' && attempts === 1 && provider !== undefined && !perhaps_sent;
  const requested_ms = after_ms === undefined ? undefined : Math.min(after_ms, maxRetryAfter_ms);
  const delay_ms = requested_ms ?? (isAtOnce ? 0 : config.delivery.retryDelay_ms);
  const due_at = nextTry(queued, delay_ms, app);
  return {
    queued,
    later: { due_at, attempts, outcome_known: !perhaps_sent },
    failure: failedAttemptRow(queued, failed, due_at),
  };
}

/** Max delay that a provider can request. */
const maxRetryAfter_ms = hour_ms;

/** Returns the time of the next attempt, at most the expiry of the message: then it fails and the service gets a callback. */
function nextTry(queued: QueuedNotification, delay_ms: number, app: Deps): Date {
  return new Date(Math.min(app.clock.now().getTime() + delay_ms, expiryOf(queued, app).getTime()));
}

/** Returns the message to the queue without counting an attempt. */
export function requeue(queued: QueuedNotification, due_at: Date): Result {
  const { attempts, outcome_known } = queued;
  return { queued, later: { due_at, attempts, outcome_known } };
}

/** For an attempt that threw before a provider responded. It is counted and retried like any other. */
export function failedAttempt(queued: QueuedNotification, app: Deps): Result {
  const { clock, config } = app;
  const attempts = queued.attempts + 1;
  const reason = 'it could not be prepared for sending';
  const failed = { provider: undefined, outcome: 'failed' as const, reason, at: clock.now() };
  if (attempts > config.delivery.maxRetries) {
    return { ...technicalFailure(queued), failure: failedAttemptRow(queued, failed, undefined) };
  }
  const due_at = nextTry(queued, config.delivery.retryDelay_ms, app);
  return {
    queued,
    later: { due_at, attempts, outcome_known: queued.outcome_known },
    failure: failedAttemptRow(queued, failed, due_at),
  };
}

function technicalFailure(queued: QueuedNotification): Result {
  return { queued, change: { id: queued.id, status: 'technical-failure', event: 'givenUp' } };
}
