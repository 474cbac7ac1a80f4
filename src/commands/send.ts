import { basename } from 'node:path';
import { SpreadsheetError } from '../libraries/spreadsheet/spreadsheet-error.ts';
import { type Command, type Flags, print } from '../platform/command-line.ts';
import { OperatorError } from '../platform/failure.ts';
import { readClientSettings } from './read-config.ts';
import { BulkClient, type BulkJob, type Checked, Progress } from './send/bulk-client.ts';
import { openFile } from './send/file-to-send.ts';

const exitCodes = { hasProblems: 2, notFinished: 3 };
const pollEvery_ms = 1_000;

export const send: Command = {
  flags: {
    template: { value: '<id>', description: 'The template to send with' },
    key: {
      value: '<key>',
      description: 'An API key. Other users of this machine can see it, so prefer PENNYPOST_API_KEY',
    },
    url: { value: '<url>', description: 'The server (default: BASE_URL, or localhost with PORT)' },
    name: { value: '<name>', description: 'Shown in lists of what was sent (default: the name of the file)' },
    reference: { value: '<text>', description: 'The reference of messages whose row has none' },
    sender: { value: '<id>', description: 'A reply-to address or text message sender of the service' },
    'scheduled-for': { value: '<time>', description: 'When to send, up to 7 days ahead: 2026-12-24T09:00:00Z' },
    'skip-errors': { description: 'Send the other rows if some have problems' },
    'dry-run': { description: 'Check every row, print the problems, send nothing' },
    again: { description: 'Send the file once more, although it was sent before' },
  },
  more: [
    'Takes csv, tsv, xlsx, xlsm and ods with the columns of docs/guides/sending-to-many.md, and ndjson.',
    'If the command is interrupted, run it again: the same file with the same template and name is sent only once within 24 hours,',
    'and the command continues to show the progress of the first send. --again sends the file another time.',
    'Exit codes: 0 sent or scheduled, 1 an error, 2 the file has problems and nothing was sent, 3 the send was stopped.',
    '',
  ],
  run,
};

async function run([path = '']: string[], flags: Flags): Promise<void> {
  const last = (name: string) => flags[name]?.at(-1);
  const template_id = last('template');
  const settings = readClientSettings();
  const key = last('key') ?? settings.apiKey;
  if (template_id === undefined) throw new OperatorError('Add --template with the id of the template to send with.');
  if (!key) throw new OperatorError('Set PENNYPOST_API_KEY to an API key, or use --key.');
  const client = new BulkClient(last('url') ?? settings.url, key);
  const file = await openFile(path).catch(explainFile);
  const name = last('name') ?? basename(path);
  const parameters = {
    template_id,
    name,
    reference: last('reference'),
    reply_to_id: last('sender'),
    scheduled_for: last('scheduled-for'),
    on_error: flags['skip-errors'] ? 'skip' : undefined,
  };
  const progress = new Progress(process.stderr);
  try {
    if (flags['dry-run']) return report(await client.check(file, parameters, progress));
    const sent = await client.send(file, parameters, { again: flags.again !== undefined, progress });
    if ('problem' in sent) return fail(exitCodes.hasProblems, sent.problem);
    if (sent.replayed)
      print(`This file was sent before: showing send ${sent.job.id}. Use --again to send it another time.`);
    else print(`Accepted as send ${sent.job.id}.`);
    await watch(client, sent.job, progress);
  } catch (error) {
    return explainFile(error);
  } finally {
    progress.end();
  }
}

function explainFile(error: unknown): never {
  throw error instanceof SpreadsheetError ? new OperatorError(error.message) : error;
}

function fail(code: number, text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}

function report({ notification_count, rows_with_problems, message, rows_shown }: Checked): void {
  if (rows_with_problems > 0) {
    for (const { row, problems } of rows_shown) {
      const texts = problems.map(({ column, problem }) => (column === null ? problem : `${column}: ${problem}`));
      print(`Row ${row}: ${texts.join('; ')}`);
    }
    if (rows_with_problems > rows_shown.length) print('...');
  }
  print(`${count(notification_count, 'row')}, ${number(rows_with_problems)} with problems.`);
  if (message !== null) fail(exitCodes.hasProblems, message);
}

async function watch(client: BulkClient, first: BulkJob, progress: Progress): Promise<void> {
  let job = first;
  while (job.job_status === 'pending' || job.job_status === 'in progress') {
    progress.show('Creating messages', job.rows_done, job.notification_count - job.rows_skipped);
    await new Promise((resolve) => setTimeout(resolve, pollEvery_ms));
    job = await client.get(job.id);
  }
  progress.end();
  if (job.job_status === 'scheduled') {
    print(`Scheduled for ${job.scheduled_for}.`);
    return;
  }
  const skipped = job.rows_skipped > 0 ? `, ${count(job.rows_skipped, 'row')} skipped` : '';
  print(`${count(job.rows_done, 'message')} created${skipped}.`);
  for (const { status, count } of job.statistics) print(`${number(count).padStart(9)}  ${status}`);
  if (job.rows_skipped > 0) print(`The skipped rows: GET /v2/notifications/bulk/${job.id}/problems`);
  if (job.job_status !== 'finished') fail(exitCodes.notFinished, `The send has stopped: ${job.job_status}`);
}

const number = (value: number) => value.toLocaleString('en-GB');
const count = (value: number, noun: string) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
