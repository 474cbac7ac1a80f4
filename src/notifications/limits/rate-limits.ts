import type { ApiCaller } from '../../auth/api-caller.ts';
import { Failure } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { deleteRateWindows, type RateGrant, type RateWindow, takeRatePermits } from './rate-limits.sql.ts';

const rateWindowSeconds = 60;

const slotMs = 250;
// The oldest slot counts until all of it has passed, so that one slot more than these is looked at.
const windowSlots = (rateWindowSeconds * 1000) / slotMs;

/**
 * Each process may be this share of a limit ahead of what the others know: eight of them together stay within 5 %.
 * A limit below 160 leaves no such room, and is kept to the request; so is every limit where one process takes them all.
 * Permits taken in advance would never be too many, but those left over in one process would be refused in another.
 */
const aheadShare = 0.05 / 8;

/** How long a process may keep to itself what it has let through: far from the limit, and near it. */
const reportFarMs = 1_000;
const reportNearMs = 50;
const nearShare = 0.5;
const rememberedWindows = 10_000;

interface RateDecision {
  granted: boolean;
  remaining: number;
  /** Until the oldest request in the window no longer counts. */
  reset_s: number;
}

interface Window {
  service_id: string;
  /** What is counted: sending with one kind of key, or reading. */
  window: RateWindow;
  top: number;
  /** In all processes, as last heard. */
  used: number;
  oldestSlot: number;
  /** Let through here and not reported yet; and how many of these are being reported. */
  unreported: number;
  reporting: number;
  /** When what was let through is reported at the latest, by `performance.now()`. */
  reportAt: number;
  /** About which the database is being asked: let through, for all that is known here. */
  undecided: number;
  /** Full until then, in every process. */
  fullUntil: number;
  waiting: { resolve(decision: RateDecision): void; reject(error: unknown): void }[];
}

type Needs = Pick<Platform, 'db' | 'pool' | 'clock' | 'log'>;

/**
 * Rolling windows of requests by service and kind of key, apart for sending and reading, shared by all processes through
 * the database. Far below the limit a request is let through at once and reported with others, once a second; near it, and
 * for small limits always, the database decides. Requests that wait for that share one round trip.
 */
export class RateLimits {
  private readonly app: Needs;
  private readonly windows = new Map<string, Window>();
  private readonly changed = new Set<Window>();
  private timer: NodeJS.Timeout | undefined;
  private timerAt = 0;
  private asking = false;
  private closed = false;

  constructor(app: Needs) {
    this.app = app;
  }

  take(which: Pick<Window, 'service_id' | 'window'>, limit: number): Promise<RateDecision> | RateDecision {
    const window = this.windowOf(which);
    const now = this.app.clock.now().getTime();
    if (window.top !== limit) Object.assign(window, { top: limit, fullUntil: 0 });
    if (isFull(window, now)) return { granted: false, remaining: 0, reset_s: secondsUntil(window.fullUntil, now) };
    const used = window.used + window.unreported + window.undecided;
    if (window.unreported < Math.floor(limit * aheadShare) && used < limit) {
      window.unreported += 1;
      this.report(window, used < limit * nearShare ? reportFarMs : reportNearMs);
      return { granted: true, remaining: limit - used - 1, reset_s: secondsUntil(endOf(window, now), now) };
    }
    return new Promise((resolve, reject) => {
      window.waiting.push({ resolve, reject });
      this.report(window, 0);
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private windowOf({ service_id, window: counted }: Pick<Window, 'service_id' | 'window'>): Window {
    const key = `${service_id} ${counted}`;
    const known = this.windows.get(key);
    if (known) return known;
    if (this.windows.size >= rememberedWindows) this.forgetIdleWindows();
    const counts = { used: 0, oldestSlot: 0, unreported: 0, reporting: 0, reportAt: 0, undecided: 0 };
    const window = { service_id, window: counted, top: 0, ...counts, fullUntil: 0, waiting: [] };
    this.windows.set(key, window);
    return window;
  }

  private forgetIdleWindows(): void {
    for (const [key, window] of this.windows) if (!this.changed.has(window)) this.windows.delete(key);
  }

  private report(window: Window, withinMs: number): void {
    const at = performance.now() + withinMs;
    if (!this.changed.has(window) || at < window.reportAt) {
      this.changed.add(window);
      window.reportAt = at;
      this.askWithin(withinMs);
    }
  }

  private askWithin(ms: number): void {
    if (this.asking || this.closed) return;
    if (ms <= 0) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.asking = true;
      setImmediate(() => void this.ask());
      return;
    }
    const at = performance.now() + ms;
    if (this.timer && this.timerAt <= at) return;
    clearTimeout(this.timer);
    this.timerAt = at;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.asking = true;
      void this.ask();
    }, ms).unref();
  }

