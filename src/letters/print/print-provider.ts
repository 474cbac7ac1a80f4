import { createHash } from 'node:crypto';
import type { Postage } from '../../notifications/notification.ts';
import { londonWallTime } from '../../platform/calendar.ts';

/** Whoever turns files into posted letters. */
export interface PrintProvider {
  /**
   * Takes the letters of a batch, all or none. May be called again with the same ones after a failure: the reference and
   * the name of a letter never change, so the same letter is recognised.
   */
  handOver(batch: PrintBatch): Promise<void>;
  /** The despatch is made up after this time; undefined when the printer itself reports it. */
  despatchesItselfAfter_ms?: number;
  /** Deletes the files of print runs before that day, where nobody else collects them. */
  forgetBefore?(day: string): Promise<void>;
}

interface PrintBatch {
  /** The London day of the print run. */
  day: string;
  letters: PrintedFile[];
}

export interface PrintedFile {
  reference: string;
  notification_id: string;
  name: string;
  postage: Postage;
  sheets: number;
  /** Where the printer reports what became of it. */
  callback_url: string;
  pdf: Uint8Array;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Sixteen capitals and digits that stand for a letter at the printer's. Made from the id: asked again, the same. */
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

const postageMarks: Record<Postage, string> = {
  first: '1',
  second: '2',
  economy: 'ECONOMY',
  europe: 'E',
  'rest-of-world': 'N',
};

/** `D`: both sides of the paper. `C`: in colour. The time is that of acceptance, in London. */
export function letterFileName(reference: string, postage: Postage, acceptedAt: Date): string {
  const { year, month, day, hour, minute, second } = londonWallTime(acceptedAt);
  const stamp = [year, month, day, hour, minute, second].map((part) => String(part).padStart(2, '0')).join('');
  return `NOTIFY.${reference}.D.${postageMarks[postage]}.C.${stamp}.PDF`;
}
