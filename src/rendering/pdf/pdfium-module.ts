import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PDFiumModule } from '@hyzyla/pdfium';

/** The functions of PDFium that are used here. Numbers are handles and addresses in its memory, unless their names say otherwise. */
export type Pdfium = Awaited<ReturnType<typeof PDFiumModule>> & {
  _FPDF_InitLibraryWithConfig(config: number): void;
  _FPDF_GetSecurityHandlerRevision(document: number): number;
  _FPDF_GetFormType(document: number): number;
  _FPDF_ImportPages(into: number, from: number, range: number, index: number): number;
  _FPDF_SaveAsCopy(document: number, writer: number, flags: number): number;
  _FPDF_NewXObjectFromPage(into: number, from: number, pageIndex: number): number;
  _FPDF_NewFormObjectFromXObject(xObject: number): number;
  _FPDF_CloseXObject(xObject: number): void;
  // Device coordinates are integers; page coordinates are points.
  _FPDF_PageToDevice(
    ...args: [page: number, ...device: DeviceArea, x: number, y: number, toX: number, toY: number]
  ): number;
  _FPDF_DeviceToPage(
    ...args: [page: number, ...device: DeviceArea, x: number, y: number, toX: number, toY: number]
  ): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  _FPDFText_IsGenerated(text: number, index: number): number;
  _FPDFText_GetLooseCharBox(text: number, index: number, box: number): number;
  _FPDFText_GetCharOrigin(text: number, index: number, x: number, y: number): number;
  _FPDFPageObj_CreateNewPath(x: number, y: number): number;
  _FPDFPageObj_SetFillColor(object: number, red: number, green: number, blue: number, alpha: number): number;
  _FPDFPageObj_Transform(
    ...args: [object: number, a: number, b: number, c: number, d: number, e: number, f: number]
  ): void;
  _FPDFPath_MoveTo(path: number, x: number, y: number): number;
  _FPDFPath_LineTo(path: number, x: number, y: number): number;
  _FPDFPath_Close(path: number): number;
  _FPDFPath_SetDrawMode(path: number, fillMode: number, stroke: number): number;
  _FPDFPageObj_GetBounds(...args: [object: number, left: number, bottom: number, right: number, top: number]): number;
  _FPDFPageObj_Destroy(object: number): void;
  _FPDFPage_RemoveObject(page: number, object: number): number;
  _FPDFPage_Flatten(page: number, flags: number): number;
  _FPDFPage_Delete(document: number, index: number): void;
  _FPDFPage_InsertObject(page: number, object: number): void;
  _FPDFPage_GenerateContent(page: number): number;
  wasmExports: {
    malloc(size: number): number;
    free(address: number): void;
    __indirect_function_table: WebAssembly.Table;
  };
};

type DeviceArea = [startX: number, startY: number, width: number, height: number, rotate: number];

/**
 * A file of a few kilobytes can request gigabytes. A thread's heap limit does not include WebAssembly memory, so its growth is limited
 * here, and PDFium then rejects the file. A ten-page letter of photographs needs about 100 MB.
 */
const memoryLimit_bytes = 512 * 1024 * 1024;
/** PDFium's memory never shrinks, so the next file after an unusually large one gets a new instance. */
const memoryKept_bytes = 128 * 1024 * 1024;

let compiled: WebAssembly.Module | undefined;
let current: Pdfium | undefined;

async function start(): Promise<Pdfium> {
  compiled ??= new WebAssembly.Module(
    readFileSync(createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')),
  );
  const module = compiled;
  const options = {
    print: () => {},
    printErr: () => {},
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      const grow = imports.env?.emscripten_resize_heap;
      if (!imports.env || typeof grow !== 'function') throw new Error('PDFium no longer grows its memory this way');
      imports.env.emscripten_resize_heap = (size: number) => size >>> 0 <= memoryLimit_bytes && grow(size);
      const instance = new WebAssembly.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
  };
  const pdfium = (await PDFiumModule(options)) as Pdfium;
  pdfium._FPDF_InitLibraryWithConfig(0);
  return pdfium;
}

/** After any internal error PDFium is in an unknown state, so the instance is discarded. */
export async function withPdfium<T>(use: (pdfium: Pdfium) => T): Promise<T> {
  const pdfium = current ?? (await start());
  current = undefined;
  const result = use(pdfium);
  if (pdfium.HEAPU8.length <= memoryKept_bytes) current = pdfium;
  return result;
}

export function withMemory<T>(pdfium: Pdfium, size: number, use: (address: number) => T): T {
  const address = pdfium.wasmExports.malloc(size);
  if (!address) throw new Error(`PDFium has no ${size} bytes left`);
  try {
    return use(address);
  } finally {
    pdfium.wasmExports.free(address);
  }
}
