/** Why a date was not sent, or why a recurring send has paused. The API returns them as they are; the console translates them. */
export const ownerHasLeft = 'The owner has left the service';
export const ownerMayNotSend = 'The owner may no longer send messages';
export const templateHidden = 'The owner can no longer see the template';
export const templateDeleted = 'The template was deleted';
export const listDeleted = 'The contact list was deleted';
export const pausedByGuard = 'Sending to many is paused';
export const limitExceeded = 'The list has more people than the limits of the service allow';
export const notRunning = 'Pennypost was not running at that time';
export const wasPaused = 'It was paused';
export const fileCancelled = 'The file was cancelled';
export const unexpectedError = 'An unexpected error';

/** Another member can resume the recurring send and become its owner. */
export const ownerReasons: readonly string[] = [ownerHasLeft, ownerMayNotSend, templateHidden];
