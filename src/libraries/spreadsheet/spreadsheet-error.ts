import { type FileErrorKind, fileErrorTexts } from './spreadsheet-problems.ts';

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
