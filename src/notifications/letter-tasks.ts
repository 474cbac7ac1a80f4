/** Jobs and file paths of letters, shared with the letters feature. */

export const letterWork = {
  /** Renders a letter from a template and counts its sheets. */
  compose: 'compose-letter',
  /** Scans an uploaded letter for viruses, then validates and prepares it for printing. */
  checkPrecompiled: 'check-precompiled-letter',
} as const;

export interface LetterJob {
  notification_id: string;
}

export const letterFiles = {
  /** The original upload. */
  uploaded: (notificationId: string) => `letters/precompiled/${notificationId}.pdf`,
  /** The PDF for printing and download. */
  finished: (notificationId: string) => `letters/finished/${notificationId}.pdf`,
};
