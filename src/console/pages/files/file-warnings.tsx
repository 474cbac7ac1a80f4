import type { ComponentChildren } from 'preact';
import { T } from '../../../language/sentence.tsx';
import { joined, type Text, t } from '../../../language/text.ts';
import { pageUrl } from '../../links.ts';
import { describeLost } from '../../message-labels.ts';
import { count } from '../../money.ts';
import { Notice } from '../../parts/notice.tsx';
import { useViewer } from '../../viewer.ts';
import type { CheckedFile } from './load-file.ts';
import { describeFileProblem, rowList } from './problem-texts.ts';

/** What a person can do about trial mode, and who else can do the rest. */
export interface TrialOptions {
  isTrial: boolean;
  /** Paths, for those who can open them. */
  guestList: string | undefined;
  goLive: string | undefined;
  /** Who else can do it, as sentences. */
  others: readonly string[];
}

interface WarningsProps {
  file: CheckedFile;
  /** The path of the file. */
  path: string;
}

/** Shows problems of the whole file, and what to check before it is sent. */
export function FileWarnings({ file, path, trialOptions }: WarningsProps & { trialOptions: TrialOptions }) {
  const { country } = useViewer();
  const { record, upload, template } = file;
  const sentences = Object.keys(record.problem_counts)
    .filter((problem) => problem !== 'row-errors' && !(problem === 'not-allowed-to-send-to' && trialOptions.isTrial))
    .map((problem) => describeFileProblem(country, problem as ProblemName, record, upload.summary?.max_rows ?? 0))
    .filter((sentence) => sentence !== undefined);
  return (
    <>
      {sentences.length > 0 && (
        <Notice tone="red">
          <ul>
            {sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          {trialOptions.goLive !== undefined && Object.hasOwn(record.problem_counts, 'letters-in-trial-mode') && (
            <a href={pageUrl(trialOptions.goLive)}>{t('Ask to go live')}</a>
          )}
        </Notice>
      )}
      {file.forOthers.count > 0 && (
        <Notice tone="red">
          <div class="stack stack--tight">
            {trialOptions.isTrial && <TrialMode file={file} trialOptions={trialOptions} />}
            <CheckAgain path={path}>{t('Has the guest list or the service changed since the check?')}</CheckAgain>
          </div>
        </Notice>
      )}
      {template.row.version !== upload.template_version && (
        <Notice tone="amber">
          <CheckAgain path={path}>{t('The template has changed since the file was checked.')}</CheckAgain>
        </Notice>
      )}
      {record.language_counts && <Languages counts={record.language_counts} fellBack={record.fell_back_count ?? 0} />}
      {record.sent_before && (
        <Notice tone="amber">
          {t('You have sent this file with this template before. Send it again only if you mean to.')}
        </Notice>
      )}
      {record.encoding !== null && !/^utf-?(8|16)/i.test(record.encoding) && (
        <Notice tone="amber">
          <T>
            The file is not UTF-8, so we read it as {{ encoding: record.encoding }}. Check letters with accents in the
            preview.
          </T>
        </Notice>
      )}
    </>
  );
}

/** Says how many rows get the text of each language. */
function Languages({ counts, fellBack }: { counts: Record<string, number>; fellBack: number }) {
  return (
    <Notice tone={fellBack > 0 ? 'amber' : 'blue'}>
      <ul>
        {Object.entries(counts).map(([language, rows]) => (
          <li key={language}>{t('{language}: {rows, plural, one {# row} other {# rows}}', { language, rows })}</li>
        ))}
      </ul>
      {fellBack > 0 && (
        <p>
          {t(
            '{rows, plural, one {# row asks for a language that the template does not have. It gets the text of the template.} other {# rows ask for a language that the template does not have. They get the text of the template.}}',
            { rows: fellBack },
          )}
        </p>
      )}
    </Notice>
  );
}

type ProblemName = Parameters<typeof describeFileProblem>[1];

function CheckAgain({ path, children }: { path: string; children: string }) {
  return (
    <form class="row" method="post" action={pageUrl(`${path}/check`)}>
      <span>{children}</span>
      <button class="button button--small" type="submit">
        {t('Check again')}
      </button>
    </form>
  );
}

/** The table of problems has more of them. */
const maxNamed = 3;

/** Says why a service in trial mode cannot send the file, which rows are affected, and what to do. */
function TrialMode({ file: { forOthers, upload }, trialOptions }: { file: CheckedFile; trialOptions: TrialOptions }) {
  const { guestList, goLive, others } = trialOptions;
  return (
    <p>
      {t('Your service is in trial mode, so you can only send to your team and guest list.')}{' '}
      {describeOthers(forOthers, upload.row_count)}{' '}
      <T>
        <LinkIf to={guestList}>Add them to the guest list</LinkIf>, or <LinkIf to={goLive}>ask to go live</LinkIf>.
      </T>
      {others.map((sentence) => (
        <> {sentence}</>
      ))}
    </p>
  );
}

function describeOthers({ count: amount, rows }: CheckedFile['forOthers'], all: number): Text {
  const values = { count: amount, all, rows: joined(rows.slice(0, maxNamed).map(count), ', ') };
  return amount > maxNamed
    ? t('{count, plural, other {# of {all, number} rows are for other people: rows {rows} …}}', values)
    : t(
        '{count, plural, one {# of {all, number} rows is for somebody else: row {rows}.} other {# of {all, number} rows are for other people: rows {rows}.}}',
        values,
      );
}

function LinkIf({ to, children }: { to: string | undefined; children: ComponentChildren }) {
  return to === undefined ? <span>{children}</span> : <a href={pageUrl(to)}>{children}</a>;
}

const maxRowsNamed = 10;

/** Rows that can be sent, but may not be what was meant. */
export function RowWarnings({ file: { lossy, unclear, repeated }, path }: WarningsProps) {
  const rowUrl = (row: number) => pageUrl(`${path}?row=${row}#preview`);
  return (
    <>
      {lossy.count > 0 && (
        <section class="card stack stack--tight" aria-labelledby="lossy">
          <h2 id="lossy">
            {t(
              '{count, plural, one {# row has characters that texts cannot include} other {# rows have characters that texts cannot include}}',
              { count: lossy.count },
            )}
          </h2>
          <ul>
            {lossy.rows.map(({ row, characters }) => (
              <li key={row}>
                <a href={rowUrl(row)}>
                  <T>Row {{ row: count(row) }}</T>
                </a>
                : {describeLost(characters)}
              </li>
            ))}
          </ul>
          <FirstOf shown={lossy.rows.length} all={lossy.count} />
        </section>
      )}
      {unclear.count > 0 && (
        <section class="card stack stack--tight" aria-labelledby="unclear">
          <h2 id="unclear">
            {t(
              '{count, plural, one {# row has a value that is neither yes nor no} other {# rows have a value that is neither yes nor no}}',
              { count: unclear.count },
            )}
          </h2>
          <p>{t('It counts as no, so the optional text is left out.')}</p>
          <ul>
            {unclear.rows.map((row) => (
              <li key={row}>
                <a href={rowUrl(row)}>
                  <T>Row {{ row: count(row) }}</T>
                </a>
              </li>
            ))}
          </ul>
          <FirstOf shown={unclear.rows.length} all={unclear.count} />
        </section>
      )}
      {repeated.rows.length > 0 && (
        <section class="card stack stack--tight" aria-labelledby="repeated">
          <h2 id="repeated">{t('Duplicate recipients')}</h2>
          <p>
            {describeRepeated(repeated)} {t('Each row is sent.')}{' '}
            <a href={pageUrl(`${path}/duplicates.csv`)}>{t('Download them')}</a>
          </p>
          <ul>
            {repeated.rows.map((rows) => (
              <li key={rows[0]}>
                {rows.length > maxRowsNamed
                  ? t('Rows {rows} … have the same recipient.', {
                      rows: joined(rows.slice(0, maxRowsNamed).map(count), ', '),
                    })
                  : t('Rows {rowList} have the same recipient.', { rowList: rowList(rows) })}
              </li>
            ))}
          </ul>
          <FirstOf shown={repeated.rows.length} all={repeated.count} />
        </section>
      )}
    </>
  );
}

function describeRepeated({ count: recipients, rowCount }: CheckedFile['repeated']): string {
  return t(
    '{count, plural, one {# recipient is in this file more than once ({rows, plural, one {# row} other {# rows}}).} other {# recipients are in this file more than once ({rows, plural, one {# row} other {# rows}}).}}',
    { count: recipients, rows: rowCount },
  );
}

function FirstOf({ shown, all }: { shown: number; all: number }) {
  if (shown >= all) return null;
  return (
    <p class="small muted">
      <T>
        The first {{ shown: count(shown) }} of {{ all: count(all) }} are shown.
      </T>
    </p>
  );
}
