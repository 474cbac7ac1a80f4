import { Pager } from '../../parts/pager.tsx';
import { Time } from '../../parts/time.tsx';
import { shownNumber } from './shown-number.ts';

interface InboxProps {
  texts: { id: string; user_number: string; content: string; created_at: string }[];
  page: number;
  hasNext: boolean;
  path: string;
  now: Date;
  /** Whether people can send texts to the service. */
  hasNumber: boolean;
}

/** One entry for each number; also a fragment. */
export function Inbox({ texts, page, hasNext, path, now, hasNumber }: InboxProps) {
  if (texts.length === 0) {
    return (
      <div class="empty">
        <h2>No texts received</h2>
        <p>
          {hasNumber
            ? 'Texts that people send to the number of your service appear here for a week.'
            : 'Your service does not receive texts yet. A person who manages it can start it in the settings.'}
        </p>
      </div>
    );
  }
  return (
    <div class="stack">
      <ul class="inbox card card--flush">
        {texts.map(({ id, user_number, content, created_at }) => (
          <li key={id}>
            <a href={`${path}/${id}`}>
              <span />
              <span>
                <b>{shownNumber(user_number)}</b>
              </span>
              <Time at={created_at} now={now} />
              <span class="preview">{content}</span>
            </a>
          </li>
        ))}
      </ul>
      {(page > 1 || hasNext) && (
        <Pager
          shown={`Page ${page}`}
          newer={page > 1 ? `${path}?page=${page - 1}` : undefined}
          older={hasNext ? `${path}?page=${page + 1}` : undefined}
        />
      )}
    </div>
  );
}
