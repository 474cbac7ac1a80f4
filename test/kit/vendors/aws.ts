import { join } from 'node:path';
import { vi } from 'vitest';

/** Hides the AWS credentials of the machine that runs the tests. Needs `vi.unstubAllEnvs()` afterwards. */
export function withoutAwsCredentials(emptyFolder: string): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(emptyFolder, 'no-credentials'));
  vi.stubEnv('AWS_CONFIG_FILE', join(emptyFolder, 'no-config'));
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
}
