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
  'row-too-long': 'Row {row} is longer than {limit} characters. Check that every quotation mark has been closed',
} as const;

export type FileErrorKind = keyof typeof fileErrorTexts;

type Detail = Readonly<Record<string, string | number>>;

export class SpreadsheetError extends Error {
  readonly kind: FileErrorKind;
  readonly detail: Detail;

  constructor(kind: FileErrorKind, detail: Detail = {}, options?: ErrorOptions) {
    super(fillDetail(fileErrorTexts[kind], detail), options);
    this.kind = kind;
    this.detail = detail;
  }
}

function fillDetail(text: string, detail: Detail): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = detail[name];
    return typeof value === 'number' ? value.toLocaleString('en-GB') : (value ?? '');
  });
}
