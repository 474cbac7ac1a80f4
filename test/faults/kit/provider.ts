import { setTimeout as sleep } from 'node:timers/promises';
import {
  receiptPathOf,
  type StubAnswer,
  type StubGateways,
  type StubRequest,
  startStubGateways,
} from '../../kit/vendors/stub-gateways.ts';

export interface Send {
  reference: string;
  gateway: StubRequest['gateway'] | 'smpp';
  at: number;
}

/** The providers' gateways: they record every request, and send receipts as real ones do. */
export class Provider {
  readonly sends: Send[] = [];
  private readonly counts = new Map<string, number>();
  readonly gateways: StubGateways;
  /** The response to a request; `nth` counts the requests for the same message from 1. */
  answer: (request: StubRequest, nth: number) => StubAnswer = () => 'accept';
  /** Milliseconds until the receipt of a request; undefined: no receipt. */
  receiptAfter: (reference: string, nth: number) => number | undefined = () => 100 + Math.random() * 300;
  /** Whether the receipt of a request says that the message failed for good. */
  fails: (request: StubRequest) => boolean = () => false;
  /** Where receipts go: any API process. */
  receiptUrl: () => string = () => '';

  static async start(): Promise<Provider> {
    return new Provider(await startStubGateways());
  }

  private constructor(gateways: StubGateways) {
    this.gateways = gateways;
    gateways.answer = (request) => {
      const { reference, gateway } = request;
      this.sends.push({ reference, gateway, at: Date.now() });
      const nth = (this.counts.get(reference) ?? 0) + 1;
      this.counts.set(reference, nth);
      const answer = this.answer(request, nth);
      void this.sendReceipt(request, this.receiptAfter(reference, nth));
      return answer;
    };
  }

  close(): Promise<void> {
    return this.gateways.close();
  }

  /** Retries until an API process accepts it. */
  private async sendReceipt(request: StubRequest, after_ms: number | undefined): Promise<void> {
    if (after_ms === undefined) return;
    await sleep(after_ms);
    const { gateway, reference } = request;
    const path = receiptPathOf(request);
    const hasFailed = this.fails(request);
    const body =
      gateway === 'firetext'
        ? new URLSearchParams({ status: hasFailed ? '1' : '0', reference })
        : JSON.stringify({ status: hasFailed ? '5' : '3', CID: reference });
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const response = await fetch(`${this.receiptUrl()}${path}`, {
        method: 'POST',
        body,
        signal: AbortSignal.timeout(10_000),
      }).catch(() => undefined);
      await response?.body?.cancel();
      if (response?.ok) return;
      await sleep(500);
    }
  }
}
