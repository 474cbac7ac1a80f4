import { startSpans } from '../../notifications/queue/message-spans.ts';
import { hour_ms, later, timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { isDatabaseUnavailable, retryUntilAvailable } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import { nilId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { Loop } from '../../platform/process/loop.ts';
import type { Span } from '../../platform/tracing/span.ts';
import { decryptToken, readSigningKey } from '../../services/settings/callback-api.ts';
import type { CallbackSettings } from '../../services/settings.ts';
import { CallbackCaller, type CallbackResult } from './callback-request.ts';
import {
  type CallbackOutcome,
  type DueCallback,
  leaseCallbacks,
  selectWaitingServices,
  updateCallbacks,
} from './service-callbacks.sql.ts';

/** Max concurrent requests per process and per service: a slow receiver uses up only its own share. */
const maxConcurrency = 500;
const perServiceConcurrency = 25;
/** Longer than the timeout of a request. */
export const callbackLease_ms = 10_000;
const idle_ms = 250;
/** Services per query, and max queries per step. */
const servicesAtOnce = 500;
const maxQueries = 10;

type CallbackDeps = Platform & { config: { callbacks: CallbackSettings } };

/** Posts callbacks to services. A slow receiver never delays the callbacks of another service. */
export class CallbackSender {
  private readonly app: CallbackDeps;
  private readonly caller: CallbackCaller;
  private readonly loop: Loop;
  private readonly outcomes: GroupCommit<CallbackOutcome, undefined>;
  private readonly inProgress = new Map<string, number>();
  private readonly metrics;
  /** The next scan of the services continues after this id. */
  private stoppedAt = nilId;
  private busy = 0;
  private stopping = false;

  constructor(app: CallbackDeps) {
    this.app = app;
    this.caller = new CallbackCaller(app.config);
    this.loop = new Loop({ name: 'service callbacks', step: () => this.step(), log: app.log });
    this.outcomes = new GroupCommit({
      commit: (outcomes) => this.record(outcomes),
      maxItems: 500,
      maxConcurrent: 1,
      affectsAll: isDatabaseUnavailable,
    });
    this.metrics = {
      attempts: app.metrics.counter('service_callbacks_total', 'Attempts to post callbacks to services, by outcome', [
        'callback_type',
        'outcome',
      ]),
      duration: app.metrics.histogram(
        'service_callback_forward_duration_seconds',
        'Response time of services to callbacks',
        ['callback_type'],
        [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      ),
    };
  }

  start(): void {
    this.loop.start();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.loop.stop();
    await this.settle();
    await this.caller.close();
  }

  async runOnce(): Promise<void> {
    while ((await this.step()) === 0) await this.settle();
  }

  private async settle(): Promise<void> {
    while (this.busy > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  private async step(): Promise<number> {
    const free = maxConcurrency - this.busy;
    if (free < 1) return idle_ms;
    const now = this.app.clock.now();
    const services = await this.nextDueServices(this.app.db, now, free);
    const each = Math.max(1, Math.floor(free / Math.max(1, services.length)));
    const wanted = services
      .map((service_id) => ({
        service_id,
        max: Math.min(each, perServiceConcurrency - (this.inProgress.get(service_id) ?? 0)),
      }))
      .filter(({ max }) => max > 0);
    const leased =
      wanted.length > 0
        ? await leaseCallbacks(this.app.db, wanted, { now: timestamp(now), lease_ms: callbackLease_ms })
        : [];
    const spans = await this.startSpans(leased);
    for (const callback of leased) void this.send(callback, spans.get(callback.subject_id));
    return leased.length > 0 ? 0 : idle_ms;
  }

  private startSpans(leased: DueCallback[]): Promise<ReadonlyMap<string, Span>> {
    return startSpans(
      this.app,
      leased
        .filter(({ callback_type }) => callback_type === 'delivery_status')
        .map(({ subject_id, service_id, attempts }) => ({
          notification_id: subject_id,
          name: 'POST callback',
          kind: 'client',
          facts: { 'http.request.method': 'POST', 'pennypost.service.id': service_id, 'pennypost.attempt': attempts },
        })),
    );
  }

  /** Scans each service at most once per call, because many of them may only wait for a retry. */
  private async nextDueServices(db: Db, now: Date, max: number): Promise<string[]> {
    const start = this.stoppedAt;
    const due: string[] = [];
    let wrapped = start === nilId;
    for (let look = 0; look < maxQueries && due.length < max; look += 1) {
      const found = await selectWaitingServices(db, {
        after: this.stoppedAt,
        max: servicesAtOnce,
        now: timestamp(now),
      });
      const here = found.filter(
        (service) => service.due && !(wrapped && start !== nilId && service.service_id > start),
      );
      const taken = here.slice(0, max - due.length);
      due.push(...taken.map(({ service_id }) => service_id));
      if (taken.length < here.length) {
        this.stoppedAt = taken.at(-1)?.service_id ?? this.stoppedAt;
        break;
      }
      if (found.length === servicesAtOnce) {
        this.stoppedAt = found.at(-1)?.service_id ?? nilId;
        continue;
      }
      this.stoppedAt = nilId;
      if (wrapped) break;
      wrapped = true;
    }
    return due;
  }

  private async send(callback: DueCallback, span: Span | undefined): Promise<void> {
    const { service_id } = callback;
    this.busy += 1;
    this.inProgress.set(service_id, (this.inProgress.get(service_id) ?? 0) + 1);
    try {
      await this.outcomes.add(await this.attempt(callback, span));
    } catch (error) {
      this.app.log.error(
        { event: 'callback.record_failed', err: error, callback_id: callback.id },
        'The outcome of a callback could not be recorded',
      );
    } finally {
      this.busy -= 1;
      const left = (this.inProgress.get(service_id) ?? 1) - 1;
      if (left > 0) this.inProgress.set(service_id, left);
      else this.inProgress.delete(service_id);
      // A slot became free, and callbacks of this service may be waiting for it.
      if (left === perServiceConcurrency - 1 || this.busy === maxConcurrency - 1) this.loop.wake();
    }
  }

  private async attempt(callback: DueCallback, span: Span | undefined): Promise<CallbackOutcome> {
    const { id, url, body, callback_type } = callback;
    const at = this.app.clock.now();
    const started = performance.now();
    const secrets = this.secretsOf(callback);
    const result: CallbackResult = secrets
      ? await this.caller.post({ id, url, body, ...secrets, traceparent: span?.traceparent }, at)
      : { kind: 'refused', error: 'its token cannot be decrypted' };
    const duration_ms = Math.round(performance.now() - started);
    endSpan(span, result);
    this.metrics.duration.observe({ callback_type }, duration_ms / 1_000);
    const verdict = this.verdictOf(callback, result);
    this.metrics.attempts.inc({ callback_type, outcome: verdict.status });
    return {
      id,
      ...verdict,
      entry: {
        at: timestamp(at),
        status_code: result.kind === 'responded' ? result.status_code : null,
        error: result.kind === 'responded' ? null : result.error,
        duration_ms,
      },
    };
  }

  private secretsOf(callback: DueCallback) {
    const { encrypted_bearer_token, encrypted_signing_secret } = callback;
    const bearer_token = decryptToken(this.app, callback, encrypted_bearer_token);
    if (bearer_token === undefined) return undefined;
    if (encrypted_signing_secret === null) return { bearer_token };
    const signing_key = readSigningKey(this.app, callback, encrypted_signing_secret);
    return signing_key && { bearer_token, signing_key };
  }

  /** Connection failures, 5xx and 429 are retried. Any other response that is not 2xx is final. */
  private verdictOf(
    { attempts }: DueCallback,
    result: CallbackResult,
  ): Pick<CallbackOutcome, 'status' | 'due_at' | 'completed_at'> {
    const now = this.app.clock.now();
    const final = (status: 'delivered' | 'failed') => ({
      status,
      due_at: timestamp(now),
      completed_at: timestamp(now),
    });
    if (result.kind === 'refused') return final('failed');
    if (result.kind === 'responded') {
      const { status_code } = result;
      if (status_code >= 200 && status_code < 300) return final('delivered');
      if (status_code < 500 && status_code !== 429) return final('failed');
    }
    const delay_ms = this.app.config.callbacks.retryDelays_ms[attempts - 1];
    if (delay_ms === undefined) return final('failed');
    const requested_ms = result.kind === 'responded' ? Math.min((result.retry_after_s ?? 0) * 1_000, hour_ms) : 0;
    const due_at = timestamp(later(now, Math.max(delay_ms, requested_ms)));
    return { status: 'waiting', due_at, completed_at: null };
  }

  private async record(outcomes: CallbackOutcome[]): Promise<undefined[]> {
    await retryUntilAvailable(
      this.app.log,
      () => this.stopping,
      () => inTransaction(this.app.db, (tx) => updateCallbacks(tx, outcomes)),
    );
    return outcomes.map(() => undefined);
  }
}

function endSpan(span: Span | undefined, result: CallbackResult): void {
  if (result.kind === 'responded') {
    const { status_code } = result;
    span?.set({ 'http.response.status_code': status_code });
    span?.end(status_code < 400 ? undefined : `status ${status_code}`);
  } else span?.end(result.error);
}
