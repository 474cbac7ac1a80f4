/** A letter has an address and its own rules for the first page; an attachment is pages that follow a letter. */
export type PrecompiledKind = 'letter' | 'attachment';

export type PageProblem =
  | 'unable-to-read-the-file'
  | 'letter-too-long'
  | 'letter-not-a4-portrait-oriented'
  | 'content-outside-printable-area'
  | 'notify-tag-found-in-content';

export type AddressProblem =
  | 'address-is-empty'
  | 'not-enough-address-lines'
  | 'too-many-address-lines'
  | 'invalid-address-line-1-or-2'
  | 'has-country-for-bfpo-address'
  | 'not-a-real-uk-postcode-or-country'
  | 'cant-send-international-letters'
  | 'not-a-real-uk-postcode'
  | 'no-town-beside-postcode'
  | 'invalid-char-in-address'
  | 'no-fixed-abode-address';

/** The result of a worker thread: the first problem of the file, or the lines in its address window. */
export interface PrecompiledReading {
  page_count: number | null;
  message: PageProblem | null;
  /** Page numbers from 1; null if the problem is not on a particular page. */
  invalid_pages: number[] | null;
  /** Null for an attachment, and if there is a problem. */
  address_lines: string[] | null;
}

export interface PrecompiledCheck {
  page_count: number | null;
  /** The address as printed, lines joined by newlines; null for an attachment and for a rejected letter. */
  recipient_address: string | null;
  message: PageProblem | AddressProblem | null;
  invalid_pages: number[] | null;
}

/** For parser errors, and for threads that had to be stopped. */
export const unreadablePrecompiled: PrecompiledReading = {
  page_count: null,
  message: 'unable-to-read-the-file',
  invalid_pages: null,
  address_lines: null,
};

/** Evaluates a file by its content and by whether its address is valid. */
export function evaluatePrecompiled(
  reading: PrecompiledReading,
  readAddress: (lines: string[]) => { problem: AddressProblem } | { lines: string[] },
): PrecompiledCheck {
  const { page_count, message, invalid_pages, address_lines } = reading;
  if (message || !address_lines) return { page_count, recipient_address: null, message, invalid_pages };
  const address = address_lines.length === 0 ? { problem: 'address-is-empty' as const } : readAddress(address_lines);
  return 'problem' in address
    ? { page_count, recipient_address: null, message: address.problem, invalid_pages: [1] }
    : { page_count, recipient_address: address.lines.join('\n'), message: null, invalid_pages: null };
}
