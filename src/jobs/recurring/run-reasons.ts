/** Why a date was not sent, or why a recurring send has paused. The API returns them as they are; the console translates them. */
export const ownerHasLeft = 'The owner has left the service';
export const templateDeleted = 'The template was deleted';
export const listDeleted = 'The contact list was deleted';
export const pausedByGuard = 'Sending to many is paused';
export const limitExceeded = 'The list has more people than the limits of the service allow';
export const notRunning = 'Pennypost was not running at that time';
export const unexpectedError = 'An unexpected error';
