import { readFileSync, readlinkSync } from 'node:fs';

/** Where the system writes down how long the calling thread has worked; undefined where it does not. */
export function findThreadTimes(): string | undefined {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/stat`;
  } catch {
    return undefined;
  }
}

// Linux counts in hundredths of a second, whatever its own clock does.
const tick_ms = 10;

/** Milliseconds that a thread has had a core so far. */
export function readThreadTime(file: string | undefined): number | undefined {
  if (file === undefined) return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    // The name in brackets may hold anything; the times are the twelfth and thirteenth field behind it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tick_ms;
  } catch {
    return undefined;
  }
}
