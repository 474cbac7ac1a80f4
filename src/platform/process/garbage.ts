import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * V8 lets a large heap grow to four times what is in use before it collects the old generation, or to a tenth more if little is
 * allocated, and then collects it every second. With this it always grows by half.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

let collect: (() => void) | undefined;

/** Collects all garbage now, which stops the process for some tens of milliseconds. */
export function collectGarbage(): void {
  // V8 offers this only behind a flag, which may be set at any time but takes effect in new contexts.
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
