import { earlier, minute_ms } from '../../../platform/clock.ts';
import { Notice } from '../../parts/notice.tsx';
import type { LoadedFile } from './load-file.ts';

const inWords = (count: number) => count.toLocaleString('en-GB');

/** A check takes seconds; a worker that ended is replaced within a minute. */
const expectedWithin_ms = 10 * minute_ms;

interface CheckingProps {
  file: Extract<LoadedFile, { kind: 'checking' }>;
  now: Date;
}

/** While a task checks the rows. Without script the link shows the progress. */
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
        {inWords(checkedRows)} of {inWords(upload.row_count)} rows are checked. You can leave this page and come back.
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
