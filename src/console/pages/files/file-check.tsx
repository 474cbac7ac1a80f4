import type { Money } from '../../../countries/money.ts';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { languageColumnsOf, placeholdersOf, timeZoneColumnsOf } from '../../../jobs/uploads/file-texts.ts';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { earlier, minute_ms } from '../../../platform/clock.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { planColumns } from '../../../recipients/spreadsheet/columns.ts';
import { pageUrl } from '../../links.ts';
import { describeLost } from '../../message-labels.ts';
import { count } from '../../money.ts';
import type { FormState } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { ArrowLink } from '../../parts/pager.tsx';
import { formatPhoneNumber } from '../../parts/phone-number.ts';
import { Status } from '../../parts/status.tsx';
import { nextWeek, When } from '../../parts/when.tsx';
import { MessagePreview } from '../send/message-preview.tsx';
import { FileWarnings, RowWarnings, type TrialOptions } from './file-warnings.tsx';
import type { CheckedFile, LoadedFile } from './load-file.ts';
import { ProblemTable } from './problem-table.tsx';
import { describeRowProblem } from './problem-texts.ts';

interface FileCheckProps {
  file: CheckedFile;
  formState: FormState;
  now: Date;
  money: Money;
  phone: PhoneRules;
  trialOptions: TrialOptions;
}

