import { createHash } from 'node:crypto';
import { type Pdfium, withMemory, withPdfium } from './pdfium-module.ts';
import { type PdfPage, pageOf } from './pdfium-page.ts';

/** Why a file cannot be used. `encrypted` applies even if it opens without a password: a printer could not modify it. */
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
  /** Appends all pages of another file as they would be printed. Returns their number. */
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

/**
 * A WebAssembly module that forwards to one JavaScript function as (i32, i32, i32) -> i32: PDFium's writer must be a
 * WebAssembly function. In text: (module (import "e" "f" (func (param i32 i32 i32) (result i32))) (export "f" (func
 * 0))).
 */
const adapter = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x01, 0x60, 0x03, 0x7f, 0x7f, 0x7f, 0x01, 0x7f, 0x02,
  0x07, 0x01, 0x01, 0x65, 0x01, 0x66, 0x00, 0x00, 0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00,
]);

/**
 * The function table in this build of PDFium has a fixed size, so the writer takes the one free entry: the first, which
 * is the null pointer everywhere else. It is restored before anything else can run.
 */
const writerSlot = 0;

function saveDocument(pdfium: Pdfium, document: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  const write = (_writer: number, address: number, size: number) => {
    chunks.push(pdfium.HEAPU8.slice(address, address + size));
    return 1;
  };
  const table = pdfium.wasmExports.__indirect_function_table;
  table.set(writerSlot, new WebAssembly.Instance(new WebAssembly.Module(adapter), { e: { f: write } }).exports.f);
  try {
    const saved = withMemory(pdfium, 8, (writer) => {
      pdfium.HEAP32.set([1, writerSlot], writer / 4);
      return pdfium._FPDF_SaveAsCopy(document, writer, 0);
    });
    if (!saved) throw new Error('PDFium could not save the file');
  } finally {
    table.set(writerSlot, null);
  }
  return withSteadyId(Buffer.concat(chunks));
}

/** PDFium generates half of the file identifier at random; here it is derived from the content. */
function withSteadyId(pdf: Buffer): Uint8Array {
  const trailer = pdf.lastIndexOf('trailer');
  const tail = pdf.toString('latin1', trailer);
  const id = trailer < 0 ? null : tail.match(/\/ID\s*\[\s*<([0-9A-F]{32})>\s*<([0-9A-F]{32})>/i);
  if (!id?.[1] || !id[2] || id.index === undefined) return new Uint8Array(pdf);
  const hash = createHash('md5').update(pdf.subarray(0, trailer)).digest('hex').toUpperCase();
  const first = trailer + id.index + id[0].indexOf(id[1]);
  const second = trailer + id.index + id[0].lastIndexOf(id[2]);
  // If the original file had no identifier, PDFium generates the first half too: both are replaced.
  pdf.write(hash, first, 'latin1');
  pdf.write(hash, second, 'latin1');
  return new Uint8Array(pdf);
}
