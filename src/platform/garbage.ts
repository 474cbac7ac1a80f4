import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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
