import { invalidField } from '../../platform/failure.ts';
import { decodeBase64 } from '../../platform/http/body/base64.ts';

/** File types that can be sent by email. */

const mimeTypes = new Map(
  Object.entries({
    '.csv': 'text/csv',
    '.doc': 'application/msword',
    '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    '.jpeg': 'image/jpeg',
    '.jpg': 'image/jpeg',
    '.json': 'application/json',
    '.odt': 'application/vnd.oasis.opendocument.text',
    '.pdf': 'application/pdf',
    '.png': 'image/png',
    '.rtf': 'text/rtf',
    '.txt': 'text/plain',
    '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
);

/** 2 MiB, plus a margin for clients that measure the size differently. */
export const maxFileBytes = 2 * 1024 * 1024 + 1024;
export const fileIsTooLarge = 'Uploaded file exceeds file size limit';

export interface FileType {
  extension: string;
  mime_type: string;
}

/** Returns the type for a file name, or undefined if it is not supported. */
export function fileTypeOfName(filename: string): FileType | undefined {
  const extension = extensionOf(filename);
  const mime_type = mimeTypes.get(extension);
  return mime_type === undefined ? undefined : { extension, mime_type };
}

export function describeUnsupported(type: string, more: readonly string[] = []): string {
  const supported = [...mimeTypes.keys(), ...more].map((extension) => `'${extension}'`);
  return `Unsupported file type '${type}'. Supported types are: ${supported.join(', ')}`;
}

/** Returns `.pdf` for `Report.PDF`. */
export function extensionOf(filename: string): string {
  return filename.slice(filename.lastIndexOf('.')).toLowerCase();
}

/** Detects the type from the content. An unsupported type has an empty extension. */
export function fileTypeOfContent(content: Buffer): FileType {
  const mime_type = mimeTypeOf(content);
  const [extension = ''] = [...mimeTypes].find(([, type]) => type === mime_type) ?? [];
  return { extension: extension === '.jpeg' ? '.jpg' : extension, mime_type };
}

export const oldWorkbook: FileType = { extension: '.xls', mime_type: 'application/vnd.ms-excel' };
const textExtensions = new Set(['.csv', '.json', '.txt']);

/**
 * Detects the type of a file with any name: from its content, and from its name if several types have such content. An unsupported type has
 * an empty extension.
 */
export function fileTypeOf(content: Buffer, filename: string): FileType {
  const type = fileTypeOfContent(content);
  const extension = extensionOf(filename);
  // Word, Excel and others used the same container format.
  if (type.mime_type === mimeTypes.get('.doc') && extension === oldWorkbook.extension) return oldWorkbook;
  if (!textExtensions.has(type.extension) || !textExtensions.has(extension)) return type;
  const isOther = extension === '.json' && type.extension !== '.json';
  return isOther ? type : (fileTypeOfName(filename) ?? type);
}

function mimeTypeOf(content: Buffer): string {
  const begins = (bytes: string) => content.subarray(0, bytes.length).toString('latin1') === bytes;
  if (begins('%PDF-')) return 'application/pdf';
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('{\\rtf')) return 'text/rtf';
  if (begins('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return 'application/msword';
  if (begins('PK\x03\x04')) return mimeTypeOfZip(content);
  return mimeTypeOfText(content) ?? 'application/octet-stream';
}

/** Detects office documents, which are ZIP files, by the names of their entries. */
function mimeTypeOfZip(content: Buffer): string {
  const head = content.subarray(0, 4096);
  if (head.includes('mimetypeapplication/vnd.oasis.opendocument.text')) return mimeTypes.get('.odt') ?? '';
  if (content.includes('word/document.xml')) return mimeTypes.get('.docx') ?? '';
  return content.includes('xl/workbook.xml') ? (mimeTypes.get('.xlsx') ?? '') : 'application/zip';
}

const decoder = new TextDecoder('utf-8', { fatal: true });
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches bytes that text files never contain
const binary = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

function mimeTypeOfText(content: Buffer): string | undefined {
  let text: string;
  try {
    text = decoder.decode(content);
  } catch {
    // Older Windows programs write non-ASCII characters in a legacy encoding.
    text = content.toString('latin1');
  }
  if (binary.test(text)) return undefined;
  return /^\s*[{[]/.test(text) && isJson(text) ? 'application/json' : 'text/plain';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function readUpload(content: string): Buffer {
  const bytes = decodeBase64(content, 'canonical');
  if (!bytes || bytes.length === 0) throw invalidField('content', 'Not valid base64.');
  return bytes;
}
