import type { Task } from '../platform/queue/queue.ts';

/** Tasks that sending enqueues for features above it, which compose and print letters and send callbacks to services. */

export interface LetterTask {
  notification_id: string;
  /** The number of failed attempts before this one. */
  attempt?: number;
}

// A letter that fails is enqueued again with its own delays. These attempts are for crashed processes.
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

/** Storage keys of letters, which these tasks write. */
export const letterFiles = {
  /** The original upload. */
  uploaded: (notificationId: string) => `letters/precompiled/${notificationId}.pdf`,
  /** The PDF for printing and download. */
  finished: (notificationId: string) => `letters/finished/${notificationId}.pdf`,
};

/** Delivery handles it, because it owns the callbacks to services. */
export const announceFailures: Task<{ notification_ids: string[] }> = {
  name: 'announce-failures',
  description: 'Stores callbacks about emails of a file that were not sent because their recipients are suppressed.',
  maxAttempts: 25,
};
