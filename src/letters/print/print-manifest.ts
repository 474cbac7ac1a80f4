import type { PrintBatch } from './print-provider.ts';

/** The file that lists a batch. It is written last, so that a printer that waits for manifests never sees an incomplete batch. */
export function manifestOf({ day, letters }: PrintBatch): { name: string; content: Buffer } {
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
  const content = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  return { name: `MANIFEST.${letters[0]?.reference}.JSON`, content };
}
