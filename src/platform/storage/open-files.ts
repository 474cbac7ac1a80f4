import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { awsCredentials } from './aws-credentials.ts';
import { type Files, localFiles } from './files.ts';
import { objectStore } from './object-store.ts';

interface FileSettings {
  DATA_DIR: string;
  S3_BUCKET?: string | undefined;
  S3_ENDPOINT?: string | undefined;
  S3_REGION: string;
  S3_PREFIX?: string | undefined;
  S3_ACCESS_KEY_ID?: string | undefined;
  S3_SECRET_ACCESS_KEY?: string | undefined;
}

/** The configured bucket, or else the data folder. */
export function openFiles(settings: FileSettings, clock: Clock): Files {
  const { S3_BUCKET: bucket, S3_REGION: region, S3_PREFIX: prefix } = settings;
  if (bucket === undefined) return localFiles(join(settings.DATA_DIR, 'files'));
  return objectStore({
    endpoint: settings.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    bucket,
    prefix,
    region,
    credentials: awsCredentials({
      region,
      access_key_id: settings.S3_ACCESS_KEY_ID,
      secret_access_key: settings.S3_SECRET_ACCESS_KEY,
    }),
    clock,
  });
}
