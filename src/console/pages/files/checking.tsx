import type { LoadedFile } from './load-file.ts';

const inWords = (count: number) => count.toLocaleString('en-GB');

/** While a task checks the rows. Without script the link shows the progress. */
export function Checking({ file: { upload, checkedRows } }: { file: Extract<LoadedFile, { kind: 'checking' }> }) {
  return (
    <div class="stack measure">
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
