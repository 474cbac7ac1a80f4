import type { PhoneRules } from '../../countries/phone-rules.ts';
import type { SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { nilId } from '../../platform/id.ts';
import {
  comparablePart,
  isAddressOf,
  normaliseRecipient,
  type RecipientSearch,
  type RecipientToFind,
} from '../../recipients/recipient.ts';
import {
  eraseFileNames,
  lockChunk,
  removeRowsOfList,
  selectChunk,
  selectChunksWith,
  selectUploadIds,
  updateErasedChunk,
} from './erase-rows.sql.ts';

const batch = 20;
/** Finds few other numbers, and does not depend on the country code. */
const comparedDigits = 7;
/** Longer, because a file name is compared with nothing else. Still does not include the country code. */
const digitsInName = 9;

/**
 * Deletes rows with an address or number from the files of finished jobs and from contact lists. Rows that are not sent yet are
 * left: their file is sent or deleted within a day, unless it is scheduled. Deletes the address or number from the names of all files.
 */
export async function eraseFileRows(
  tx: Tx,
  phone: PhoneRules,
  of: RecipientSearch,
): Promise<{ erased: number; left: number }> {
  const result = { erased: 0, left: 0 };
  const isTheirs = matcherOf(phone, of);
  for await (const { upload_id, first_row } of chunksWith(tx, of)) {
    const { erased, left } = await eraseInChunk(tx, upload_id, first_row, isTheirs);
    result.erased += erased;
    result.left += left;
  }
  if ('contact' in of.who) {
    const { contact } = of.who;
    const part = contact.includes('@') ? { address: contact } : { digits: contact.slice(-digitsInName) };
    await eraseFileNames(tx, part, of.serviceId);
  }
  return result;
}

/** Yields the rows of files and contact lists that have the address or number. */
export async function* findFileRowsOf(db: Db, phone: PhoneRules, of: RecipientSearch) {
  const isTheirs = matcherOf(phone, of);
  for await (const { upload_id, first_row } of chunksWith(db, of)) {
    const chunk = await selectChunk(db, upload_id, first_row);
    if (!chunk) continue;
    const { cells, ...file } = chunk;
    const rows: SheetCell[][] = JSON.parse(cells);
    yield rows.flatMap((row, offset) =>
      isTheirs(row) ? [{ ...file, upload_id, row: first_row + offset + 1, cells: row }] : [],
    );
  }
}

type IsTheirs = (row: SheetCell[]) => boolean;

/** Returns the part of the recipient that the database searches for. */
function partOf(who: RecipientToFind) {
  if ('address' in who) return { letters: comparablePart(who.address) };
  return who.contact.includes('@') ? { address: who.contact } : { digits: who.contact.slice(-comparedDigits) };
}

/** A postal address is spread over the cells of a row; an email address or number is in one. */
function matcherOf(phone: PhoneRules, { who }: RecipientSearch): IsTheirs {
  if ('address' in who) return (row) => isAddressOf(row.flat().join('\n'), who);
  const { contact } = who;
  const digits = contact.slice(-comparedDigits);
  const mayBe = contact.includes('@')
    ? (text: string) => text.includes('@')
    : (text: string) => text.replace(/[^0-9]/g, '').includes(digits);
  return (row) => row.flat().some((text) => mayBe(text) && normaliseRecipient(phone, text) === contact);
}

async function* chunksWith(db: Db, { who, serviceId }: RecipientSearch) {
  for (let ids = await selectUploadIds(db, serviceId, nilId, batch); ids.length > 0; ) {
    yield* await selectChunksWith(db, ids, partOf(who));
    ids = await selectUploadIds(db, serviceId, ids.at(-1) ?? nilId, batch);
  }
}

async function eraseInChunk(tx: Tx, upload_id: string, first_row: number, isTheirs: IsTheirs) {
  const chunk = await lockChunk(tx, upload_id, first_row);
  if (!chunk) return { erased: 0, left: 0 };
  const rows: SheetCell[][] = JSON.parse(chunk.cells);
  const found = new Set(rows.flatMap((cells, offset) => (isTheirs(cells) ? [offset] : [])));
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
}

function asText({ cells, messages }: { cells: SheetCell[][]; messages: unknown[] | null | undefined }) {
  return { cells: JSON.stringify(cells), messages: messages ? JSON.stringify(messages) : null };
}
