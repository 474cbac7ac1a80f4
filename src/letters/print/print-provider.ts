import { createHash } from 'node:crypto';
import type { Country } from '../../countries/country.ts';

/** Prints and posts letters. */
export interface PrintProvider {
  /**
   * Takes all letters of a batch or none. May be called again with the same letters after a failure: their references and file names never
   * change, so the printer can detect duplicates.
   */
  handOver(batch: PrintBatch): Promise<void>;
  /** Simulates the despatch after this delay; undefined if the printer reports it. */
  despatchesItselfAfter_ms?: number;
  /** Deletes the files of print runs before this day in the sandbox, where no printer collects them. */
  deleteBefore?(day: string): Promise<void>;
}

interface PrintBatch {
  /** The day of the print run. */
  day: string;
  letters: PrintedFile[];
}

export interface PrintedFile {
  reference: string;
  notification_id: string;
  name: string;
  postage: string;
  sheets: number;
  /** The URL at which the printer reports the outcome. */
  callback_url: string;
  pdf: Uint8Array;
}

export const referencePattern = '^[0-9A-Z]{16}$';
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Returns the printer's reference of a letter: 16 capitals and digits, derived from the id and therefore stable. */
export function letterReference(notificationId: string): string {
  const digest = createHash('sha256').update(`letter ${notificationId.toLowerCase()}`).digest();
  let number = BigInt(`0x${digest.subarray(0, 16).toString('hex')}`);
  let reference = '';
  for (let place = 0; place < 16; place += 1) {
    reference += alphabet[Number(number % 36n)];
    number /= 36n;
  }
  return reference;
}

/** `D`: duplex. `C`: colour. The time is the local time of acceptance. */
export function letterFileName(country: Country, reference: string, postage: string, acceptedAt: Date): string {
  const { year, month, day, hour, minute, second } = country.calendar.wallTime(acceptedAt);
  const stamp = [year, month, day, hour, minute, second].map((part) => String(part).padStart(2, '0')).join('');
  // The class of a former country has no mark.
  const mark = country.postage.classes.find(({ id }) => id === postage)?.fileMark ?? postage.toUpperCase();
  return `NOTIFY.${reference}.D.${mark}.C.${stamp}.PDF`;
}

/** Returns the file that lists a batch. It is written last, so that a printer that waits for manifests never sees an incomplete batch. */
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
