import type { Config } from '../../config.ts';
import { later, timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { isDatabaseUnavailable } from '../../platform/db/errors.ts';
import { GroupCommit } from '../../platform/db/group-commit.ts';
import { retryUntilAvailable } from '../../platform/db/retry.ts';
import { nilId } from '../../platform/id.ts';
import { Loop } from '../../platform/loop.ts';
import type { Platform } from '../../platform/platform.ts';
import { decryptToken } from '../../services/settings/callback-api.ts';
import { readSigningKey } from '../../services/settings/callback-signing.ts';
import { CallbackCaller, type CallbackResult } from './callback-request.ts';
import {
  type CallbackOutcome,
  type DueCallback,
  leaseCallbacks,
  selectWaitingServices,
  updateCallbacks,
} from './service-callbacks.sql.ts';

/** Calls under way in one process, and of those to one service: a slow receiver fills its own places only. */
const places = 500;
const perServiceConcurrency = 25;
/** Longer than a call may take. */
const lease_ms = 10_000;
const idle_ms = 250;
/** Services looked at in one statement, and statements in one step. */
const servicesAtOnce = 500;
const mostLooks = 10;

type CallbackNeeds = Platform & { config: Pick<Config, 'CALLBACK_ALLOW_PRIVATE' | 'CALLBACK_RETRY_DELAYS_S'> };

/** Posts what services asked to be told about; one service’s receiver never holds up another’s. */
export class CallbackSender {
  private readonly app: CallbackNeeds;
  private readonly caller: CallbackCaller;
  private readonly loop: Loop;
  private readonly outcomes: GroupCommit<CallbackOutcome, undefined>;
  private readonly underWay = new Map<string, number>();
  private readonly metrics;
  /** Where the walk round the services stopped: the next one goes on from there. */
  private stoppedAt = nilId;
  private busy = 0;
  private stopping = false;

  constructor(app: CallbackNeeds) {
    this.app = app;
    this.caller = new CallbackCaller(app.config);
    this.loop = new Loop({ name: 'service callbacks', step: () => this.step(), log: app.log });
    this.outcomes = new GroupCommit({
      commit: (outcomes) => this.record(outcomes),
      largest: 500,
      atOnce: 1,
      concernsAll: isDatabaseUnavailable,
    });
    this.metrics = {
      attempts: app.metrics.counter('service_callbacks_total', 'Callbacks to services by how the attempt ended', [
        'callback_type',
        'outcome',
      ]),
      duration: app.metrics.histogram(
        'service_callback_forward_duration_seconds',
        'How long services take to answer a callback',
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
    const free = places - this.busy;
    if (free < 1) return idle_ms;
    const now = this.app.clock.now();
    const until = timestamp(later(now, lease_ms));
    const leased = await inTransaction(this.app.db, async (tx) => {
      const services = await this.nextDueServices(tx, now, free);
      const each = Math.max(1, Math.floor(free / Math.max(1, services.length)));
      const wanted = services
        .map((service_id) => ({
          service_id,
          most: Math.min(each, perServiceConcurrency - (this.underWay.get(service_id) ?? 0)),
        }))
        .filter(({ most }) => most > 0);
      return wanted.length > 0 ? leaseCallbacks(tx, wanted, { now: timestamp(now), until }) : [];
    });
    for (const callback of leased) void this.send(callback);
    return leased.length > 0 ? 0 : idle_ms;
  }

  /** Round the circle of services at most once; many may only wait for a retry. */
  private async nextDueServices(tx: Tx, now: Date, most: number): Promise<string[]> {
    const start = this.stoppedAt;
    const due: string[] = [];
    let wrapped = start === nilId;
    for (let look = 0; look < mostLooks && due.length < most; look += 1) {
      const found = await selectWaitingServices(tx, {
        after: this.stoppedAt,
        most: servicesAtOnce,
        now: timestamp(now),
      });
      const here = found.filter(
        (service) => service.due && !(wrapped && start !== nilId && service.service_id > start),
      );
      const taken = here.slice(0, most - due.length);
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

  private async send(callback: DueCallback): Promise<void> {
    const { service_id } = callback;
    this.busy += 1;
    this.underWay.set(service_id, (this.underWay.get(service_id) ?? 0) + 1);
    try {
      await this.outcomes.add(await this.attempt(callback));
    } catch (error) {
      this.app.log.error({ err: error, callback_id: callback.id }, 'a callback’s outcome could not be recorded');
    } finally {
      this.busy -= 1;
      const left = (this.underWay.get(service_id) ?? 1) - 1;
      if (left > 0) this.underWay.set(service_id, left);
      else this.underWay.delete(service_id);
      // A place is free: this service may have been waiting for it.
      if (left === perServiceConcurrency - 1 || this.busy === places - 1) this.loop.wake();
    }
  }

  private async attempt(callback: DueCallback): Promise<CallbackOutcome> {
    const { id, url, body, callback_type } = callback;
    const at = this.app.clock.now();
    const started = performance.now();
    const secrets = this.secretsOf(callback);
    const answer: CallbackResult = secrets
      ? await this.caller.post({ id, url, body, ...secrets }, at)
      : { kind: 'refused', error: 'its token cannot be decrypted' };
    const duration_ms = Math.round(performance.now() - started);
    this.metrics.duration.observe({ callback_type }, duration_ms / 1_000);
    const verdict = this.judge(callback, answer);
    this.metrics.attempts.inc({ callback_type, outcome: verdict.status });
    return {
      id,
      ...verdict,
      entry: {
        at: timestamp(at),
        status_code: answer.kind === 'answered' ? answer.status_code : null,
        error: answer.kind === 'answered' ? null : answer.error,
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

  /** No answer, 5xx and 429 are tried again; any other answer that is not a yes is final. */
  private judge(
    { attempts }: DueCallback,
    answer: CallbackResult,
  ): Pick<CallbackOutcome, 'status' | 'due_at' | 'completed_at'> {
    const now = this.app.clock.now();
    const final = (status: 'delivered' | 'failed') => ({
      status,
      due_at: timestamp(now),
      completed_at: timestamp(now),
    });
    if (answer.kind === 'refused') return final('failed');
    if (answer.kind === 'answered') {
      const { status_code } = answer;
      if (status_code >= 200 && status_code < 300) return final('delivered');
      if (status_code < 500 && status_code !== 429) return final('failed');
    }
    const delay_s = this.app.config.CALLBACK_RETRY_DELAYS_S[attempts - 1];
    if (delay_s === undefined) return final('failed');
    const asked_s = answer.kind === 'answered' ? Math.min(answer.retry_after_s ?? 0, 3_600) : 0;
    const due_at = timestamp(later(now, Math.max(delay_s, asked_s) * 1_000));
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
