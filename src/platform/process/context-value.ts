import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A value for everything that some work does, also after it has waited. While no work has a value, the storage is off:
 * before Node 24 it makes each promise of the process four times as expensive, also those that accept messages.
 */
export class ContextValue<Value> {
  private readonly storage = new AsyncLocalStorage<Value>();
  private running = 0;

  run<T>(value: Value, work: () => T): T {
    this.running += 1;
    const stop = () => {
      this.running -= 1;
      if (this.running === 0) this.storage.disable();
    };
    let result: T;
    try {
      result = this.storage.run(value, work);
    } catch (error) {
      stop();
      throw error;
    }
    if (result instanceof Promise) return result.finally(stop) as T;
    stop();
    return result;
  }

  current(): Value | undefined {
    return this.running === 0 ? undefined : this.storage.getStore();
  }
}
