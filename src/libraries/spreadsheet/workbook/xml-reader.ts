import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { SpreadsheetError } from '../spreadsheet-error.ts';

export type XmlAttributes = Readonly<Record<string, string>>;

/** Element names have no prefix. */
export interface XmlHandlers {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  text(text: string): void;
}

const maxDepth = 100;
/** Bounds a token, because the parser buffers it until it is complete: a text, a comment, a tag with its attributes. */
const maxTokenCharacters = 4_000_000;

/**
 * Parses XML piece by piece and yields after each piece, so that the caller can process what has been read. Files cannot declare entities,
 * because spreadsheets have no document type definitions.
 */
export async function* readXml(texts: AsyncIterable<string>, handlers: XmlHandlers): AsyncGenerator<void> {
  const write = xmlWriter(handlers);
  for await (const text of texts) {
    write(text);
    yield;
  }
  write(null);
}

function xmlWriter({ open, close, text }: XmlHandlers): (chunk: string | null) => void {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  let sinceToken = 0;
  parser.on('opentag', (tag: SaxesTagPlain) => {
    sinceToken = 0;
    if (++depth > maxDepth) throw new SpreadsheetError('unreadable');
    open(localName(tag.name), tag.attributes);
  });
  parser.on('closetag', (tag: SaxesTagPlain) => {
    sinceToken = 0;
    depth--;
    close(localName(tag.name));
  });
  parser.on('text', (value) => {
    sinceToken = 0;
    text(value);
  });
  parser.on('cdata', (value) => {
    sinceToken = 0;
    text(value);
  });
  parser.on('comment', () => {
    sinceToken = 0;
  });
  parser.on('doctype', () => {
    throw new SpreadsheetError('unreadable');
  });
  return (chunk) => {
    sinceToken += chunk?.length ?? 0;
    if (sinceToken > maxTokenCharacters) throw new SpreadsheetError('unreadable');
    try {
      if (chunk === null) parser.close();
      else parser.write(chunk);
    } catch (cause) {
      throw cause instanceof SpreadsheetError ? cause : new SpreadsheetError('unreadable', {}, { cause });
    }
  };
}

export async function* decodeXml(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(chunk[0] === 0xff ? 'utf-16le' : chunk[0] === 0xfe ? 'utf-16be' : 'utf-8', {
      fatal: true,
    });
    yield decode(decoder, chunk);
  }
  if (decoder) yield decode(decoder, undefined);
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array | undefined): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw new SpreadsheetError('unreadable', {}, { cause });
  }
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** Finds an attribute by its local name. */
export function attributeOf(attributes: XmlAttributes, local: string): string | undefined {
  if (attributes[local] !== undefined) return attributes[local];
  for (const name in attributes) if (localName(name) === local) return attributes[name];
  return undefined;
}

export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
