import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRecordedLocation } from '../libraries/embedded-postgres/location.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { DatabaseSettings, StorageSettings } from '../platform/settings.ts';
import type { VirusScanner } from '../platform/storage/virus-scan.ts';

interface Deps {
  metrics: Metrics;
  config: { storage: StorageSettings; database: DatabaseSettings };
  virusScanner: VirusScanner;
}

/** Prometheus' default scrape timeout is ten seconds. */
const maxScan_ms = 5_000;

/** Measures the resources that a process needs on its machine, at each scrape. */
export function measureSystem({ metrics, config, virusScanner }: Deps): void {
  const disks = async (figure: 'free_bytes' | 'size_bytes') =>
    diskFolders(config).map(({ folder, path }) => ({ labels: { folder }, value: diskSpace(path)[figure] }));
  metrics.gauges(
    'disk_free_bytes',
    'Free space on the disk of the data folder, or of the embedded database',
    ['folder'],
    () => disks('free_bytes'),
  );
  metrics.gauges(
    'disk_size_bytes',
    'Size of the disk of the data folder, or of the embedded database',
    ['folder'],
    () => disks('size_bytes'),
  );
  if (virusScanner.mode === 'marker-only') return;
  metrics.gauges('virus_scanner_up', 'Whether the virus scanner scans a small file', [], async () => {
    const isUp = await Promise.race([
      virusScanner.check().then(
        () => true,
        () => false,
      ),
      sleep(maxScan_ms, false, { ref: false }),
    ]);
    return [{ labels: {}, value: isUp ? 1 : 0 }];
  });
}

interface DiskFolder {
  folder: 'data' | 'database';
  path: string;
}

/** The embedded database is in the data folder, unless its user cannot enter that. */
export function diskFolders({ storage, database }: Deps['config']): DiskFolder[] {
  const elsewhere = database.url === undefined ? findRecordedLocation(storage.dataDir) : undefined;
  return [
    { folder: 'data', path: storage.dataDir },
    ...(elsewhere === undefined ? [] : [{ folder: 'database' as const, path: elsewhere }]),
  ];
}

/** Throws if the folder does not exist. */
export function diskSpace(path: string): { free_bytes: number; size_bytes: number } {
  const { bavail, blocks, bsize } = statfsSync(path);
  return { free_bytes: bavail * bsize, size_bytes: blocks * bsize };
}
