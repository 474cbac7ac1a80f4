import type { InboxMessage } from '../../../delivery/sandbox/inbox.ts';
import { Turn } from '../../parts/turn.tsx';
import { shortRecipient } from './inbox-list.tsx';
import { type ListQuery, listUrl } from './list-query.ts';

/** The pages that the printer gets, as pictures. */
export function LetterReader({ message, list }: { message: InboxMessage; list: ListQuery }) {
  const { id, page_count: count } = message;
  if (count === null) {
    return (
      <div class="desk">
        <p>The letter is not drawn yet. It takes a second: load the page again.</p>
      </div>
    );
  }
  const page = Math.min(list.page, count);
  return (
    <>
      <div class="toolbar reader-bar">
        <div class="row">
          <Turn
            to={page > 1 ? listUrl(`/${id}`, list, { page: page - 1 }) : undefined}
            icon="left"
            label="Page before"
          />
          <span>
            Page {page} of {count}
          </span>
          <Turn
            to={page < count ? listUrl(`/${id}`, list, { page: page + 1 }) : undefined}
            icon="right"
            label="Next page"
          />
        </div>
        <div class="row row--end">
          <a href={`/console/sandbox/letters/${id}/pdf`} download>
            Download PDF
          </a>
        </div>
      </div>
      <div class="desk">
        <img
          class="sheet"
          src={`/console/sandbox/letters/${id}/pages/${page}`}
          alt={`Page ${page} of ${count} of the letter to ${shortRecipient(message)}`}
          width="595"
          height="842"
        />
      </div>
    </>
  );
}
