import { remainingToday } from '../../notifications/limits/remaining-today.ts';
import type { SendingService } from '../../notifications/sending/sending-service.ts';
import type { Platform } from '../../platform/platform.ts';
import { countFileProblems, type FileSummary } from '../../recipients/spreadsheet/file-problems.ts';
import type { contactListProblemTexts } from '../../recipients/spreadsheet/spreadsheet-problems.ts';
import type { UploadRow } from './uploads.sql.ts';

export type UploadProblem = keyof typeof contactListProblemTexts;

/**
 * What is wrong with an upload now, in the order in which it is told, and about how many rows or columns. Limits and trial mode
 * are judged anew: they change from day to day.
 */
export async function problemsOf(
  app: Platform,
  service: SendingService,
  upload: Pick<UploadRow, 'summary' | 'state' | 'key_type' | 'is_contact_list'>,
): Promise<[UploadProblem, number][]> {
  const { summary, key_type } = upload;
  if (summary === null) return [];
  if (upload.is_contact_list) {
    return summary.channel === null ? [['columns', 1]] : countFileProblems(summary);
  }
  const limited = upload.state === 'checked' && key_type !== 'test';
  return countFileProblems(summary, {
    refuseLetters: limited && service.restricted,
    remaining: limited && summary.channel ? await remainingToday(app, service, summary.channel) : undefined,
  });
}

/** Whether a checked file can be sent at all; rows with problems and limits are judged when it is sent. */
export function isSendable(summary: FileSummary | null): boolean {
  if (summary === null || summary.channel === null) return false;
  return countFileProblems(summary).every(([problem]) => problem === 'row-errors');
}
