import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';

/**
 * Arimo has the metrics of Arial, which the postal specification for addresses requires, an open licence (OFL 1.1), and all characters of
 * Welsh and other European languages.
 */
const files = {
  regular: '@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf',
  bold: '@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf',
} as const;

export type FontName = keyof typeof files;

const fontNames = Object.keys(files) as FontName[];

interface ShapeStore {
  words: Record<string, unknown>;
  documents: number;
}

// Parsed once per thread: parsing the fonts for every letter made a letter ten times slower.
const parsed = new Map<FontName, Font>();
const shapes = new Map<FontName, ShapeStore>();
// Each letter adds its names and addresses to the store; clearing it now and then limits it to a few megabytes.
const documentsPerStore = 500;

export function registerFonts(document: PDFKit.PDFDocument): void {
  for (const name of fontNames) {
    document.registerFont(name, parsedFont(name)).font(name);
    shareShapes(document, name);
  }
}

function parsedFont(name: FontName): Font {
  let font = parsed.get(name);
  if (!font) {
    font = create(readFileSync(createRequire(import.meta.url).resolve(files[name])));
    parsed.set(name, font);
  }
  return font;
}

/**
 * pdfkit shapes one word at a time and caches its glyphs for the rest of the document. Shaping is most of the work of a
 * letter and letters share nearly all their words, so all documents of the thread share that cache.
 */
function shareShapes(document: PDFKit.PDFDocument, name: FontName): void {
  let shared = shapes.get(name);
  if (!shared || shared.documents >= documentsPerStore) shared = { words: Object.create(null), documents: 0 };
  shared.documents++;
  shapes.set(name, shared);
  document._font.layoutCache = shared.words;
}

/** The part of the font size above and below the baseline, from the font's metrics. */
export const fontAscent = 1854 / 2048;
export const fontDescent = 434 / 2048;
