import { AsyncLocalStorage } from 'node:async_hooks';

/** `isOver`: the work has ended, although something that it started may still run. */
interface Held<Value> {
  value: Value;
  isOver: boolean;
}

/**
 * Holds a value for a piece of work until it ends, across `await`. While no work has a value, the AsyncLocalStorage is disabled: before
 * Node 24 it makes every promise of the process four times as expensive, including those that accept messages.
 */
export class ContextValue<Value> {
  private readonly storage = new AsyncLocalStorage<Held<Value> | undefined>();
  private running = 0;

  run<T>(value: Value, work: () => T): T {
    this.running += 1;
    const held = { value, isOver: false };
    const stop = () => {
      held.isOver = true;
      this.running -= 1;
      if (this.running === 0) this.storage.disable();
    };
    let result: T;
    try {
      result = this.storage.run(held, work);
    } catch (error) {
      stop();
      throw error;
    }
    if (result instanceof Promise) return result.finally(stop) as T;
    stop();
    return result;
  }

  /** Runs work that several callers share, such as a group commit, without a value. */
  runWithout<T>(work: () => T): T {
    return this.running === 0 ? work() : this.storage.run(undefined, work);
  }

  current(): Value | undefined {
    const held = this.running === 0 ? undefined : this.storage.getStore();
    return held?.isOver ? undefined : held?.value;
  }
}
