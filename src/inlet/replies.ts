import { failureOfDatabaseError } from '../platform/db/errors.ts';
import { Failure } from '../platform/failure.ts';
import { TooManyWaiting } from '../platform/threads/limiter.ts';

/** A reply to an SMTP client. The text begins with an enhanced status code (RFC 3463). */
export class Reply extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, text: string) {
    super(text);
    this.responseCode = responseCode;
  }
}

/** Never sent: the client went away in the middle of its email. */
export const connectionLost = new Reply(421, '4.4.2 The connection was lost');

/** Like a 5xx of HTTP: nothing is wrong with the email, and the client tries again. */
export const localError = 451;

export const tooManyAtOnce = new Reply(localError, '4.3.0 Too many large emails at once, try again shortly');

/** Replies for some failures of the API. Without a text, the failure's own is used. */
const byReason = new Map<string | undefined, { code: number; enhanced: string; text?: string }>([
  ['rate_limit', { code: 450, enhanced: '4.7.1' }],
  ['sending_times_closed', { code: 450, enhanced: '4.7.1' }],
  ['not_in_team', { code: 550, enhanced: '5.7.1', text: 'Not in your team or guest list' }],
  ['not_in_trial_mode', { code: 550, enhanced: '5.7.1', text: 'Not in your team or guest list' }],
  ['suppressed', { code: 550, enhanced: '5.7.1', text: 'This address is on the suppression list' }],
]);

/** Clients try again after a code that begins with 4. Returns undefined for an unexpected error. */
export function replyOf(error: unknown): Reply | undefined {
  if (error instanceof Reply) return error;
  if (error instanceof TooManyWaiting) return tooManyAtOnce;
  if (error instanceof Error && 'code' in error && error.code === 'ECONNECTION') return connectionLost;
  const failure = error instanceof Failure ? error : failureOfDatabaseError(error);
  if (!failure) return undefined;
  const text = inAscii(failure.message);
  const known = byReason.get(failure.reason);
  if (known) return new Reply(known.code, `${known.enhanced} ${known.text ?? text}`);
  switch (failure.kind) {
    case 'too-many':
      return new Reply(452, `4.7.1 ${text}`);
    case 'unavailable':
    case 'conflict':
      return new Reply(localError, `4.3.0 ${text}`);
    default:
      return new Reply(554, `5.6.0 ${text}`);
  }
}

/** Replies are ASCII, unless the client has asked for SMTPUTF8. */
function inAscii(text: string): string {
  return text
    .replaceAll(/[‘’]/g, "'")
    .replaceAll('–', '-')
    .replaceAll(/[^\x20-\x7e]/g, '?');
}
