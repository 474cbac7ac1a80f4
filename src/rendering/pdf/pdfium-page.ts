import type { Box } from '../../countries/letter-geometry.ts';
import { pointsPerMm } from './letter-geometry.ts';
import { type Pdfium, withMemory } from './pdfium-module.ts';

export interface PageImage {
  width: number;
  height: number /** Four bytes a pixel: red, green, blue, 255. */;
  pixels: Uint8Array;
}

/** A character and its position, in millimetres from the top left corner of the page as displayed. */
export interface PageCharacter {
  character: string;
  left: number;
  right: number;
  baseline: number;
}

type Color = [red: number, green: number, blue: number, alpha: number];

/** A page as displayed, with the rotation of the file applied. */
export interface PdfPage {
  width_mm: number;
  height_mm: number;
  render(dpi: number): PageImage;
  characters(): PageCharacter[];
  /** Covers the page except for the given boxes, which must not overlap. */
  coverOutside(boxes: Box[], color: Color): void;
  /** Removes the text of an area and covers everything else in it with white. */
  clear(box: Box): void;
  /** Adds a PDFium page object, with its top left corner at that of the page. */
  insert(object: number, height_mm: number): void;
}

// PDFium takes device positions as integers; a thousand per point is precise enough.
const unitsPerPoint = 1000;
const evenOddFill = 1;

export function pageOf(pdfium: Pdfium, document: number, page: number): PdfPage {
  const width = pdfium._FPDF_GetPageWidth(page);
  const height = pdfium._FPDF_GetPageHeight(page);
  const device = [0, 0, Math.round(width * unitsPerPoint), Math.round(height * unitsPerPoint), 0] as const;
  const unitsPerMm = unitsPerPoint * pointsPerMm;

  const toPage = (x_mm: number, y_mm: number): [x: number, y: number] =>
    withMemory(pdfium, 16, (at) => {
      const [x, y] = [Math.round(x_mm * unitsPerMm), Math.round(y_mm * unitsPerMm)];
      pdfium._FPDF_DeviceToPage(page, ...device, x, y, at, at + 8);
      const view = new DataView(pdfium.HEAPU8.buffer, at);
      return [view.getFloat64(0, true), view.getFloat64(8, true)];
    });

  const fill = (boxes: Box[], [red, green, blue, alpha]: Color) => {
    const path = pdfium._FPDFPageObj_CreateNewPath(...toPage(0, 0));
    for (const box of boxes) {
      pdfium._FPDFPath_MoveTo(path, ...toPage(box.left, box.top));
      pdfium._FPDFPath_LineTo(path, ...toPage(box.right, box.top));
      pdfium._FPDFPath_LineTo(path, ...toPage(box.right, box.bottom));
      pdfium._FPDFPath_LineTo(path, ...toPage(box.left, box.bottom));
      pdfium._FPDFPath_Close(path);
    }
    pdfium._FPDFPath_SetDrawMode(path, evenOddFill, 0);
    pdfium._FPDFPageObj_SetFillColor(path, red, green, blue, alpha);
    pdfium._FPDFPage_InsertObject(page, path);
    pdfium._FPDFPage_GenerateContent(page);
  };

  return {
    width_mm: width / pointsPerMm,
    height_mm: height / pointsPerMm,
    render: (dpi) => render(pdfium, document, page, Math.round((width * dpi) / 72), Math.round((height * dpi) / 72)),
    characters: () => readCharacters(pdfium, page, device, unitsPerMm),
    coverOutside(boxes, color) {
      fill([{ left: 0, top: 0, right: width / pointsPerMm, bottom: height / pointsPerMm }, ...boxes], color);
    },
    clear(box) {
      const [x0, y0] = toPage(box.left, box.top);
      const [x1, y1] = toPage(box.right, box.bottom);
      removeText(pdfium, page, [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)]);
      fill([box], [255, 255, 255, 255]);
    },
    insert(object, height_mm) {
      // The object's axes on a page that may be rotated and whose origin may not be zero.
      const [x0, y0] = toPage(0, height_mm);
      const [x1, y1] = toPage(100, height_mm);
      const length = 100 * pointsPerMm;
      const [cosine, sine] = [(x1 - x0) / length, (y1 - y0) / length];
      pdfium._FPDFPageObj_Transform(object, cosine, sine, -sine, cosine, x0, y0);
      pdfium._FPDFPage_InsertObject(page, object);
      pdfium._FPDFPage_GenerateContent(page);
    },
  };
}

const textObject = 1;

