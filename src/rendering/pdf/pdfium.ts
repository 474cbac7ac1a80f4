import { type Pdfium, withMemory, withPdfium } from './pdfium-module.ts';
import { type PdfPage, pageOf } from './pdfium-page.ts';
import { saveDocument } from './pdfium-save.ts';

/** Why a file cannot be used. `encrypted` even if it opens without a password: a printer could not modify it. */
type PdfProblem = 'broken' | 'encrypted';

export class UnreadablePdf extends Error {
  override readonly name = 'UnreadablePdf';
  readonly problem: PdfProblem;

  constructor(problem: PdfProblem) {
    super(`the PDF is ${problem}`);
    this.problem = problem;
  }
}

/** Pages are numbered from 1. */
export interface PdfFile {
  readonly page_count: number;
  page<T>(number: number, use: (page: PdfPage) => T): T;
  /** Appends all pages of another file as they would be printed; returns their number. */
  append(pdf: Uint8Array): number;
  remove(number: number): void;
  /** Draws the first page of another file over a page, aligned at the top left corners. */
  stamp(number: number, pdf: Uint8Array): void;
  save(): Uint8Array;
}

/**
 * Opens a PDF, passes it to the callback and closes it. Nothing in the file is executed: this PDFium build has no
 * scripting.
 */
export function withPdf<T>(bytes: Uint8Array, use: (pdf: PdfFile) => T): Promise<T> {
  return withPdfium((pdfium) => withDocument(pdfium, bytes, (document) => use(fileOf(pdfium, document))));
}

const passwordError = 4;

function withDocument<T>(pdfium: Pdfium, bytes: Uint8Array, use: (document: number) => T): T {
  return withMemory(pdfium, bytes.length, (address) => {
    pdfium.HEAPU8.set(bytes, address);
    const document = pdfium._FPDF_LoadMemDocument(address, bytes.length, 0);
    if (!document) throw new UnreadablePdf(pdfium._FPDF_GetLastError() === passwordError ? 'encrypted' : 'broken');
    try {
      if (pdfium._FPDF_GetSecurityHandlerRevision(document) !== -1) throw new UnreadablePdf('encrypted');
      if (pdfium._FPDF_GetPageCount(document) < 1) throw new UnreadablePdf('broken');
      return use(document);
    } finally {
      pdfium._FPDF_CloseDocument(document);
    }
  });
}

function fileOf(pdfium: Pdfium, document: number): PdfFile {
  return {
    get page_count() {
      return pdfium._FPDF_GetPageCount(document);
    },
    page: (number, use) => withPage(pdfium, document, number, use),
    append(bytes) {
      return withDocument(pdfium, bytes, (other) => {
        // Annotations and filled forms are flattened into the page: their form is not copied.
        for (let index = 0; index < pdfium._FPDF_GetPageCount(other); index++) flatten(pdfium, other, index);
        const end = pdfium._FPDF_GetPageCount(document);
        if (!pdfium._FPDF_ImportPages(document, other, 0, end)) throw new UnreadablePdf('broken');
        return pdfium._FPDF_GetPageCount(document) - end;
      });
    },
    remove: (number) => pdfium._FPDFPage_Delete(document, number - 1),
    stamp(number, bytes) {
      withDocument(pdfium, bytes, (other) => {
        const xObject = pdfium._FPDF_NewXObjectFromPage(document, other, 0);
        if (!xObject) throw new UnreadablePdf('broken');
        const height_mm = withPage(pdfium, other, 1, (page) => page.height_mm);
        withPage(pdfium, document, number, (page) => {
          page.insert(pdfium._FPDF_NewFormObjectFromXObject(xObject), height_mm);
        });
        pdfium._FPDF_CloseXObject(xObject);
      });
    },
    save: () => saveDocument(pdfium, document),
  };
}

const asPrinted = 1;

function flatten(pdfium: Pdfium, document: number, index: number): void {
  const page = pdfium._FPDF_LoadPage(document, index);
  if (!page) throw new UnreadablePdf('broken');
  pdfium._FPDFPage_Flatten(page, asPrinted);
  pdfium._FPDF_ClosePage(page);
}

function withPage<T>(pdfium: Pdfium, document: number, number: number, use: (page: PdfPage) => T): T {
  const handle = pdfium._FPDF_LoadPage(document, number - 1);
  if (!handle) throw new UnreadablePdf('broken');
  try {
    return use(pageOf(pdfium, document, handle));
  } finally {
    pdfium._FPDF_ClosePage(handle);
  }
}