  private async ask(): Promise<void> {
    // Not those that can wait: each one costs the database the same, however many requests it reports.
    const due = performance.now() + reportNearMs;
    const windows = [...this.changed].filter(({ waiting, reportAt }) => waiting.length > 0 || reportAt <= due);
    const asked = windows.map((window) => {
      this.changed.delete(window);
      window.reporting = window.unreported;
      window.undecided = window.waiting.length;
      return { window, waiting: window.waiting.splice(0) };
    });
    const now = this.app.clock.now().getTime();
    try {
      const answers = await takeRatePermits(
        this.app.pool,
        asked.map(({ window: { service_id, window: key_type, reporting, top }, waiting }) => {
          return { service_id, key_type, already: reporting, waiting: waiting.length, top };
        }),
        { slot: Math.floor(now / slotMs), window_slots: windowSlots },
      );
      const byKey = new Map(answers.map((answer) => [`${answer.service_id} ${answer.key_type}`, answer]));
      for (const { window, waiting } of asked) {
        const answer = byKey.get(`${window.service_id} ${window.window}`);
        if (answer) settle(window, waiting, answer, now);
      }
    } catch (error) {
      for (const { window, waiting } of asked) {
        window.reporting = window.undecided = 0;
        for (const { reject } of waiting) reject(error);
      }
    } finally {
      this.asking = false;
      const next = Math.min(
        ...[...this.changed].map(({ waiting, reportAt }) => (waiting.length > 0 ? 0 : reportAt - performance.now())),
      );
      if (this.changed.size > 0) this.askWithin(Math.max(0, next));
    }
  }
}

function settle(window: Window, waiting: Window['waiting'], answer: RateGrant, now: number): void {
  window.unreported -= window.reporting;
  window.reporting = window.undecided = 0;
  window.used = answer.used;
  window.oldestSlot = answer.oldest_slot ?? Math.floor(now / slotMs);
  const reset_s = secondsUntil(endOf(window, now), now);
  // Counted down to each: the last one let through sees what is left after it.
  const left = Math.max(0, window.top - answer.used);
  waiting.forEach(({ resolve }, index) => {
    const granted = index < answer.granted;
    resolve({ granted, remaining: granted ? left + answer.granted - index - 1 : 0, reset_s });
  });
  if (answer.granted < waiting.length) window.fullUntil = endOf(window, now);
}

/** Nothing is full for longer than the window: then the clock was set back, and the database is asked. */
function isFull({ fullUntil }: Window, now: number): boolean {
  return fullUntil > now && fullUntil - now <= (windowSlots + 1) * slotMs;
}

/** When the oldest slot leaves the window. */
function endOf(window: Window, now: number): number {
  return window.oldestSlot === 0 ? now + rateWindowSeconds * 1000 : (window.oldestSlot + windowSlots + 1) * slotMs;
}

/** Never more than the window, although a slot counts until all of it has passed and so for a moment longer. */
function secondsUntil(moment: number, now: number): number {
  return Math.min(rateWindowSeconds, Math.max(1, Math.ceil((moment - now) / 1000)));
}

const namesOfKeyTypes = { normal: 'LIVE', team: 'TEAM', test: 'TEST' } as const;

export function rateLimitHeaders(limit: number, decision: RateDecision): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(decision.remaining),
    'ratelimit-reset': String(decision.reset_s),
    'ratelimit-policy': `${limit};w=${rateWindowSeconds}`,
  };
}

export function rateLimitExceeded(keyType: ApiCaller['key_type'], limit: number, decision: RateDecision): Failure {
  return new Failure(
    'too-many',
    'RateLimitError',
    `Exceeded rate limit for key type ${namesOfKeyTypes[keyType]} of ${limit} requests per ${rateWindowSeconds} seconds`,
    { headers: { 'retry-after': String(decision.reset_s) } },
  );
}

/** Windows of services that have fallen silent. */
export async function forgetOldRateWindows(app: Pick<Platform, 'db' | 'clock'>): Promise<void> {
  const slot = Math.floor(app.clock.now().getTime() / slotMs);
  await deleteRateWindows(app.db, slot - 2 * windowSlots);
}
