import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sender } from './world.ts';

interface LoadOptions {
  recipient?: () => string;
  /** Sends each request with an Idempotency-Key, which is also the reference of the message. */
  keyed?: boolean;
}

/** Results of requests to send. */
export class Load {
  readonly accepted = new Set<string>();
  /** By status, `no response` included. */
  readonly responses: Record<string, number> = {};
  /** Milliseconds, of those with a 201 response. */
  readonly took: number[] = [];
  /** When those responses arrived. */
  readonly acceptedAt: number[] = [];
  /** The message that each key was accepted for; undefined without a 201 response. */
  readonly keys = new Map<string, string | undefined>();
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 256 });
  private readonly portOf: () => number;
  private readonly options: LoadOptions;

  constructor(portOf: () => number, options: LoadOptions = {}) {
    this.portOf = portOf;
    this.options = options;
  }

  async send({ key, template_id }: Sender, idempotencyKey = this.newKey()): Promise<string> {
    const { recipient = () => '07700900123' } = this.options;
    const started = performance.now();
    const message = { phone_number: recipient(), template_id, reference: idempotencyKey };
    const { status, body } = await this.post(key, message, idempotencyKey);
    const id = status === '201' ? JSON.parse(body).id : undefined;
    if (idempotencyKey) this.keys.set(idempotencyKey, this.keys.get(idempotencyKey) ?? id);
    if (id) {
      this.accepted.add(id);
      this.took.push(performance.now() - started);
      this.acceptedAt.push(Date.now());
    }
    this.responses[status] = (this.responses[status] ?? 0) + 1;
    return status;
  }

  private newKey(): string | undefined {
    return this.options.keyed ? randomUUID() : undefined;
  }

  /** At a steady rate, without waiting for responses. */
  async sendSteadily(sender: Sender, perSecond: number, goesOn: () => boolean): Promise<void> {
    const under = new Set<Promise<unknown>>();
    const started = performance.now();
    for (let sent = 0; goesOn(); ) {
      const due = ((performance.now() - started) * perSecond) / 1_000;
      for (; sent < due; sent += 1) {
        const one = this.send(sender).finally(() => under.delete(one));
        under.add(one);
      }
      await sleep(10);
    }
    await Promise.all(under);
  }

  sendFor(sender: Sender, perSecond: number, seconds: number): Promise<void> {
    const end = Date.now() + seconds * 1_000;
    return this.sendSteadily(sender, perSecond, () => Date.now() < end);
  }

  /** All of them, with a fixed concurrency. */
  async sendAll(sender: Sender, count: number, atOnce: number): Promise<void> {
    let left = count;
    const one = async () => {
      while (left-- > 0) await this.send(sender);
    };
    await Promise.all(Array.from({ length: atOnce }, one));
  }

  quantile(share: number): number {
    const sorted = this.took.toSorted((one, other) => one - other);
    return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  }

  close(): void {
    this.agent.destroy();
  }

  private post(key: string, body: object, idempotencyKey?: string): Promise<{ status: string; body: string }> {
    return new Promise((resolve) => {
      const lost = () => resolve({ status: 'no response', body: '' });
      const sent = request({
        agent: this.agent,
        host: '127.0.0.1',
        port: this.portOf(),
        method: 'POST',
        path: '/v2/notifications/sms',
        headers: {
          authorization: `Bearer ${key}`,
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        timeout: 20_000,
      });
      sent.on('error', lost).on('timeout', () => sent.destroy(new Error('no response')));
      sent.on('response', (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: String(response.statusCode), body: text }));
        response.on('error', lost).on('aborted', lost);
      });
      sent.end(JSON.stringify(body));
    });
  }
}
