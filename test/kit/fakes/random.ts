/** A small generator of random numbers, so that a failure can be repeated with its seed. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    this.state = (this.state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return this.state / 2 ** 32;
  }

  /** Returns a whole number from 0 up to, but not including, `below`. */
  integer(below: number): number {
    return Math.floor(this.next() * below);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(list.length)] as T;
  }

  isTrue(probability: number): boolean {
    return this.next() < probability;
  }
}
