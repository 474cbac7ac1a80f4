import { type Text, t } from '../../language/text.ts';

/** For Yahoo this general code of RFC 3463 covers all of its rules; for other servers it is about authentication that is too weak. */
const yahooCode = '7.9';

/**
 * From Gmail's list for senders (2025), Outlook's (May 2025) and Yahoo's (2024). Other servers use the codes of RFC 7372 with the same
 * meaning. The codes omit the first digit, which only says whether a retry can succeed.
 */
const sentences = new Map<string, Text>([
  ['7.515', t('Outlook refused the email because the domain in From does not pass SPF, DKIM and DMARC.')],
  ['7.26', t('The email passed neither SPF nor DKIM, so the receiver could not tell who sent it.')],
  ['7.27', t('SPF did not pass: the domain of the return path does not list the server that sent the email.')],
  ['7.30', t('The signature (DKIM) did not pass.')],
  ['7.31', t('The domain in From has no DMARC record.')],
  ['7.40', t('The domain in From has no DMARC record.')],
  ['7.32', t('Neither the signature nor the return path belongs to the domain in From (DMARC alignment).')],
  ['7.25', t('The server that sent the email has no name in DNS that points back to it (PTR).')],
  ['7.28', t('The receiver gets too many emails from us that people do not want.')],
  [yahooCode, t('Yahoo refused the email because of its rules for senders. Check the signature, SPF and DMARC.')],
]);

/** Returns the code in the reason of a failed attempt, such as "550 5.7.26 to the message", if it means that the sender is at fault. */
export function policyCodeIn(reason: string): string | undefined {
  if (/\b554 5\.7\.9\b/.test(reason)) return yahooCode;
  const [, code = ''] = /(?<![\d.])[45]\.(7\.\d{1,3})(?!\.?\d)/.exec(reason) ?? [];
  return code !== yahooCode && sentences.has(code) ? code : undefined;
}

/** Whether every code in a receiver's response is about the sender (5.7.x), so that the address may be correct. */
export function isAboutSender(reason: string): boolean {
  const codes = [...reason.matchAll(/(?<![\d.])[45]\.(\d{1,3})\.\d{1,3}(?!\.?\d)/g)];
  return codes.length > 0 && codes.every(([, subject]) => subject === '7');
}

export function sentenceOfRefusal(code: string): Text {
  return sentences.get(code) ?? t('A receiver refused the email with the code {code}.', { code });
}
