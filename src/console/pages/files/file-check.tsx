import { day_ms, earlier, later, minute_ms } from '../../../platform/clock.ts';
import { comparableKey } from '../../../protocol/comparable-key.ts';
import { fileProblemTexts } from '../../../recipients/spreadsheet/spreadsheet-problems.ts';
import { count, price, several } from '../../money.ts';
import type { FormState } from '../../page.ts';
import { Notice } from '../../parts/notice.tsx';
import { Turn } from '../../parts/pager.tsx';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { MessagePreview } from '../send/message-preview.tsx';
import type { CheckedFile, LoadedFile } from './load-file.ts';
import { ProblemTable } from './problem-table.tsx';
import { neededColumns } from './spreadsheets.ts';

interface FileCheckProps {
  file: CheckedFile;
  formState: FormState;
  now: Date;
}

/** The result of the check, and the form that sends the file. */
export function FileCheck({ file, formState, now }: FileCheckProps) {
  const { upload, record, template, goodRows } = file;
  const path = `/console/services/${upload.service_id}/files/${upload.id}`;
  return (
    <div class="stack">
      <Warnings file={file} path={path} />
      <Figures file={file} />
      <div class="aside">
        <div class="stack">
          {upload.row_count > goodRows && record.missing_column_headers.length === 0 && (
            <ProblemTable file={file} path={path} />
          )}
          {canBeSent(file) && <SendForm file={file} formState={formState} now={now} path={path} />}
          <p>
            <a href={`/console/services/${upload.service_id}/files/new/${template.row.id}`}>Choose another file</a>
          </p>
        </div>
        <div class="stack">
          <Columns file={file} />
          <RowCard file={file} path={path} />
        </div>
      </div>
    </div>
  );
}

/** Rows with problems are left out; anything else must be corrected first. */
function canBeSent({ record, goodRows, template, upload }: CheckedFile): boolean {
  const others = Object.keys(record.problem_counts).filter((problem) => problem !== 'row-errors');
  return goodRows > 0 && others.length === 0 && template.row.version === upload.template_version;
}

function Warnings({ file: { record, upload, template }, path }: { file: CheckedFile; path: string }) {
  const problems = Object.entries(record.problem_counts).filter(([problem]) => problem !== 'row-errors');
  return (
    <>
      {problems.length > 0 && (
        <Notice tone="red">
          <ul>
            {problems.map(([problem]) => (
              <li key={problem}>{describeProblem(problem, record)}</li>
            ))}
          </ul>
        </Notice>
      )}
      {template.row.version !== upload.template_version && (
        <Notice tone="amber">
          <form class="row" method="post" action={`${path}/check`}>
            <span>The template has changed since the file was checked.</span>
            <button class="button button--small" type="submit">
              Check again
            </button>
          </form>
        </Notice>
      )}
      {record.sent_before && (
        <Notice tone="amber">This file was sent with this template before. Send it again only if you mean to.</Notice>
      )}
      {record.encoding !== null && !/^utf-?(8|16)/i.test(record.encoding) && (
        <Notice tone="amber">
          The file is not UTF-8 and was read as {record.encoding}. Check letters with accents in the preview.
        </Notice>
      )}
    </>
  );
}

function describeProblem(problem: string, record: CheckedFile['record']): string {
  const text = fileProblemTexts[problem as keyof typeof fileProblemTexts];
  const names = {
    'missing-columns': record.missing_column_headers,
    'duplicate-recipient-columns': record.duplicate_recipient_column_headers,
  }[problem];
  return names ? `${text}: ${names.join(', ')}.` : `${text}.`;
}

function Figures({ file: { goodRows, record, repeated, cost, left, upload, template } }: { file: CheckedFile }) {
  const bad = upload.row_count - goodRows;
  return (
    <dl class="stats">
      <div>
        <dt>
          <Status kind="delivered">Good rows</Status>
        </dt>
        <dd class="figure-mid">{count(record.missing_column_headers.length > 0 ? 0 : goodRows)}</dd>
      </div>
      <div>
        <dt>
          <Status kind="failed">Rows with problems</Status>
        </dt>
        <dd class="figure-mid">{count(bad)}</dd>
      </div>
      <div>
        <dt>
          <Status kind="sending">Recipients that appear twice or more</Status>
        </dt>
        <dd class="figure-mid">{count(repeated)}</dd>
      </div>
      <div>
        <dt>{template.row.template_type === 'letter' ? 'Cost, at least' : 'Cost, about'}</dt>
        <dd class="figure-mid">{cost === undefined ? 'Not known' : price(cost)}</dd>
        <dd>{count(left)} left today</dd>
      </div>
    </dl>
  );
}

