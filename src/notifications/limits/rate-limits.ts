import type { CountAs } from '../../auth/api-caller.ts';
import { Failure } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { KeyType } from '../../protocol/key-types.ts';
import { deleteRateWindows, type RateGrant, type RateWindow, takeRatePermits } from './rate-limits.sql.ts';

const rateWindowSeconds = 60;

const slot_ms = 250;
// The oldest slot counts until it has passed completely, so the window covers one slot more than this.
const windowSlots = (rateWindowSeconds * 1000) / slot_ms;

/**
 * The share of a limit that each process may grant before it reports: eight processes together stay within 5 %. Limits below 160 are too
 * small for that and are exact; so is any limit if a single process gets all requests. Reserving permits in advance would never exceed the
 * limit, but permits that one process does not use would be refused in another.
 */
const aheadShare = 0.05 / 8;

/**
 * How long a process may delay its report: not at all if a request waits for it; near the limit; far below it; and while at most half of
 * the share above is unreported. The share limits the number of unreported requests regardless of the delay; late requests only leave the
 * window later. A report costs the database as much as two messages, and most services send only a few messages a minute.
 */
const delays_ms = { waiting: 0, near: 50, far: 4_000, few: 30_000 };
type Urgency = keyof typeof delays_ms;
/** Windows that are due within this time are reported together, because separate queries would cost more than early reports. */
const reportTogether_ms = 1_000;
/** Limits the windows per report for which no request waits, because requests that wait for the next query must not wait long. */
const maxReportedTogether = 100;
const nothingToReport = Number.POSITIVE_INFINITY;
const nearShare = 0.5;
/** Above this number, idle windows are deleted. A window takes about 200 bytes. */
const usualMaxWindows = 100_000;
/** Each new window checks this many others for idleness, so that no request waits for a scan of all windows. */
const idleSearchSteps = 8;

interface RateDecision {
  granted: boolean;
  remaining: number;
  /** Seconds until the oldest request leaves the window. */
  reset_s: number;
}

interface Window {
  service_id: string;
  /** Sends or reads, by key type. */
  window: RateWindow;
  limit: number;
  /** Requests of all processes, as of the last report. */
  used: number;
  oldestSlot: number;
  /** Requests that this process granted but has not reported, and how many of them are in the current report. */
  unreported: number;
  reporting: number;
  /** When the next report is due, by `performance.now()`, or `nothingToReport`; and the list that contains the window until then. */
  reportAt: number;
  toReport: Set<Window> | undefined;
  /** Requests for which a query is in flight. Counted as granted until it returns. */
  undecided: number;
  /** The window is full until then, for every process. */
  fullUntil: number;
  waiting: { resolve(decision: RateDecision): void; reject(error: unknown): void }[];
}

/**
 * Sliding windows of requests by service and key type, separate for sending and reading, shared by all processes through the database. Far
 * below the limit, a process grants requests at once and reports them some seconds later. Near the limit, and always for small limits, the
 * database decides; waiting requests share one round trip.
 */
export class RateLimits {
  private readonly app: Platform;
  private readonly windows = new Map<string, Window>();
  /** Where the search for idle windows continues. */
  private search = this.windows.entries();
  /** Windows with something to report. Each list is sorted by deadline, so that no operation scans all windows. */
  private readonly toReport: Record<Urgency, Set<Window>> = {
    waiting: new Set(),
    near: new Set(),
    far: new Set(),
    few: new Set(),
  };
  private timer: NodeJS.Timeout | undefined;
  private timerAt = 0;
  private querying = false;
  private closed = false;

  private readonly maxWindows: number;

  constructor(app: Platform, maxWindows = usualMaxWindows) {
    this.app = app;
    this.maxWindows = maxWindows;
  }

