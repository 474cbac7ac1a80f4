import type { SmppSettings } from './settings.ts';

/** As stored with the message. Ids of a message centre are often short numbers, which other providers use, too. */
export function referenceOf(messageId: string): string {
  return `smpp:${encodeURIComponent(messageId)}`;
}

const recent_ms = 10_000;

/** The references of messages that this process handed over in the last seconds. Their results are about to be recorded. */
export class AcceptedReferences {
  private readonly times = new Map<string, number>();

  add(reference: string, now = performance.now()): void {
    this.times.delete(reference);
    this.times.set(reference, now);
    for (const [old, time] of this.times) {
      if (now - time < recent_ms) return;
      this.times.delete(old);
    }
  }

  has(reference: string): boolean {
    return this.times.has(reference);
  }
}

/** The form in which ids of responses and of receipts are equal. */
export function normalId(
  id: string,
  source: 'response' | 'receipt',
  { receiptIds }: Pick<SmppSettings, 'receiptIds'>,
): string {
  if (receiptIds === 'same') return id;
  const isHexadecimal = (receiptIds === 'hexadecimal') === (source === 'receipt');
  const digits = isHexadecimal ? /^[0-9a-f]{1,64}$/i : /^\d{1,64}$/;
  return digits.test(id) ? BigInt(isHexadecimal ? `0x${id}` : id).toString() : id;
}
