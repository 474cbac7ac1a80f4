import type { Task } from '../platform/queue/queue.ts';

/** Tasks that sending starts, and features above carry out: letters are composed and printed there, callbacks sent to services. */

export interface LetterTask {
  notification_id: string;
  /** The number of failed attempts before this one. */
  attempt?: number;
}

// A letter that fails is enqueued anew with its own delays; these attempts are for processes that die.
const maxAttempts = 25;

export const composeLetter: Task<LetterTask> = {
  name: 'compose-letter',
  description: 'Draws an accepted letter as a PDF and counts its sheets.',
  maxAttempts,
};

export const checkPrecompiledLetter: Task<LetterTask> = {
  name: 'check-precompiled-letter',
  description: 'Scans an uploaded letter for viruses and checks that it can be printed and posted.',
  maxAttempts,
};

/** The paths of the files of letters, which these tasks write. */
export const letterFiles = {
  /** The original upload. */
  uploaded: (notificationId: string) => `letters/precompiled/${notificationId}.pdf`,
  /** The PDF for printing and download. */
  finished: (notificationId: string) => `letters/finished/${notificationId}.pdf`,
};

/** Delivery does the work: it owns the callbacks to services. */
export const announceFailures: Task<{ notification_ids: string[] }> = {
  name: 'announce-failures',
  description: 'Stores callbacks about emails of a file that were not sent because their recipients are suppressed.',
  maxAttempts: 25,
};