  take(which: Pick<Window, 'service_id' | 'window'>, limit: number): Promise<RateDecision> | RateDecision {
    const window = this.windowOf(which);
    const now = this.app.clock.now().getTime();
    if (window.limit !== limit) Object.assign(window, { limit, fullUntil: 0 });
    if (isFull(window, now)) return { granted: false, remaining: 0, reset_s: secondsUntil(window.fullUntil, now) };
    const used = window.used + window.unreported + window.undecided;
    const ahead = Math.floor(limit * aheadShare);
    if (window.unreported < ahead && used < limit) {
      window.unreported += 1;
      const isFar = used < limit * nearShare;
      this.report(window, isFar ? (window.unreported <= ahead / 2 ? 'few' : 'far') : 'near');
      return { granted: true, remaining: limit - used - 1, reset_s: secondsUntil(endOf(window, now), now) };
    }
    return new Promise((resolve, reject) => {
      window.waiting.push({ resolve, reject });
      this.report(window, 'waiting');
    });
  }

  /**
   * Counts a granted request as several. It is never rejected for this, so that a message that counts as more than the whole limit can
   * still be sent.
   */
  countAs(which: Pick<Window, 'service_id' | 'window'>, requests: number, decision: RateDecision): RateDecision {
    const window = this.windowOf(which);
    window.unreported += requests - 1;
    this.report(window, 'near');
    return { ...decision, remaining: Math.max(0, decision.remaining - (requests - 1)) };
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private windowOf({ service_id, window: counted }: Pick<Window, 'service_id' | 'window'>): Window {
    const key = `${service_id} ${counted}`;
    const existing = this.windows.get(key);
    if (existing) return existing;
    if (this.windows.size >= this.maxWindows) this.deleteIdleWindows();
    // One object literal: an object built by spreading takes several times the memory.
    const window: Window = {
      service_id,
      window: counted,
      limit: 0,
      used: 0,
      oldestSlot: 0,
      unreported: 0,
      reporting: 0,
      reportAt: nothingToReport,
      toReport: undefined,
      undecided: 0,
      fullUntil: 0,
      waiting: [],
    };
    this.windows.set(key, window);
    return window;
  }

  private deleteIdleWindows(): void {
    for (let step = 0; step < idleSearchSteps; step += 1) {
      const { value, done } = this.search.next();
      if (done) this.search = this.windows.entries();
      else if (!value[1].toReport && value[1].undecided === 0) this.windows.delete(value[0]);
    }
  }

  private report(window: Window, urgency: Urgency): void {
    const at = urgency === 'waiting' ? 0 : performance.now() + delays_ms[urgency];
    if (at >= window.reportAt) return;
    window.toReport?.delete(window);
    window.toReport = this.toReport[urgency].add(window);
    window.reportAt = at;
    this.queryWithin(delays_ms[urgency]);
  }

  /**
   * Returns the due windows. Leaves out those that can wait, because each window in a report costs the database the same, however many
   * requests it reports.
   */
  private takeDue(): Window[] {
    const due = performance.now() + reportTogether_ms;
    const windows = [...this.toReport.waiting];
    const max = windows.length + maxReportedTogether;
    for (const list of [this.toReport.near, this.toReport.far, this.toReport.few]) {
      for (const window of list) {
        if (window.reportAt > due || windows.length === max) break;
        windows.push(window);
      }
    }
    for (const window of windows) {
      window.toReport?.delete(window);
      window.toReport = undefined;
      window.reportAt = nothingToReport;
    }
    return windows;
  }

  /** The deadline of the next report. */
  private nextDue(): number {
    const firsts = Object.values(this.toReport).map((list) => list.values().next().value);
    return Math.min(...firsts.map((window) => window?.reportAt ?? nothingToReport));
  }

  private queryWithin(ms: number): void {
    if (this.querying || this.closed) return;
    if (ms <= 0) {
      clearTimeout(this.timer);
      this.timer = undefined;
      this.querying = true;
      setImmediate(() => void this.query());
      return;
    }
    const at = performance.now() + ms;
    if (this.timer && this.timerAt <= at) return;
    clearTimeout(this.timer);
    this.timerAt = at;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.querying = true;
      void this.query();
    }, ms).unref();
  }

  private async query(): Promise<void> {
    const batch = this.takeDue().map((window) => {
      window.reporting = window.unreported;
      window.undecided = window.waiting.length;
      return { window, waiting: window.waiting.splice(0) };
    });
    const now = this.app.clock.now().getTime();
    try {
      const grants = await takeRatePermits(
        this.app.pool,
        batch.map(({ window: { service_id, window: key_type, reporting, limit }, waiting }) => {
          return { service_id, key_type, already: reporting, waiting: waiting.length, request_limit: limit };
        }),
        { slot: Math.floor(now / slot_ms), window_slots: windowSlots },
      );
      const byKey = new Map(grants.map((grant) => [`${grant.service_id} ${grant.key_type}`, grant]));
      for (const { window, waiting } of batch) {
        const grant = byKey.get(`${window.service_id} ${window.window}`);
        if (grant) settle(window, waiting, grant, now);
      }
    } catch (error) {
      for (const { window, waiting } of batch) {
        window.reporting = window.undecided = 0;
        for (const { reject } of waiting) reject(error);
      }
    } finally {
      this.querying = false;
      const next = this.nextDue();
      if (next !== nothingToReport) this.queryWithin(Math.max(0, next - performance.now()));
    }
  }
}

