/* Every problem of a readable file, and its text. */

export const rowProblemTexts = {
  'bad-recipient': 'The recipient is not valid',
  'missing-data': 'Missing',
  'too-long': 'The message is too long',
  empty: 'The message is empty',
  'qr-code-too-long': 'The QR code has too much data',
  'not-yes-or-no': 'Not yes or no',
  'unknown-language': 'The template has no text in this language',
  'unknown-time-zone': 'Not a time zone',
} as const;

export type RowProblemKind = keyof typeof rowProblemTexts;

/** The problems of a readable file, in display order. */
export const fileProblemTexts = {
  'too-many-rows': 'The file has too many rows',
  'no-rows': 'The file has no rows',
  'no-recipient-columns': 'The file has no column with the recipient',
  'duplicate-recipient-columns': 'The file has more than one column with the recipient',
  'missing-columns': 'The file does not have all columns that the template needs',
  'row-errors': 'Some rows have errors',
  'not-allowed-to-send-to': 'Some recipients are neither team members nor on the guest list',
  'letters-in-trial-mode': 'Letters cannot be sent in trial mode',
  'too-many-messages': 'The file has more rows than messages are left today',
  'too-many-for-year': 'The file has more rows than messages are left this year',
  'too-many-international': 'The file has more international numbers than international messages are left today',
} as const;

export type FileProblem = keyof typeof fileProblemTexts;

export const contactListProblemTexts = {
  columns: 'A contact list needs a single column, named email address or phone number',
  ...fileProblemTexts,
} as const;
