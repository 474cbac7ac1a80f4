import { Failure, invalid, type Problem } from '../platform/failure.ts';
import type { Urls } from '../platform/settings.ts';
import { withoutHiddenCharacters } from '../protocol/hidden-characters.ts';
import { printedValue } from '../protocol/schema-problems.ts';

/** A validated upload in the personalisation of an email. */
export interface FileRequest {
  /** The placeholder that the link replaces. */
  name: string;
  file: string;
  filename: string | null;
  is_csv: boolean;
  confirm_email: boolean;
  retention_weeks: number;
}

const allowedKeys = ['file', 'is_csv', 'confirm_email_before_download', 'retention_period', 'filename'];
const defaultWeeks = 26;
const maxWeeks = 78;

/** An object with a `file` key is an upload. */
export function isFile(value: unknown): value is Record<string, unknown> & { file: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, 'file');
}

export function readFiles(values: Record<string, unknown>): FileRequest[] {
  return Object.entries(values).flatMap(([name, value]) => (isFile(value) ? [readFile(name, value)] : []));
}

function readFile(name: string, value: Record<string, unknown>): FileRequest {
  const problems = problemsOf(value);
  if (problems.length > 0) {
    throw new Failure('invalid', 'ValidationError', problems.join('; '), {
      problems: problems.map((message): Problem => ({ error: 'ValidationError', message })),
    });
  }
  return {
    name,
    file: String(value.file),
    filename: typeof value.filename === 'string' ? withoutHiddenCharacters(value.filename) : null,
    is_csv: value.is_csv === true,
    confirm_email: value.confirm_email_before_download !== false,
    retention_weeks: weeksOf(value.retention_period) ?? defaultWeeks,
  };
}

function problemsOf(value: Record<string, unknown>): string[] {
  const { file, filename, is_csv, confirm_email_before_download: confirm, retention_period } = value;
  const unknown = Object.keys(value).filter((key) => !allowedKeys.includes(key));
  const problems: string[] = [];
  if (unknown.length > 0) {
    const verb = unknown.length === 1 ? 'was' : 'were';
    problems.push(`Additional properties are not allowed (${unknown.sort().join(', ')} ${verb} unexpected)`);
  }
  if (typeof file !== 'string') problems.push(`file ${printedValue(file)} is not of type string`);
  if (!isBooleanOrAbsent(is_csv)) problems.push(`is_csv ${notBoolean('is_csv', is_csv)}`);
  if (!isBooleanOrAbsent(confirm)) {
    const field = 'confirm_email_before_download';
    problems.push(`${field} ${notBoolean(field, confirm)}`);
  }
  if (!isAbsent(retention_period) && weeksOf(retention_period) === undefined) {
    problems.push(
      `retention_period Unsupported value for retention_period: ${printedValue(retention_period)}. Supported periods are from 1 to ${maxWeeks} weeks.`,
    );
  }
  if (!isAbsent(filename) && !(typeof filename === 'string' && filename.includes('.'))) {
    problems.push('filename `filename` must end with a file extension. For example, filename.csv');
  }
  if ('is_csv' in value && 'filename' in value) {
    problems.push('Do not set a value for `is_csv` if `filename` is set.');
  }
  return problems;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isBooleanOrAbsent(value: unknown): boolean {
  return isAbsent(value) || typeof value === 'boolean';
}

function notBoolean(field: string, value: unknown): string {
  return `Unsupported value for ${field}: ${printedValue(value)}. Use a boolean true or false value.`;
}

export function weeksOf(period: unknown): number | undefined {
  const digits = typeof period === 'string' ? /^(\d{1,2}) weeks?$/i.exec(period.trim())?.[1] : undefined;
  const weeks = Number(digits ?? 0);
  return weeks >= 1 && weeks <= maxWeeks ? weeks : undefined;
}

/** Recipients of a file need contact details for questions about it. */
export function refuseUnlessFilesAreSetUp(
  app: { config: { urls: Urls } },
  service: { id: string; contact_link: string | null },
  hasFiles: boolean,
): void {
  if (!hasFiles || service.contact_link) return;
  const settings = `${app.config.urls.admin}/services/${service.id}/service-settings/send-files-by-email`;
  throw invalid(`Send files by email has not been set up - add contact details for your service at ${settings}`);
}
