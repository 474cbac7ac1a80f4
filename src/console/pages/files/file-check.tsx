import { day_ms, later } from '../../../platform/clock.ts';
import { comparableKey } from '../../../protocol/comparable-key.ts';
import { fileProblemTexts } from '../../../recipients/spreadsheet/spreadsheet-problems.ts';
import type { FormState } from '../../page.ts';
import { Notice } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { When } from '../../parts/when.tsx';
import { costInWords } from '../send/cost.ts';
import { neededColumns } from './example-file.ts';
import type { CheckedFile } from './load-file.ts';
import { ProblemTable } from './problem-table.tsx';
import { RowCard } from './row-card.tsx';

interface FileCheckProps {
  file: CheckedFile;
  formState: FormState;
  now: Date;
}

const inWords = (count: number) => count.toLocaleString('en-GB');
const rows = (count: number) => (count === 1 ? '1 row' : `${inWords(count)} rows`);

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
              <li key={problem}>{sentenceOf(problem, record)}</li>
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

function sentenceOf(problem: string, record: CheckedFile['record']): string {
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
        <dd class="figure-mid">{inWords(record.missing_column_headers.length > 0 ? 0 : goodRows)}</dd>
      </div>
      <div>
        <dt>
          <Status kind="failed">Rows with problems</Status>
        </dt>
        <dd class="figure-mid">{inWords(bad)}</dd>
      </div>
      <div>
        <dt>
          <Status kind="sending">Recipients that appear twice or more</Status>
        </dt>
        <dd class="figure-mid">{inWords(repeated)}</dd>
      </div>
      <div>
        <dt>{template.row.template_type === 'letter' ? 'Cost, at least' : 'Cost, about'}</dt>
        <dd class="figure-mid">{cost === undefined ? 'Not known' : costInWords(cost)}</dd>
        <dd>{inWords(left)} left today</dd>
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
          {skips ? `Send to the ${inWords(goodRows)} good rows` : `Send to ${rows(goodRows)}`}
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
