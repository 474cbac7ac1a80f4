import { Status } from '../../parts/status.tsx';
import { Turn } from '../../parts/turn.tsx';
import { MessagePreview } from '../send/message-preview.tsx';
import type { CheckedFile } from './load-file.ts';

/** Any row of the file: its message, or what is wrong with it. */
export function RowCard({ file: { shown, upload }, path }: { file: CheckedFile; path: string }) {
  if (!shown) return null;
  const { row, cells, problems, preview, message } = shown;
  return (
    <section class="card stack stack--tight" aria-labelledby="row" id="preview">
      <div class="card-head">
        <h2 id="row">Row {row.toLocaleString('en-GB')}</h2>
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
