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
