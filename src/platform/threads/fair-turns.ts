import { FairQueue } from './fair-queue.ts';

interface Limits {
  /** Items under way, and the total of their sizes. */
  underWay: number;
  size: number;
  waiting: number;
}

interface Waiting {
  size: number;
  begin: () => void;
}

/** Too many items are waiting. */
export class NoTurn extends Error {}

/** Limits how many items are under way, and their total size. Owners take turns. */
export class FairTurns {
  private readonly waiting = new FairQueue<Waiting>();
  private readonly max: Limits;
  private next: Waiting | undefined;
  private underWay = 0;
  private sizeUnderWay = 0;

  constructor(max: Limits) {
    this.max = max;
  }

  /** Waits for a turn, or throws NoTurn. Returns a function that ends the turn. */
  async take(owner: string, size: number): Promise<() => void> {
    if (this.waiting.length >= this.max.waiting) throw new NoTurn('Too many are waiting for their turn');
    await new Promise<void>((begin) => {
      this.waiting.add(owner, { size, begin });
      this.beginNext();
    });
    return () => {
      this.underWay -= 1;
      this.sizeUnderWay -= size;
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
      this.sizeUnderWay += this.next.size;
      this.next.begin();
      this.next = undefined;
    }
  }

  /** One that is larger than the limit has its turn alone. */
  private hasRoomFor({ size }: Waiting): boolean {
    if (this.underWay === 0) return true;
    return this.underWay < this.max.underWay && this.sizeUnderWay + size <= this.max.size;
  }
}
