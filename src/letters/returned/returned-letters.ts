import { addDays } from '../../countries/calendar.ts';
import type { Country } from '../../countries/country.ts';
import { recordStatusChanges } from '../../notifications/status.ts';
import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/queue/queue.ts';
import {
  clearReferencesBefore,
  countExisting,
  insertReturnedLetters,
  type ReturnedLetter,
  selectReturnedCounts,
  selectReturnedLetters,
  selectReturnedLettersById,
} from './returned-letters.sql.ts';

export type { ReturnedLetter } from './returned-letters.sql.ts';

export interface ReturnedLettersTask {
  notification_ids: string[];
}

/** Delivery, which is above this feature, handles this task and creates the callbacks. */
export const announceReturnedLetters: Task<ReturnedLettersTask> = {
  name: 'announce-returned-letters',
  description: 'Creates the callbacks for returned letters.',
  maxAttempts: 25,
};

/** Max references in one report. */
export const maxReferences = 50_000;
const announcedAtOnce = 500;

/**
 * Records letters that the post returned, by the printer's references. Unknown and repeated references change nothing. Returns the number
 * of recorded letters.
 */
export async function recordReturnedLetters(app: Platform, references: string[]): Promise<number> {
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    const reported = { reported_on: app.country.calendar.day(now), created_at: timestamp(now) };
    const returned = await insertReturnedLetters(tx, references, reported);
    const changes = returned.map(({ notification_id: id }) => ({
      id,
      status: 'returned-letter' as const,
      event: 'returned' as const,
    }));
    // Letters come back weeks later, when the notification may have been deleted.
    if (changes.length > 0) await recordStatusChanges(app.country, tx, changes, now);
    const ids = returned.map(({ notification_id }) => notification_id);
    for (let start = 0; start < ids.length; start += announcedAtOnce) {
      const notification_ids = ids.slice(start, start + announcedAtOnce);
      await app.queue.add(tx, announceReturnedLetters, { notification_ids });
    }
    return returned.length;
  });
}

export function listReturnedLettersById(tx: Tx, ids: string[]): Promise<ReturnedLetter[]> {
  return selectReturnedLettersById(tx, ids);
}

const recentDays = 7;

export async function countReturnedLetters(app: Platform, serviceId: string) {
  const counts = await returnedCounts(app, serviceId);
  const since = addDays(app.country.calendar.day(app.clock.now()), -recentDays);
  const recent = counts.filter(({ reported_on }) => reported_on >= since);
  return {
    returned_letter_count: recent.reduce((sum, { count }) => sum + count, 0),
    most_recent_report: counts[0] ? `${counts[0].reported_on}T00:00:00.000000Z` : null,
  };
}

/** Lists one entry per report day, newest first. */
export async function listReturnedLetterDays(app: Platform, serviceId: string) {
  const counts = await returnedCounts(app, serviceId);
  return counts.map(({ reported_on, count }) => ({ returned_letter_count: count, reported_at: reported_on }));
}

export async function listReturnedLetters(app: Platform, serviceId: string, reportedOn: string) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const letters = await selectReturnedLetters(app.db, serviceId, reportedOn);
  const ids = letters.map(({ notification_id }) => notification_id);
  return { letters, orphaned_count: ids.length - (await countExisting(app.db, ids)) };
}

async function returnedCounts(app: Platform, serviceId: string) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  return selectReturnedCounts(app.db, serviceId);
}

const batch = 2_000;

/** Clears the client references; the letters stay recorded as returned. */
export async function clearReturnedReferences(db: Db, before: Date): Promise<void> {
  while ((await clearReferencesBefore(db, firstIdAt(before), batch)) === batch);
}

/** Converts a returned letter for API responses. The template of an uploaded letter is hidden, so it is omitted. */
export function returnedLetterRecord({ calendar }: Pick<Country, 'calendar'>, letter: ReturnedLetter) {
  const template = letter.precompiled
    ? { template_name: null, template_id: null, template_version: null }
    : {
        template_name: letter.template_name,
        template_id: letter.template_id,
        template_version: letter.template_version,
      };
  return {
    notification_id: letter.shown_id,
    client_reference: letter.api_key_id ? letter.client_reference : null,
    reported_at: letter.reported_on,
    created_at: calendar.time(new Date(letter.letter_created_at)),
    ...template,
    user_name: letter.user_name ?? 'API',
    email_address: letter.email_address ?? 'API',
    original_file_name: letter.original_file_name,
    job_row_number: letter.spreadsheet_row_number,
    uploaded_letter_file_name: letter.precompiled && !letter.api_key_id ? letter.client_reference : null,
  };
}
