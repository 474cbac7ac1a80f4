import { isInstalled } from '../../ha/kit/programs.ts';

/** Global set-up: stops the run if a program is missing. */
export default function setup(): void {
  const names = [
    'swift-ring-builder',
    ...['proxy', 'account', 'container', 'object'].map((name) => `swift-${name}-server`),
  ];
  const missing = names.filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  throw new Error(
    `npm run test:s3 starts OpenStack Swift, and these programs are missing: ${missing.join(', ')}.\n` +
      'On Debian: apt-get install -y --no-install-recommends swift-proxy swift-account swift-container swift-object',
  );
}
