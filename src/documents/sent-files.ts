import { Failure, invalid, type Problem } from '../platform/failure.ts';
import { decodeBase64 } from '../platform/http/body/base64.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import { withoutHiddenCharacters } from '../protocol/hidden-characters.ts';
import { printedValue } from '../protocol/schema-problems.ts';
import { describeUnsupported, type FileType, fileTypeOf, oldWorkbook } from '../templates/files/file-types.ts';
import { weeksOf } from './file-requests.ts';

/**
 * Files of an email whose personalisation values specify how to send them. Clients of GC Notify use this, so errors have the wording of its
 * API.
 */

const sendingMethods = ['attach', 'link'] as const;

export interface SentFile {
  /** The key in the personalisation. */
  name: string;
  sending_method: (typeof sendingMethods)[number];
  /** Null is only allowed for a link. */
  filename: string | null;
  content: Buffer;
  confirm_email: boolean;
  retention_weeks: number;
}

const filenameLength = { min: 3, max: 255 };
const maxFiles = 10;
const maxSentFileBytes = 10 * 1024 * 1024;
const defaultWeeks = 1;

/** Whether a placeholder's value has a sending method, even an invalid one. */
export function isSentFile(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.hasOwn(value, 'sending_method');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the distinct problems in the fields of these files, before any file is decoded. In the dialect of GC Notify, every object counts
 * as such a file.
 */
export function problemsOfSentFiles(personalisation: unknown, dialect: ApiDialect = 'govuk'): Problem[] {
  if (!isObject(personalisation)) return [];
  const files = Object.values(personalisation).filter(dialect === 'gc' ? isObject : isSentFile);
  const found = files.flatMap(problemsOf);
  return [...new Set(found)].map((message) => ({
    error: 'ValidationError',
    message: `personalisation ${message}`,
    about: { property: 'personalisation' },
  }));
}

function problemsOf(value: Record<string, unknown>): string[] {
  const { file, filename, sending_method } = value;
  const problems: string[] = [];
  if (file !== undefined && typeof file !== 'string') problems.push(notText(file));
  if (filename !== undefined) problems.push(...problemsOfName(filename));
  if (sending_method !== undefined) {
    if (typeof sending_method !== 'string') problems.push(notText(sending_method));
    if (!isSendingMethod(sending_method)) {
      problems.push(`${printedValue(sending_method)} is not one of [${sendingMethods.join(', ')}]`);
    }
  }
  const required = ['file', 'sending_method', ...(sending_method === 'link' ? [] : ['filename'])];
  const missing = required.filter((name) => value[name] === undefined);
  return [...problems, ...missing.map((name) => `${name} is a required property`)];
}

function problemsOfName(filename: unknown): string[] {
  if (typeof filename !== 'string') return [notText(filename)];
  const length = [...filename].length;
  if (length < filenameLength.min) return [`${printedValue(filename)} is too short`];
  return length > filenameLength.max ? [`${printedValue(filename)} is too long`] : [];
}

function notText(value: unknown): string {
  return `${printedValue(value)} is not of type string`;
}

function isSendingMethod(value: unknown): value is SentFile['sending_method'] {
  return sendingMethods.some((method) => method === value);
}

/** Decodes the files. Other fields of the objects are ignored. */
export function readSentFiles(personalisation: Record<string, unknown>): SentFile[] {
  const files = Object.entries(personalisation).filter((entry): entry is [string, Record<string, unknown>] =>
    isSentFile(entry[1]),
  );
  if (files.length === 0) return [];
  refuse(problemsOfSentFiles(personalisation).map(({ message }) => message));
  if (files.length > maxFiles) {
    refuse([`File number exceed allowed limits of ${maxFiles} with number of ${files.length}.`]);
  }
  const problems: string[] = [];
  const read = files.flatMap(([name, value]) => {
    const { file, filename, sending_method, confirm_email_before_download, retention_period } = value;
    const content = decodeBase64(String(file), 'lenient');
    if (!content) problems.push(`${name} : ${whyNotDecoded(String(file))} : Error decoding base64 field`);
    else if (content.length > maxSentFileBytes) {
      const size = `File size for ${printedValue(filename)} is ${content.length}`;
      problems.push(`${name} : ${size} and greater than allowed limit of ${maxSentFileBytes}.`);
    }
    if (!content || !isSendingMethod(sending_method)) return [];
    return {
      name,
      sending_method,
      filename: typeof filename === 'string' ? withoutHiddenCharacters(filename) : null,
      content,
      confirm_email: confirm_email_before_download === true,
      retention_weeks: weeksOf(retention_period) ?? defaultWeeks,
    };
  });
  refuse(problems);
  return read;
}

/** Uses Python's error messages, which callers of that API know. */
function whyNotDecoded(file: string): string {
  if (!/^\p{ASCII}*$/u.test(file)) return 'string argument should contain only ASCII characters';
  const digits = file.replaceAll(/[^A-Za-z0-9+/]/g, '').length;
  return digits % 4 === 1
    ? `Invalid base64-encoded string: number of data characters (${digits}) cannot be 1 more than a multiple of 4`
    : 'Incorrect padding';
}

function refuse(messages: string[]): void {
  if (messages.length === 0) return;
  throw new Failure('invalid', 'ValidationError', messages.join('; '), {
    problems: messages.map((message): Problem => ({ error: 'ValidationError', message })),
  });
}

export function typeOfSentFile({ content, filename }: Pick<SentFile, 'content' | 'filename'>): FileType {
  if (content.length === 0) throw invalid('Document must not be empty');
  const type = fileTypeOf(content, filename ?? '');
  if (type.extension === '') throw invalid(describeUnsupported(type.mime_type, [oldWorkbook.extension]));
  return type;
}

/** Returns the values of placeholders before links replace them. An attachment has no place in the text. */
export function withoutSentFiles(
  personalisation: Record<string, unknown>,
  files: readonly SentFile[],
): Record<string, unknown> {
  if (files.length === 0) return personalisation;
  const texts = files.map(({ name, sending_method, filename }) => [
    name,
    sending_method === 'attach' ? '' : (filename ?? name),
  ]);
  return { ...personalisation, ...Object.fromEntries(texts) };
}
