/** What an accepted letter waits for, and where its files lie: names shared with the feature that makes letters. */

export const letterWork = {
  /** A letter from a template: lay it out, count its sheets. */
  compose: 'compose-letter',
  /** An uploaded letter: scan it for viruses, then check and prepare it for printing. */
  checkPrecompiled: 'check-precompiled-letter',
} as const;

export interface LetterJob {
  notification_id: string;
}

export const letterFiles = {
  /** As it was uploaded. */
  uploaded: (notificationId: string) => `letters/precompiled/${notificationId}.pdf`,
  /** As it is printed, and as the sender may download it. */
  finished: (notificationId: string) => `letters/finished/${notificationId}.pdf`,
};
