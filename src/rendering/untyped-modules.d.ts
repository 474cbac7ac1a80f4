declare module 'linebreak' {
  /** Finds line break opportunities in a text by the Unicode rules (UAX 14). */
  export default class LineBreaker {
    constructor(text: string);
    nextBreak(): { position: number; required: boolean } | null;
  }
}

declare module 'fontkit' {
  /** A parsed font, to be passed to pdfkit. */
  export interface Font {
    readonly postscriptName: string;
  }
  export function create(file: Uint8Array): Font;
}

/** Two features of pdfkit that are missing from its types. */
declare namespace PDFKit.Mixins {
  interface PDFFont {
    /** Also accepts a parsed font instead of a font file. */
    registerFont(name: string, font: import('fontkit').Font): this;
    /** The current font; its cache of shaped words may be replaced. */
    _font: { layoutCache: Record<string, unknown> };
  }
}

declare module 'svg-to-pdfkit' {
  type SvgColor = [channels: number[], opacity: number];
  export default function SVGtoPDF(
    document: PDFKit.PDFDocument,
    svg: string,
    x: number,
    y: number,
    options: {
      width: number;
      height: number;
      preserveAspectRatio?: string;
      assumePt?: boolean;
      fontCallback?: (family: string, bold: boolean, italic: boolean) => string;
      imageCallback?: (link: string) => string;
      colorCallback?: (color: SvgColor | undefined) => SvgColor | undefined;
      warningCallback?: (warning: string) => void;
    },
  ): void;
}

/** The part of the standard WebAssembly interface used here; Node's types do not declare it. */
declare namespace WebAssembly {
  type Imports = Record<string, Record<string, unknown>>;
  type Exports = Record<string, unknown>;
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  class Table {
    get(index: number): unknown;
    set(index: number, value: unknown): void;
  }
}
