import { pageUrl } from '../../links.ts';
import { count } from '../../money.ts';
import { Notice } from '../../parts/notice.tsx';
import { useViewer } from '../../viewer.ts';
import { describeLost } from '../send/lost-characters.ts';
import type { CheckedFile } from './load-file.ts';
import { describeFileProblem, rowList } from './problem-words.ts';

/** What a person can do about trial mode, and whom to ask for the rest. */
export interface WaysOut {
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

/** What is wrong with the file as a whole, and what to look at before it is sent. */
export function FileWarnings({ file, path, waysOut }: WarningsProps & { waysOut: WaysOut }) {
  const { country } = useViewer();
  const { record, upload, template } = file;
  const sentences = Object.keys(record.problem_counts)
    .filter((problem) => problem !== 'row-errors' && !(problem === 'not-allowed-to-send-to' && waysOut.isTrial))
    .map((problem) => describeFileProblem(country, problem as ProblemWord, record, upload.summary?.max_rows ?? 0))
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
          {waysOut.goLive !== undefined && Object.hasOwn(record.problem_counts, 'letters-in-trial-mode') && (
            <a href={pageUrl(waysOut.goLive)}>Ask to go live</a>
          )}
        </Notice>
      )}
      {file.forOthers.count > 0 && (
        <Notice tone="red">
          <div class="stack stack--tight">
            {waysOut.isTrial && <TrialMode file={file} waysOut={waysOut} />}
            <CheckAgain path={path}>Has the guest list or the service changed since the check?</CheckAgain>
          </div>
        </Notice>
      )}
      {template.row.version !== upload.template_version && (
        <Notice tone="amber">
          <CheckAgain path={path}>The template has changed since the file was checked.</CheckAgain>
        </Notice>
      )}
      {record.sent_before && (
        <Notice tone="amber">
          You have sent this file with this template before. Send it again only if you mean to.
        </Notice>
      )}
      {record.encoding !== null && !/^utf-?(8|16)/i.test(record.encoding) && (
        <Notice tone="amber">
          The file is not UTF-8, so we read it as {record.encoding}. Check letters with accents in the preview.
        </Notice>
      )}
    </>
  );
}

type ProblemWord = Parameters<typeof describeFileProblem>[1];

function CheckAgain({ path, children }: { path: string; children: string }) {
  return (
    <form class="row" method="post" action={pageUrl(`${path}/check`)}>
      <span>{children}</span>
      <button class="button button--small" type="submit">
        Check again
      </button>
    </form>
  );
}

/** The table of problems has more of them. */
const maxNamed = 3;

/** Why a service in trial mode cannot send the file, which rows are meant, and the ways out. */
function TrialMode({ file: { forOthers, upload }, waysOut }: { file: CheckedFile; waysOut: WaysOut }) {
  const { guestList, goLive, others } = waysOut;
  return (
    <p>
      Your service is in trial mode, so you can only send to your team and guest list.{' '}
      {describeOthers(forOthers, upload.row_count)} <LinkIf to={guestList}>Add them to the guest list</LinkIf>, or{' '}
      <LinkIf to={goLive}>ask to go live</LinkIf>.{others.map((sentence) => ` ${sentence}`)}
    </p>
  );
}

function describeOthers({ count: amount, rows }: CheckedFile['forOthers'], all: number): string {
  const named = rows.slice(0, maxNamed).map(count).join(', ');
  if (amount === 1) return `1 of ${count(all)} rows is for somebody else: row ${named}.`;
  const people = `${count(amount)} of ${count(all)} rows are for other people`;
  return amount > maxNamed ? `${people}: rows ${named} …` : `${people}: rows ${named}.`;
}

function LinkIf({ to, children }: { to: string | undefined; children: string }) {
  return to === undefined ? <span>{children}</span> : <a href={pageUrl(to)}>{children}</a>;
}

const maxTwins = 10;

/** Rows that can be sent, but may not be what was meant. */
export function RowWarnings({ file: { lossy, repeated }, path }: WarningsProps) {
  const rowUrl = (row: number) => pageUrl(`${path}?row=${row}#preview`);
  return (
    <>
      {lossy.count > 0 && (
        <section class="card stack stack--tight" aria-labelledby="lossy">
          <h2 id="lossy">
            {lossy.count === 1
              ? '1 row has characters that texts cannot include'
              : `${count(lossy.count)} rows have characters that texts cannot include`}
          </h2>
          <ul>
            {lossy.rows.map(({ row, characters }) => (
              <li key={row}>
                <a href={rowUrl(row)}>Row {count(row)}</a>: {describeLost(characters)}
              </li>
            ))}
          </ul>
          <FirstOf shown={lossy.rows.length} all={lossy.count} />
        </section>
      )}
      {repeated.rows.length > 0 && (
        <section class="card stack stack--tight" aria-labelledby="repeated">
          <h2 id="repeated">Duplicate recipients</h2>
          <ul>
            {repeated.rows.map((rows) => (
              <li key={rows[0]}>
                {rows.length > maxTwins
                  ? `Rows ${rows.slice(0, maxTwins).map(count).join(', ')} … have the same recipient.`
                  : `Rows ${rowList(rows)} have the same recipient.`}
              </li>
            ))}
          </ul>
          <FirstOf shown={repeated.rows.length} all={repeated.count} />
        </section>
      )}
    </>
  );
}

function FirstOf({ shown, all }: { shown: number; all: number }) {
  if (shown >= all) return null;
  return (
    <p class="small muted">
      The first {count(shown)} of {count(all)} are shown.
    </p>
  );
}