function settle(window: Window, waiting: Window['waiting'], grant: RateGrant, now: number): void {
  window.unreported -= window.reporting;
  window.reporting = window.undecided = 0;
  window.used = grant.used;
  window.oldestSlot = grant.oldest_slot ?? Math.floor(now / slot_ms);
  const reset_s = secondsUntil(endOf(window, now), now);
  // Count down, so that the last granted request sees what remains after it.
  const remaining = Math.max(0, window.limit - grant.used);
  waiting.forEach(({ resolve }, index) => {
    const granted = index < grant.granted;
    resolve({ granted, remaining: granted ? remaining + grant.granted - index - 1 : 0, reset_s });
  });
  if (grant.granted < waiting.length) window.fullUntil = endOf(window, now);
}

/** If a window is full for longer than its length, the clock was set back; then this returns false, so that the database is queried. */
function isFull({ fullUntil }: Window, now: number): boolean {
  return fullUntil > now && fullUntil - now <= (windowSlots + 1) * slot_ms;
}

/** Returns when the oldest slot leaves the window. */
function endOf(window: Window, now: number): number {
  return window.oldestSlot === 0 ? now + rateWindowSeconds * 1000 : (window.oldestSlot + windowSlots + 1) * slot_ms;
}

/** Capped at the window's length, although a slot counts slightly longer, until it has passed completely. */
function secondsUntil(moment: number, now: number): number {
  return Math.min(rateWindowSeconds, Math.max(1, Math.ceil((moment - now) / 1000)));
}

const keyTypeNames = { normal: 'LIVE', team: 'TEAM', test: 'TEST' } as const;

export function rateLimitHeaders(limit: number, decision: RateDecision): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(decision.remaining),
    'ratelimit-reset': String(decision.reset_s),
    'ratelimit-policy': `${limit};w=${rateWindowSeconds}`,
  };
}

export function rateLimitExceeded(keyType: KeyType, limit: number, decision: RateDecision): Failure {
  return new Failure(
    'too-many',
    'RateLimitError',
    `Exceeded rate limit for key type ${keyTypeNames[keyType]} of ${limit} requests per ${rateWindowSeconds} seconds`,
    { headers: { 'retry-after': String(decision.reset_s) }, reason: 'rate_limit' },
  );
}

/**
 * Takes a permit to send. Throws if the rate limit is used up. Returns a function that says how many requests it counts as in all: the
 * highest number counts.
 */
export async function takePermit(
  limits: RateLimits,
  { id, rate_limit }: { id: string; rate_limit: number },
  keyType: KeyType,
): Promise<CountAs> {
  const window = { service_id: id, window: keyType };
  const decision = await limits.take(window, rate_limit);
  if (!decision.granted) throw rateLimitExceeded(keyType, rate_limit, decision);
  let counted = 1;
  return (requests) => {
    if (requests <= counted) return;
    limits.countAs(window, requests - counted + 1, decision);
    counted = requests;
  };
}

/** Deletes windows of services without recent requests. */
export async function deleteOldRateWindows(app: Platform): Promise<void> {
  const slot = Math.floor(app.clock.now().getTime() / slot_ms);
  await deleteRateWindows(app.db, slot - 2 * windowSlots);
}
