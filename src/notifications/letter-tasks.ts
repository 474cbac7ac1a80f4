import type { Task } from '../platform/queue/task.ts';

/** Tasks and file paths of letters: sending a letter starts them, the letters feature does the work. */

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

export const letterFiles = {
  /** The original upload. */
  uploaded: (notificationId: string) => `letters/precompiled/${notificationId}.pdf`,
  /** The PDF for printing and download. */
  finished: (notificationId: string) => `letters/finished/${notificationId}.pdf`,
};