/** The result of the check, and the form that sends the file. */
export function FileCheck({ file, formState, now, money, phone, trialOptions }: FileCheckProps) {
  const { upload, record, template } = file;
  const path = `/services/${upload.service_id}/files/${upload.id}`;
  return (
    <div class="stack">
      <FileWarnings file={file} path={path} trialOptions={trialOptions} />
      <Figures file={file} money={money} />
      <div class="aside">
        <div class="stack">
          {record.missing_column_headers.length === 0 && (
            <ProblemTable
              problems={file.problems}
              bad={file.badRows}
              path={path}
              canDownload={'row-errors' in record.problem_counts}
              hasRows
            />
          )}
          <RowWarnings file={file} path={path} />
          {canBeSent(file) && <SendForm file={file} formState={formState} now={now} path={path} />}
          <p>
            <a href={pageUrl(`/services/${upload.service_id}/files/new/${template.row.id}`)}>
              {t('Choose another file')}
            </a>
          </p>
        </div>
        <div class="stack">
          <Columns file={file} />
          <RowCard file={file} path={path} phone={phone} />
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

function Figures({ file, money }: { file: CheckedFile; money: Money }) {
  const { goodRows, badRows, repeated, cost, isPriced, left, template } = file;
  return (
    <dl class="stats">
      <div>
        <dt>
          <Status kind="delivered">{t('Good rows')}</Status>
        </dt>
        <dd class="figure-mid">{count(goodRows)}</dd>
      </div>
      <div>
        <dt>
          <Status kind="failed">{t('Rows with problems')}</Status>
        </dt>
        <dd class="figure-mid">{count(badRows)}</dd>
      </div>
      <div>
        <dt>
          <Status kind="sending">{t('Duplicate recipients')}</Status>
        </dt>
        <dd class="figure-mid">{count(repeated.count)}</dd>
      </div>
      <div>
        {isPriced ? (
          <>
            <dt>{template.row.template_type === 'letter' ? t('Cost, at least') : t('Cost, about')}</dt>
            <dd class="figure-mid">{cost === undefined ? t('Not known') : money.price(cost)}</dd>
            <dd>{left}</dd>
          </>
        ) : (
          <>
            <dt>{t('Daily limit')}</dt>
            <dd>{left}</dd>
          </>
        )}
      </div>
    </dl>
  );
}

type SendFormProps = Pick<FileCheckProps, 'file' | 'formState' | 'now'> & { path: string };

function SendForm({ file, formState, now, path }: SendFormProps) {
  const { goodRows, upload } = file;
  const skips = goodRows < upload.row_count;
  return (
    <form class="stack measure" method="post" action={pageUrl(`${path}/send`)}>
      <When formState={formState} now={now} within={nextWeek} />
      <input type="hidden" name="on_error" value={skips ? 'skip' : 'reject'} />
      <div class="row">
        <button class="button button--primary" type="submit">
          {skips
            ? t('{count, plural, one {Send to the # good row} other {Send to the # good rows}}', { count: goodRows })
            : t('{count, plural, one {Send to # row} other {Send to # rows}}', { count: goodRows })}
        </button>
        {skips && <span class="small muted">{t('Or fix the other rows and upload the file again.')}</span>}
      </div>
    </form>
  );
}

function Columns({
  file: {
    record,
    template: { row },
    sending,
  },
}: Pick<FileCheckProps, 'file'>) {
  const names = record.column_headers;
  const { every, some } = placeholdersOf(row);
  const optional = [...some, ...languageColumnsOf(row), ...timeZoneColumnsOf(sending, row), 'reference'];
  const plan = planColumns({ names, width: names.length }, row.template_type, every, optional);
  const isUsed = (index: number) => plan.columns[plan.positions[index] ?? -1]?.used === true;
  return (
    <section class="card stack stack--tight" aria-labelledby="columns">
      <h2 id="columns">{t('Columns')}</h2>
      <ul class="list">
        {names.map((name, index) => (
          <li key={name}>
            {isUsed(index) ? (
              <Status kind="delivered">{name}</Status>
            ) : (
              <>
                <Status kind="cancelled">{name === '' ? t('no name') : name}</Status>
                <span class="muted">{t('not used')}</span>
              </>
            )}
          </li>
        ))}
        {record.missing_column_headers.map((name) => (
          <li key={`missing ${name}`}>
            <Status kind="failed">{name}</Status>
            <span class="muted">{t('missing')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shows any row of the file: its message or its problems. */
interface RowCardProps {
  file: CheckedFile;
  path: string;
  phone: PhoneRules;
}

function RowCard({ file: { shown, upload, template }, path, phone }: RowCardProps) {
  if (!shown) return null;
  const { row, cells, problems, preview, message, lost, isForOthers } = shown;
  const toRow = (other: number) => pageUrl(`${path}?row=${other}#preview`);
  return (
    <section class="card stack stack--tight" aria-labelledby="row" id="preview">
      <div class="card-head">
        <h2 id="row">
          <T>Row {{ row: count(row) }}</T>
        </h2>
        <div class="row">
          <ArrowLink to={row > 2 ? toRow(row - 1) : undefined} icon="left" label={t('Previous row')} />
          <ArrowLink to={row <= upload.row_count ? toRow(row + 1) : undefined} icon="right" label={t('Next row')} />
        </div>
      </div>
      {message && (
        <p class="small">
          <T>
            To <b dir="auto">{{ recipient: inOneLine(phone, template.row.template_type, message.recipient) }}</b>
          </T>
        </p>
      )}
      {isForOthers && (
        <p class="small">
          <Status kind="failed">{t('Not in your team or guest list')}</Status>
        </p>
      )}
      {lost.length > 0 && <Notice tone="amber">{describeLost(lost)}</Notice>}
      {preview ? (
        <MessagePreview preview={preview} />
      ) : (
        <>
          {problems.map(({ column, problem }) => (
            <p key={`${column} ${problem}`} class="small">
              <Status kind="failed">
                {column === null
                  ? describeRowProblem(problem)
                  : t('{column}: {problem}', { column, problem: describeRowProblem(problem) })}
              </Status>
            </p>
          ))}
          <dl class="facts">
            {cells.map(({ column, text }, index) => [
              <dt key={`${index} name`} dir="auto">
                {column}
              </dt>,
              <dd key={`${index} value`} dir="auto">
                {text}
              </dd>,
            ])}
          </dl>
        </>
      )}
      <form class="row">
        <label for="row-number" class="small">
          {t('Show row')}
        </label>
        <input class="input input--small input--short" id="row-number" name="row" inputMode="numeric" value={row} />
        <button class="button button--small" type="submit">
          {t('Show')}
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
          <T>
            The check is taking longer than usual. Nothing was sent. Wait, or{' '}
            <a href={pageUrl(`/services/${upload.service_id}/send`)}>start again</a>.
          </T>
        </Notice>
      )}
      <p role="status">
        <T>
          {{ checkedRows: count(checkedRows) }} of {{ rowCount: count(upload.row_count) }} rows are checked. You can
          leave this page and come back.
        </T>
      </p>
      <progress
        class="meter"
        max={Math.max(1, upload.row_count)}
        value={checkedRows}
        aria-label={t('Rows that are checked')}
      />
      <noscript>
        <p>
          <ButtonLink to={`/services/${upload.service_id}/files/${upload.id}`}>{t('Refresh')}</ButtonLink>
        </p>
      </noscript>
    </div>
  );
}

function inOneLine(phone: PhoneRules, channel: Channel, recipient: string): string {
  return channel === 'sms' ? formatPhoneNumber(phone, recipient) : recipient.split('\n').join(', ');
}