/** Removes text whose centre is in the box, in points of the page. Text inside a form XObject has its own coordinates and stays. */
function removeText(pdfium: Pdfium, page: number, [left, bottom, right, top]: [number, number, number, number]): void {
  withMemory(pdfium, 16, (at) => {
    for (let index = pdfium._FPDFPage_CountObjects(page) - 1; index >= 0; index--) {
      const object = pdfium._FPDFPage_GetObject(page, index);
      if (pdfium._FPDFPageObj_GetType(object) !== textObject) continue;
      if (!pdfium._FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12)) continue;
      const view = new DataView(pdfium.HEAPU8.buffer, at);
      const x = (view.getFloat32(0, true) + view.getFloat32(8, true)) / 2;
      const y = (view.getFloat32(4, true) + view.getFloat32(12, true)) / 2;
      if (x < left || x > right || y < bottom || y > top) continue;
      pdfium._FPDFPage_RemoveObject(page, object);
      pdfium._FPDFPageObj_Destroy(object);
    }
  });
}

const flags = { annotations: 0x01, reverseByteOrder: 0x10 };
const fourBytesPerPixel = 4;

function render(pdfium: Pdfium, document: number, page: number, width: number, height: number): PageImage {
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, fourBytesPerPixel, 0, 0);
  if (!bitmap) throw new Error(`PDFium has no room for a picture of ${width} x ${height}`);
  try {
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
    const area = [0, 0, width, height, 0] as const;
    pdfium._FPDF_RenderPageBitmap(bitmap, page, ...area, flags.annotations | flags.reverseByteOrder);
    if (pdfium._FPDF_GetFormType(document) > 0) drawFormFields(pdfium, document, page, bitmap, area);
    const start = pdfium._FPDFBitmap_GetBuffer(bitmap);
    // Four bytes per pixel leave no padding between rows.
    return { width, height, pixels: pdfium.HEAPU8.slice(start, start + width * height * 4) };
  } finally {
    pdfium._FPDFBitmap_Destroy(bitmap);
  }
}

/** Values of form fields would be printed, but PDFium draws them only through its form interface. */
function drawFormFields(
  pdfium: Pdfium,
  document: number,
  page: number,
  bitmap: number,
  area: readonly [number, number, number, number, number],
): void {
  const infoBytes = 256;
  withMemory(pdfium, infoBytes, (info) => {
    pdfium.HEAPU8.fill(0, info, info + infoBytes);
    const version = 2;
    pdfium.HEAP32[info / 4] = version;
    const form = pdfium._FPDFDOC_InitFormFillEnvironment(document, info);
    if (!form) return;
    pdfium._FORM_OnAfterLoadPage(page, form);
    pdfium._FPDF_FFLDraw(form, bitmap, page, ...area, flags.reverseByteOrder);
    pdfium._FORM_OnBeforeClosePage(page, form);
    pdfium._FPDFDOC_ExitFormFillEnvironment(form);
  });
}

function readCharacters(
  pdfium: Pdfium,
  page: number,
  device: readonly [number, number, number, number, number],
  unitsPerMm: number,
): PageCharacter[] {
  const text = pdfium._FPDFText_LoadPage(page);
  if (!text) return [];
  const found: PageCharacter[] = [];
  withMemory(pdfium, 48, (at) => {
    const toDevice = (x: number, y: number): [number, number] => {
      pdfium._FPDF_PageToDevice(page, ...device, x, y, at + 32, at + 36);
      const view = new DataView(pdfium.HEAPU8.buffer, at + 32);
      return [view.getInt32(0, true) / unitsPerMm, view.getInt32(4, true) / unitsPerMm];
    };
    const count = pdfium._FPDFText_CountChars(text);
    for (let index = 0; index < count; index++) {
      const code = pdfium._FPDFText_GetUnicode(text, index);
      // Spaces generated by PDFium are skipped: the caller sees the same gaps.
      if (code < 0x20 || code >= 0xfffe || pdfium._FPDFText_IsGenerated(text, index) > 0) continue;
      if (!pdfium._FPDFText_GetLooseCharBox(text, index, at)) continue;
      if (!pdfium._FPDFText_GetCharOrigin(text, index, at + 16, at + 24)) continue;
      const view = new DataView(pdfium.HEAPU8.buffer, at);
      const [left, top, right, bottom] = [0, 4, 8, 12].map((offset) => view.getFloat32(offset, true));
      const [x0] = toDevice(left ?? 0, top ?? 0);
      const [x1] = toDevice(right ?? 0, bottom ?? 0);
      const [, baseline] = toDevice(view.getFloat64(16, true), view.getFloat64(24, true));
      found.push({ character: String.fromCodePoint(code), left: Math.min(x0, x1), right: Math.max(x0, x1), baseline });
    }
  });
  pdfium._FPDFText_ClosePage(text);
  return found;
}
