/* Everything that can be wrong with a spreadsheet, and the text that says it. */

/** Why a file cannot be read at all. `{...}` is replaced by a value of the error's `detail`. */
export const fileErrorTexts = {
  'not-a-spreadsheet': 'The file must be a spreadsheet: csv, tsv, xlsx, xlsm or ods',
  'old-excel-file': 'Files of type xls cannot be read. Save the spreadsheet as xlsx or as CSV and upload it again',
  'too-large': 'The file must be smaller than {limit} MB',
  'too-large-unpacked': 'The spreadsheet is too large to read. Save it as CSV and upload it again',
  'not-text': 'The file is not text. Save the spreadsheet as CSV (UTF-8) and upload it again',
  'mixed-encodings': 'The file has characters of more than one encoding. Save it as CSV (UTF-8) and upload it again',
  unreadable: 'The file is damaged or not of the type that its name says. Save it again as xlsx or as CSV',
  'password-protected': 'The spreadsheet has a password. Remove the password and upload the spreadsheet again',
  'no-visible-sheet': 'The spreadsheet has no visible sheet',
  'too-many-columns': 'The spreadsheet must have no more than {limit} columns',
  'too-many-rows': 'The spreadsheet must have no more than {limit} rows',
  'too-slow': 'The file takes too long to check. Split it into several files',
  'row-too-long': 'Row {row} is longer than {limit} characters. Check that every quotation mark has been closed',
  'line-too-long': 'Line {line} is longer than {limit} characters',
  'line-not-utf-8': 'Line {line} is not UTF-8',
  'line-not-json': 'Line {line} is not JSON',
  'line-not-object': 'Line {line} must be a JSON object',
  'line-unknown-key': 'Line {line}: {name} was unexpected. A line may have {names}',
  'line-not-text': 'Line {line}: {name} must be a string',
  'line-personalisation': 'Line {line}: personalisation must be an object',
  'line-nested-value':
    'Line {line}: the value of {name} must be a string, a number, a boolean or a list of these. Files can only be sent in single emails',
  'line-two-values': 'Line {line}: personalisation has another value for {name}',
} as const;

export type FileErrorKind = keyof typeof fileErrorTexts;

/** What can be wrong with a row. */
export const rowProblemTexts = {
  'bad-recipient': 'The recipient is not valid',
  'missing-data': 'Missing',
  'too-long': 'The message is too long',
  empty: 'The message is empty',
  'qr-code-too-long': 'The QR code has too much data',
} as const;

export type RowProblemKind = keyof typeof rowProblemTexts;

/** What can be wrong with a file that could be read, in the order in which it is told. */
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
  'too-many-international': 'The file has more international numbers than international messages are left today',
} as const;

export type FileProblem = keyof typeof fileProblemTexts;

/** Of a contact list. */
export const contactListProblemTexts = {
  columns: 'A contact list needs a single column, named email address or phone number',
  ...fileProblemTexts,
} as const;
