import { spawnSync } from 'node:child_process';
import { isInstalled } from '../../ha/kit/programs.ts';

/** Packages of Debian are installed for its own Python, which is not always the first in the path. */
export const debianPython = '/usr/bin/python3';

/** Global set-up: stops the run if a program is missing. */
export default function setup(): void {
  const missing = isInstalled('nsd') ? [] : ['nsd'];
  if (spawnSync(debianPython, ['-c', 'import dkim, dns.resolver']).status !== 0) missing.push('python3-dkim');
  if (missing.length === 0) return;
  throw new Error(
    'npm run test:domains starts a name server and verifies signatures with dkimpy, and these packages are missing: ' +
      `${missing.join(', ')}.\nOn Debian: apt-get install -y --no-install-recommends nsd python3-dkim`,
  );
}
