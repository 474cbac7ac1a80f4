/** Hard: the address is wrong. Soft: this message could not be delivered this time. */
export type Bounce = 'hard-bounce' | 'soft-bounce';

const enhanced = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/g;
/** Reply codes that describe the mailbox. 554 is not among them, because servers use it for everything. */
const replies = new Map<string, Bounce>([
  ['421', 'soft-bounce'],
  ['450', 'soft-bounce'],
  ['451', 'soft-bounce'],
  ['452', 'soft-bounce'],
  ['550', 'hard-bounce'],
  ['551', 'hard-bounce'],
  ['552', 'soft-bounce'],
  ['553', 'hard-bounce'],
]);
const reply = /(?<![\d.])([45]\d\d)(?=[ \-\r\n]|$)/g;

/**
 * Permanent failures that the address did not cause (RFC 3463): the mailbox or the system is full, the message is too large or too old, its
 * content or its sender was rejected.
 */
const notTheAddress = /^5\.(2\.[23]|3\.[14]|4\.[57]|6\.\d+|7\.\d+)$/;

/** Returns the meaning of an enhanced status code of class 4 or 5, such as `5.1.1`. */
export function bounceOf(code: string): Bounce {
  return code.startsWith('5.') && !notTheAddress.test(code) ? 'hard-bounce' : 'soft-bounce';
}

/** Returns the distinct enhanced status codes in a text. */
export function statusCodesIn(text: string): string[] {
  return [...new Set([...text.matchAll(enhanced)].map(([, ...digits]) => digits.slice(0, 3).join('.')))];
}

/** Returns the meaning of the codes in a text if all agree. */
export function bounceInText(text: string): Bounce | undefined {
  const codes = statusCodesIn(text).filter((code) => !code.startsWith('2.'));
  const said =
    codes.length > 0
      ? codes.map(bounceOf)
      : [...text.matchAll(reply)].flatMap(([, code = '']) => replies.get(code) ?? []);
  return new Set(said).size === 1 ? said[0] : undefined;
}
