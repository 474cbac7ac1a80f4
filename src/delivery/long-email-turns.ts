import { FairQueue } from '../platform/threads/fair-queue.ts';

/** Characters of the long emails that one process renders and sends at a time: four of the longest. */
const maxLengthUnderWay = 8_000_000;

interface Waiting {
  length: number;
  begin: () => void;
}

/** Too many long emails wait in this process: the message is put back into the queue. */
export class NoTurn extends Error {}

/**
 * Limits the long emails of a process, from rendering until the provider has them: the HTML of one may be thirty times as long as its
 * text. Services take turns, separately in each lane.
 */
export class LongEmailTurns {
  private readonly waiting = new FairQueue<Waiting>();
  private readonly max: { underWay: number; waiting: number };
  private next: Waiting | undefined;
  private underWay = 0;
  private lengthUnderWay = 0;

  constructor(max: { underWay: number; waiting: number }) {
    this.max = max;
  }

  /** Waits for a turn. Returns a function that ends it. */
  async take(owner: string, length: number): Promise<() => void> {
    if (this.waiting.length >= this.max.waiting) throw new NoTurn();
    await new Promise<void>((begin) => {
      this.waiting.add(owner, { length, begin });
      this.beginNext();
    });
    return () => {
      this.underWay -= 1;
      this.lengthUnderWay -= length;
      this.beginNext();
    };
  }

  waitingOf(owner: string): number {
    return this.waiting.lengthOf(owner);
  }

  private beginNext(): void {
    for (;;) {
      this.next ??= this.waiting.take();
      if (!this.next || !this.hasRoomFor(this.next)) return;
      this.underWay += 1;
      this.lengthUnderWay += this.next.length;
      this.next.begin();
      this.next = undefined;
    }
  }

  /** One that is longer than the limit has its turn alone. */
  private hasRoomFor({ length }: Waiting): boolean {
    if (this.underWay === 0) return true;
    return this.underWay < this.max.underWay && this.lengthUnderWay + length <= maxLengthUnderWay;
  }
}
