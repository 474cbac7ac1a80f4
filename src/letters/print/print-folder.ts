import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDay } from '../../countries/calendar.ts';
import type { StorageSettings } from '../../platform/settings.ts';
import { localFiles } from '../../platform/storage/files.ts';
import type { PrintSettings } from '../settings.ts';
import { manifestOf, type PrintProvider } from './print-provider.ts';

interface Settings {
  storage: Pick<StorageSettings, 'dataDir'>;
  letters: Pick<PrintSettings, 'handOff' | 'printFolder'>;
  /** Declared in delivery/, above this feature: the sandbox simulates the posting of letters with the same settings as receipts. */
  providers: { sandbox: { receipts: string; delay_ms: number } };
}

/**
 * Writes letters to a folder that the printer collects from: one subfolder per print run, the manifest last.
 */
export function printFolder(config: Settings): PrintProvider {
  const path = printFolderPath(config);
  const folder = localFiles(path);
  const sandbox = config.letters.handOff === 'sandbox';
  return {
    despatchesItselfAfter_ms:
      sandbox && config.providers.sandbox.receipts === 'auto' ? config.providers.sandbox.delay_ms : undefined,
    deleteBefore: sandbox ? (day) => deleteRunsBefore(path, day) : undefined,
    async handOver(batch) {
      const { day, letters } = batch;
      for (const { name, pdf } of letters) await folder.put(join(day, name), pdf);
      const { name, content } = manifestOf(batch);
      await folder.put(join(day, name), content);
    },
  };
}

function printFolderPath({ letters, storage }: Settings): string {
  return letters.printFolder ?? join(storage.dataDir, 'outbox', 'print');
}

async function deleteRunsBefore(path: string, day: string): Promise<void> {
  const names = await readdir(path).catch(() => []);
  for (const name of names.filter((run) => isDay(run) && run < day)) await rm(join(path, name), { recursive: true });
}
