import { type Db, inTransaction } from '../../platform/db/database.ts';
import { nilId } from '../../platform/id.ts';
import { normaliseRecipient } from '../../recipients/recipient.ts';
import type { SheetCell } from '../../recipients/spreadsheet/sheet.ts';
import { lockChunk, removeRowsOfList, selectChunksWith, selectUploadIds, updateErasedChunk } from './erase-rows.sql.ts';

const batch = 20;
/** Enough to find few other numbers, and independent of the country code. */
const comparedDigits = 7;

/**
 * Deletes rows with an address or number from the files of finished jobs and from contact lists. Rows that are not sent yet are
 * left: their file is sent or deleted within a day, unless it is scheduled.
 */
export async function eraseFileRows(db: Db, recipient: string): Promise<{ erased: number; left: number }> {
  const result = { erased: 0, left: 0 };
  const isEmail = recipient.includes('@');
  const part = isEmail ? { address: recipient } : { digits: recipient.slice(-comparedDigits) };
  const mayBe = (text: string) =>
    'address' in part ? text.includes('@') : text.replace(/[^0-9]/g, '').includes(part.digits);
  const isTheirs = (text: string) => mayBe(text) && normaliseRecipient(text) === recipient;
  for (let ids = await selectUploadIds(db, nilId, batch); ids.length > 0; ) {
    for (const { upload_id, first_row } of await selectChunksWith(db, ids, part)) {
      const { erased, left } = await eraseInChunk(db, upload_id, first_row, isTheirs);
      result.erased += erased;
      result.left += left;
    }
    ids = await selectUploadIds(db, ids.at(-1) ?? nilId, batch);
  }
  return result;
}

function eraseInChunk(db: Db, upload_id: string, first_row: number, isTheirs: (text: string) => boolean) {
  return inTransaction(db, async (tx) => {
    const chunk = await lockChunk(tx, upload_id, first_row);
    if (!chunk) return { erased: 0, left: 0 };
    const rows: SheetCell[][] = JSON.parse(chunk.cells);
    const found = new Set(rows.flatMap((cells, offset) => (cells.flat().some(isTheirs) ? [offset] : [])));
    if (found.size === 0) return { erased: 0, left: 0 };
    if (!chunk.is_saved && !chunk.is_finished) return { erased: 0, left: found.size };
    const messages: unknown[] | null = chunk.messages && JSON.parse(chunk.messages);
    const summary = chunk.summary && {
      ...chunk.summary,
      rows_shown: chunk.summary.rows_shown.filter(({ row }) => !found.has(row - 2 - first_row)),
    };
    const keeps = (_: unknown, offset: number) => !found.has(offset);
    const blanks = <T>(list: T[], blank: T) => list.map((item, offset) => (found.has(offset) ? blank : item));
    if (chunk.is_saved) {
      const left = { cells: rows.filter(keeps), messages: messages?.filter(keeps) };
      await removeRowsOfList(tx, { upload_id, first_row, summary, ...asText(left) }, found.size);
    } else {
      const left = { cells: blanks(rows, []), messages: messages && blanks(messages, null) };
      await updateErasedChunk(tx, { upload_id, first_row, summary, ...asText(left) });
    }
    return { erased: found.size, left: 0 };
  });
}

function asText({ cells, messages }: { cells: SheetCell[][]; messages: unknown[] | null | undefined }) {
  return { cells: JSON.stringify(cells), messages: messages ? JSON.stringify(messages) : null };
}
