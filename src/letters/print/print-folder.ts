import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { isDay } from '../../platform/calendar.ts';
import { localFiles } from '../../platform/storage/files.ts';
import type { PrintProvider } from './print-provider.ts';

type Settings = Pick<Config, 'DATA_DIR' | 'PRINT_FOLDER' | 'PRINT_HAND_OFF' | 'SANDBOX_RECEIPTS' | 'SANDBOX_DELAY_MS'>;

/**
 * Writes letters to a folder that the printer collects from: one subfolder per print run. The manifest that lists the files
 * is written last, so that a printer that waits for manifests never sees an incomplete batch.
 */
export function printFolder(config: Settings): PrintProvider {
  const path = printFolderPath(config);
  const folder = localFiles(path);
  const sandbox = config.PRINT_HAND_OFF === 'sandbox';
  return {
    despatchesItselfAfter_ms: sandbox && config.SANDBOX_RECEIPTS === 'auto' ? config.SANDBOX_DELAY_MS : undefined,
    deleteBefore: sandbox ? (day) => deleteRunsBefore(path, day) : undefined,
    async handOver({ day, letters }) {
      for (const { name, pdf } of letters) await folder.put(join(day, name), pdf);
      const manifest = {
        print_run: day,
        letters: letters.map(({ name, reference, notification_id, postage, sheets, callback_url, pdf }) => ({
          file: name,
          reference,
          notification_id,
          postage,
          sheets,
          bytes: pdf.length,
          callback_url,
        })),
      };
      const text = `${JSON.stringify(manifest, null, 2)}\n`;
      await folder.put(join(day, `MANIFEST.${letters[0]?.reference}.JSON`), Buffer.from(text));
    },
  };
}

function printFolderPath({ DATA_DIR, PRINT_FOLDER }: Pick<Settings, 'DATA_DIR' | 'PRINT_FOLDER'>): string {
  return PRINT_FOLDER ?? join(DATA_DIR, 'outbox', 'print');
}

async function deleteRunsBefore(path: string, day: string): Promise<void> {
  const names = await readdir(path).catch(() => []);
  for (const name of names.filter((run) => isDay(run) && run < day)) await rm(join(path, name), { recursive: true });
}