function SendForm({ file, formState, now, path }: FileCheckProps & { path: string }) {
  const { goodRows, upload } = file;
  const skips = goodRows < upload.row_count;
  return (
    <form class="stack measure" method="post" action={`${path}/send`}>
      <When formState={formState} now={now} until={later(now, 7 * day_ms)} hint="London time, within 7 days." />
      <input type="hidden" name="on_error" value={skips ? 'skip' : 'reject'} />
      <div class="row">
        <button class="button button--primary" type="submit">
          {skips ? `Send to the ${count(goodRows)} good rows` : `Send to ${several(goodRows, 'row')}`}
        </button>
        {skips && <span class="small muted">Or correct the others first, and choose the file again.</span>}
      </div>
    </form>
  );
}

function Columns({ file: { record, template } }: { file: CheckedFile }) {
  const used = new Set(neededColumns(template).map(({ column }) => comparableKey(column)));
  for (const name of ['reference', 'postcode']) used.add(name);
  return (
    <section class="card stack stack--tight" aria-labelledby="columns">
      <h2 id="columns">Columns</h2>
      <ul class="list">
        {record.column_headers.map((name) => (
          <li key={name}>
            {used.has(comparableKey(name)) ? (
              <Status kind="delivered">{name}</Status>
            ) : (
              <>
                <Status kind="cancelled">{name === '' ? 'without a name' : name}</Status>
                <span class="muted">not used</span>
              </>
            )}
          </li>
        ))}
        {record.missing_column_headers.map((name) => (
          <li key={`missing ${name}`}>
            <Status kind="failed">{name}</Status>
            <span class="muted">missing</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Any row of the file: its message, or what is wrong with it. */
function RowCard({ file: { shown, upload }, path }: { file: CheckedFile; path: string }) {
  if (!shown) return null;
  const { row, cells, problems, preview, message } = shown;
  return (
    <section class="card stack stack--tight" aria-labelledby="row" id="preview">
      <div class="card-head">
        <h2 id="row">Row {count(row)}</h2>
        <div class="row">
          <Turn to={row > 2 ? `${path}?row=${row - 1}#preview` : undefined} icon="left" label="Row before" />
          <Turn
            to={row <= upload.row_count ? `${path}?row=${row + 1}#preview` : undefined}
            icon="right"
            label="Next row"
          />
        </div>
      </div>
      {message && (
        <p class="small">
          To <b>{message.recipient.split('\n').join(', ')}</b>
        </p>
      )}
      {preview ? (
        <MessagePreview preview={preview} />
      ) : (
        <>
          {problems.map(({ column, problem }) => (
            <p key={`${column} ${problem}`} class="small">
              <Status kind="failed">{column === null ? problem : `${column}: ${problem}`}</Status>
            </p>
          ))}
          <dl class="facts">
            {cells.map(({ column, text }, index) => [
              <dt key={`${index} name`}>{column}</dt>,
              <dd key={`${index} value`}>{text}</dd>,
            ])}
          </dl>
        </>
      )}
      <form class="row">
        <label for="row-number" class="small">
          Show row
        </label>
        <input class="input input--small input--short" id="row-number" name="row" inputMode="numeric" value={row} />
        <button class="button button--small" type="submit">
          Show
        </button>
      </form>
    </section>
  );
}

/** A check takes seconds; a worker that ended is replaced within a minute. */
const expectedWithin_ms = 10 * minute_ms;

interface CheckingProps {
  file: Extract<LoadedFile, { kind: 'checking' }>;
  now: Date;
}

/** Shows the progress while a task checks the rows. Without script a link loads it again. */
export function Checking({ file: { upload, checkedRows }, now }: CheckingProps) {
  const isLate = new Date(upload.created_at) < earlier(now, expectedWithin_ms);
  return (
    <div class="stack measure">
      {isLate && (
        <Notice tone="amber">
          This takes longer than usual. Wait, or <a href={`/console/services/${upload.service_id}/send`}>start again</a>
          : nothing was sent.
        </Notice>
      )}
      <p role="status">
        {count(checkedRows)} of {count(upload.row_count)} rows are checked. You can leave this page and come back.
      </p>
      <progress
        class="meter"
        max={Math.max(1, upload.row_count)}
        value={checkedRows}
        aria-label="Rows that are checked"
      />
      <noscript>
        <p>
          <a class="button" href={`/console/services/${upload.service_id}/files/${upload.id}`}>
            Look again
          </a>
        </p>
      </noscript>
    </div>
  );
}
