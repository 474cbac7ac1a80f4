import { createHash } from 'node:crypto';
import { type Pdfium, withMemory } from './pdfium-module.ts';

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

export function saveDocument(pdfium: Pdfium, document: number): Uint8Array {
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
