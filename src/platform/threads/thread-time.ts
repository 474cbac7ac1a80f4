import { readFileSync, readlinkSync } from 'node:fs';

/** Returns the file with the CPU time of the calling thread; undefined if the system has none. */
export function findThreadTimes(): string | undefined {
  try {
    return `/proc/${readlinkSync('/proc/thread-self')}/stat`;
  } catch {
    return undefined;
  }
}

// Linux reports hundredths of a second, regardless of its clock.
const tick_ms = 10;

/** CPU time of a thread in milliseconds. */
export function readThreadTime(file: string | undefined): number | undefined {
  if (file === undefined) return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    // The name in brackets may contain anything. The times are the twelfth and thirteenth field after it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tick_ms;
  } catch {
    return undefined;
  }
}
