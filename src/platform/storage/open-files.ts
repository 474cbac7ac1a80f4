import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { ObjectStoreSettings, StorageSettings } from '../settings.ts';
import { awsCredentials } from './aws-credentials.ts';
import { type Files, localFiles } from './files.ts';
import { objectStore } from './object-store.ts';

interface FileSettings {
  storage: StorageSettings;
  s3: ObjectStoreSettings;
}

/** Uses the configured bucket, or else the data folder. */
export function openFiles({ storage, s3 }: FileSettings, clock: Clock): Files {
  const { bucket, region, prefix } = s3;
  if (bucket === undefined) return localFiles(join(storage.dataDir, 'files'));
  return objectStore({
    endpoint: s3.endpoint ?? `https://s3.${region}.amazonaws.com`,
    bucket,
    prefix,
    region,
    credentials: awsCredentials({
      region,
      access_key_id: s3.accessKeyId,
      secret_access_key: s3.secretAccessKey,
    }),
    clock,
  });
}
