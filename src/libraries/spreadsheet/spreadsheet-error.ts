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
  // For callers that limit the time.
  'too-slow': 'The file takes too long to check. Split it into several files',
  'row-too-long': 'Row {row} is longer than {limit} characters. Check that every quotation mark has been closed',
  'line-too-long': 'Line {line} is longer than {limit} characters',
  'line-not-utf-8': 'Line {line} is not UTF-8',
} as const;

export type FileErrorKind = keyof typeof fileErrorTexts;

export type Detail = Readonly<Record<string, string | number>>;

/** A file that cannot be read. A reader of another format that produces sheets may have its own `texts`. */
export class SpreadsheetError<Kind extends string = FileErrorKind> extends Error {
  readonly kind: Kind;
  readonly detail: Detail;

  constructor(
    kind: Kind,
    detail: Detail = {},
    { texts = fileErrorTexts, cause }: ErrorOptions & { texts?: Readonly<Record<string, string>> } = {},
  ) {
    super(fillDetail(texts[kind] ?? kind, detail), { cause });
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
