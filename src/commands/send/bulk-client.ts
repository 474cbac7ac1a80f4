import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { OperatorError } from '../../platform/failure.ts';
import { Connection } from '../connection.ts';
import type { FileToSend } from './file-to-send.ts';

/** The fields of a send that the command shows. */
export interface BulkJob {
  id: string;
  job_status: string;
  notification_count: number;
  rows_done: number;
  rows_skipped: number;
  scheduled_for: string | null;
  statistics: { status: string; count: number }[];
}

/** The result of a dry run. */
export interface Checked {
  notification_count: number;
  rows_with_problems: number;
  message: string | null;
  rows_shown: { row: number; problems: { column: string | null; problem: string }[] }[];
}

interface Errors {
  errors: { error: string; message: string }[];
}

type Parameters = Record<string, string | undefined>;

const path = '/v2/notifications/bulk';

/** Calls the API as an application would. */
export class BulkClient {
  private readonly connection: Connection;
  private readonly key: string;

  constructor(url: string, key: string) {
    this.connection = new Connection(url);
    this.key = key;
  }

  /** Sends a file exactly once, however often it is called: an Idempotency-Key makes retries safe. */
  async send(
    file: FileToSend,
    parameters: Parameters,
    { again, progress }: { again: boolean; progress: Progress },
  ): Promise<{ job: BulkJob; replayed: boolean } | { problem: string }> {
    const key = idempotencyKey(file, parameters, again);
    const response = await this.connection.retry(() =>
      this.post(file, parameters, progress, { 'idempotency-key': key }),
    );
    if (response.status === 400) return { problem: await problemOf(response) };
    if (response.status === 422) {
      throw new OperatorError('This file was sent before with other options. Use --again to send it another time.');
    }
    const { data } = (await bodyOf(response)) as { data: BulkJob };
    return { job: data, replayed: response.headers.get('idempotent-replayed') === 'true' };
  }

  async check(file: FileToSend, parameters: Parameters, progress: Progress): Promise<Checked> {
    const response = await this.connection.retry(() => this.post(file, { ...parameters, dry_run: 'true' }, progress));
    return ((await bodyOf(response)) as { data: Checked }).data;
  }

  async get(id: string): Promise<BulkJob> {
    const response = await this.connection.retry(() =>
      fetch(`${this.connection.root}${path}/${id}`, { headers: this.headers() }),
    );
    return ((await bodyOf(response)) as { data: BulkJob }).data;
  }

  private headers(): Record<string, string> {
    return { authorization: `Bearer ${this.key}` };
  }

  private async post(file: FileToSend, parameters: Parameters, progress: Progress, headers = {}): Promise<Response> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
    let failure: unknown;
    const body = (async function* () {
      try {
        yield* file.body((bytes) => progress.show('Sending the file', bytes, file.size_bytes));
      } catch (error) {
        failure = error;
        throw error;
      }
    })();
    try {
      return await fetch(`${this.connection.root}${path}?${query}`, {
        method: 'POST',
        headers: { ...this.headers(), 'content-type': file.type, ...headers },
        body: Readable.toWeb(Readable.from(body)),
        duplex: 'half',
      } as RequestInit);
    } catch (error) {
      // Prefers the error of a file that cannot be read to that of the connection.
      throw failure ?? error;
    }
  }
}

function idempotencyKey({ digest }: FileToSend, { template_id, name }: Parameters, again: boolean): string {
  const parts = [digest, template_id, name, again ? randomUUID() : ''];
  return `pennypost-send-${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;
}

async function problemOf(response: Response): Promise<string> {
  const { errors } = (await response.json()) as Errors;
  const text = textOf(errors);
  // The parameters are wrong, not the file.
  if (errors.some(({ error }) => error === 'ValidationError')) throw new OperatorError(text);
  return text;
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  throw new OperatorError(await messagesOf(response));
}

async function messagesOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return textOf((JSON.parse(text) as Errors).errors);
  } catch {
    return `The server responded with ${response.status}.`;
  }
}

function textOf(errors: Errors['errors']): string {
  return errors.map(({ message }) => message).join('\n');
}

const barWidth = 30;
/** In a log file, a line for each tenth is enough. */
const linesOfLog = 10;

type Output = Pick<WriteStream, 'write'> & { isTTY?: boolean };

/** Draws a progress bar on a terminal, and prints plain lines elsewhere. */
export class Progress {
  private readonly output: Output;
  private shown = '';

  constructor(output: Output) {
    this.output = output;
  }

  show(activity: string, done: number, total: number): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    if (this.output.isTTY) this.redraw(`${activity} ${bar(share)} ${percent(share)} ${amount(done, total)}`);
    else this.log(activity, Math.floor(share * linesOfLog) / linesOfLog);
  }

  /** Leaves an empty line before further output. */
  end(): void {
    if (this.output.isTTY && this.shown !== '') this.output.write('\r\u001b[K');
    this.shown = '';
  }

  private redraw(line: string): void {
    if (line === this.shown) return;
    this.shown = line;
    this.output.write(`\r\u001b[K${line}`);
  }

  private log(activity: string, share: number): void {
    const line = `${activity}: ${percent(share)}`;
    if (line === this.shown) return;
    this.shown = line;
    this.output.write(`${line}\n`);
  }
}

function bar(share: number): string {
  const filled = Math.round(share * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`;
}

const percent = (share: number) => `${Math.floor(share * 100)}%`.padStart(4);
const amount = (done: number, total: number) => `${done.toLocaleString('en-GB')} of ${total.toLocaleString('en-GB')}`;
