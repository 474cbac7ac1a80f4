import type { Outcome } from '../provider.ts';
import { type Bounce, bounceInText, bounceOf, statusCodesIn } from './status-code.ts';

/** What the library throws. `command` is the one that failed. */
export interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/** Rejections of other commands are about us: the server knows nothing about the message yet. */
const subjects = new Map([
  ['RCPT TO', 'the recipient'],
  ['DATA', 'the message'],
]);

const statuses = { 'hard-bounce': 'permanent-failure', 'soft-bounce': 'temporary-failure' } as const;

/**
 * 4xx is temporary. 5xx to the recipient or to the message means the same as in a bounce, unless the server rejects us or cannot
 * take any message: then the message is retried, and other messages may go through another provider.
 */
export function outcomeOf({ code, command, responseCode, response = '', name }: SmtpError): Outcome {
  const subject = subjects.get(command ?? '');
  // The server announced its limit, or rejected the size with MAIL FROM: no retry makes the message smaller.
  if (command === 'MAIL FROM' && (code === 'EMESSAGE' || ((responseCode ?? 0) >= 500 && isTooLarge(response)))) {
    return { kind: 'refused', reason: 'the message is too large for the server', status: 'temporary-failure' };
  }
  if (responseCode !== undefined) {
    const text = withoutAddresses(response);
    const status_code = statusCodeIn(text);
    const reply = [responseCode, status_code].filter(Boolean).join(' ');
    if (responseCode < 500 || subject === undefined || isAboutUs(responseCode, status_code, text)) {
      return { kind: 'retry', reason: `${reply} to ${subject ?? command ?? 'the connection'}` };
    }
    return { kind: 'refused', reason: `${reply} to ${subject}`, status: statuses[meaningOf(status_code, text)] };
  }
  // Only after the message was written can the server have it without having confirmed it.
  const written = command === 'DATA' || command === 'SEND' || (code === 'ETIMEDOUT' && command === undefined);
  return { kind: 'retry', reason: code ?? name, perhaps_sent: written };
}

/** Servers quote the address, which may contain any word or number. */
function withoutAddresses(response: string): string {
  return response.replaceAll(/<[^<>]*>|[^\s<>()]+@[^\s<>()]+/g, '');
}

function statusCodeIn(text: string): string | undefined {
  return statusCodesIn(text).find((code) => code.startsWith('5.') || code.startsWith('4.'));
}

/** Unclear means temporary, as in a bounce: a right address must not count as wrong. */
function meaningOf(status_code: string | undefined, text: string): Bounce {
  const isPlain = status_code === undefined || status_code.endsWith('.0.0');
  return (isPlain ? bounceInText(text) : bounceOf(status_code)) ?? 'soft-bounce';
}

/** Wrong order of commands, the server takes no mail, log in first, log in failed. */
const repliesAboutUs = new Set([500, 502, 503, 504, 521, 523, 530, 534, 535, 538]);
/**
 * The server takes no mail or is set up wrongly (5.3.2, 5.3.5), the sending limit of the account (5.4.5), authentication and encryption
 * (5.7.3, 5.7.8 to 5.7.14), and those of Exchange for relaying, for no login and for the sender address.
 */
const codesAboutUs = /^5\.(3\.[25]|4\.5|7\.([389]|1[0-4]|5[47]|60))$/;
/** The words of servers that write 5.7.1, or no code, for a client that may not relay. */
const wordsAboutUs =
  /\brelay(ing)?( access)? (is )?(denied|not (permitted|allowed)|prohibited)|unable to relay|\ballowed rcpthosts|authentication (is )?(required|needed)|not authenticated/i;

function isAboutUs(responseCode: number, status_code: string | undefined, text: string): boolean {
  if (repliesAboutUs.has(responseCode) || (status_code !== undefined && codesAboutUs.test(status_code))) return true;
  const saysWhat = status_code !== undefined && !/^5\.(0\.0|7\.[01])$/.test(status_code);
  return !saysWhat && wordsAboutUs.test(text);
}

function isTooLarge(response: string): boolean {
  return statusCodesIn(response).some((code) => code === '5.3.4' || code === '5.2.3');
}
