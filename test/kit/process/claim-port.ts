import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { findFreePort } from '../../../src/platform/process/free-port.ts';

/** A free port that no other test of this run gets, so that a server that takes seconds to start finds it free. */
export async function claimPort(): Promise<number> {
  for (;;) {
    const port = await findFreePort();
    try {
      writeFileSync(join(inject('folder'), `port-${port}`), '', { flag: 'wx' });
      return port;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}
