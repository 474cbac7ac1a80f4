import { createHash } from 'node:crypto';
import { type ApiCaller, type CallerDeps, callerAt } from '../auth/api-caller.ts';
import { credentialTexts } from '../auth/bearer.ts';
import type { SendDeps } from '../notifications/sending/send-context.ts';
import { day_ms, minute_ms } from '../platform/clock.ts';
import { Failure } from '../platform/failure.ts';
import { clientNetwork } from '../platform/http/networks.ts';
import { Reply } from './replies.ts';
import { sendOverSmtp } from './settings.ts';

const maxFailures = 5;
/** Each takes about 100 bytes. */
const maxNetworks = 50_000;
/** Each takes about 200 bytes. */
const maxWorked = 10_000;

/**
 * Authenticates clients by their API key, and limits wrong keys by network. The limit does not apply to a key that has worked there within a
 * day: one client with a wrong key must not stop all others behind the same address.
 */
export class Authenticator {
  private readonly app: CallerDeps & SendDeps;
  private readonly failures;
  private readonly failed = new Map<string, number>();
  private countedSince = performance.now();
  /** When each key worked last, by digest of network and key. */
  private readonly worked = new Map<string, number>();

  constructor(app: CallerDeps & SendDeps) {
    this.app = app;
    this.failures = app.metrics.counter('smtp_inlet_auth_failures_total', 'Wrong passwords at the SMTP inlet', []);
    this.failures.inc(0);
  }

  async authenticate(address: string, password: string): Promise<ApiCaller> {
    const network = clientNetwork(address);
    const digest = createHash('sha256').update(`${network} ${password}`).digest('base64');
    if (this.countOf(network) >= maxFailures && !this.hasWorked(digest))
      throw new Reply(421, '4.7.0 Too many wrong API keys, try again later');
    try {
      const caller = await this.callerOf(address, password);
      this.recordWorking(digest);
      return caller;
    } catch (error) {
      if (error instanceof Reply) {
        this.worked.delete(digest);
        this.failures.inc();
        if (this.failed.size < maxNetworks) this.failed.set(network, this.countOf(network) + 1);
      }
      throw error;
    }
  }

  /** Also called for each email of a client that is signed in: its key may have been revoked since. */
  async callerOf(address: string, password: string): Promise<ApiCaller> {
    let caller: ApiCaller;
    try {
      caller = await callerAt(this.app, address, password);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'AuthError') throw error;
      if (error.problems?.[0]?.message === credentialTexts.archived)
        throw new Reply(535, '5.7.1 This service is archived');
      throw new Reply(535, '5.7.8 Wrong API key');
    }
    const service = await this.app.sending.services.find(caller.service_id);
    if (!service?.permissions.has('email')) throw new Reply(535, '5.7.1 This service is not allowed to send email');
    if (!service.permissions.has(sendOverSmtp)) throw new Reply(535, '5.7.1 This service does not send over SMTP');
    if (!caller.send_over_smtp) throw new Reply(535, '5.7.1 This API key may not send over SMTP');
    return caller;
  }

  private hasWorked(digest: string): boolean {
    const at = this.worked.get(digest);
    return at !== undefined && this.app.clock.now().getTime() - at < day_ms;
  }

  private recordWorking(digest: string): void {
    // Deleted first, so that the map stays sorted by time.
    this.worked.delete(digest);
    this.worked.set(digest, this.app.clock.now().getTime());
    const [oldest] = this.worked.keys();
    if (this.worked.size > maxWorked && oldest !== undefined) this.worked.delete(oldest);
  }

  private countOf(network: string): number {
    const now = performance.now();
    if (now - this.countedSince >= minute_ms) {
      this.countedSince = now;
      this.failed.clear();
    }
    return this.failed.get(network) ?? 0;
  }
}
