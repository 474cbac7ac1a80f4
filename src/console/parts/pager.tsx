import type { ComponentChildren } from 'preact';
import { type Text, t } from '../../language/text.ts';
import { Icon } from '../layout/icon.tsx';

interface PagerProps {
  /** Such as "1 to 50 of 15,803". */
  shown: Text;
  newer: string | undefined;
  older: string | undefined;
  /** The labels of the links, for lists that are not ordered by time. */
  words?: [newer: Text, older: Text];
}

/** Links to the previous and next pages of a list. A link without a target is shown as disabled. */
export function Pager({ shown, newer, older, words = [t('Newer'), t('Older')] }: PagerProps) {
  return (
    <nav class="pages" aria-label={t('Pages')}>
      <span>{shown}</span>
      <span class="row">
        <Step to={newer} rel="prev">
          <Icon name="left" small />
          {words[0]}
        </Step>
        <Step to={older} rel="next">
          {words[1]}
          <Icon name="right" small />
        </Step>
      </span>
    </nav>
  );
}

function Step({ to, rel, children }: { to: string | undefined; rel: string; children: ComponentChildren }) {
  if (to === undefined) {
    return (
      <button class="button button--small" type="button" disabled>
        {children}
      </button>
    );
  }
  return (
    <a class="button button--small" href={to} rel={rel}>
      {children}
    </a>
  );
}

/** The number of rows per page. */
export const pageSize = 50;

/** Parses the page number in the URL; anything else is the first page. */
export function pageNumber(query: string): number {
  return /^[1-9]\d{0,3}$/.test(query) ? Number(query) : 1;
}

interface OffsetPagerProps {
  page: number;
  total: number;
  /** The URL of another page. */
  to(page: number): string;
  size?: number;
  /** Newest first; otherwise the list is ordered by name. */
  byTime?: boolean;
  /** Shown even if everything is on one page. */
  always?: boolean;
}

/** Links of a list with numbered pages. */
export function OffsetPager({ page, total, to, size = pageSize, byTime, always }: OffsetPagerProps) {
  if (total <= size && page === 1 && !always) return null;
  const first = (page - 1) * size + 1;
  const last = Math.min(total, page * size);
  return (
    <Pager
      shown={
        first > total
          ? t('Nothing on this page; {total, number} in total', { total })
          : t('{first, number} to {last, number} of {total, number}', { first, last, total })
      }
      newer={page > 1 ? to(page - 1) : undefined}
      older={last < total ? to(page + 1) : undefined}
      words={byTime ? [t('Newer'), t('Older')] : [t('Previous'), t('Next')]}
    />
  );
}

interface OlderPagerProps {
  /** The rows of this page, newest first. */
  rows: readonly { id: string }[];
  /** Such as "12 callbacks". */
  shown: Text;
  /** The last id of the previous page, from the URL. */
  olderThan: string | undefined;
  /** Returns the URL of the page with older rows, or of the first page. */
  to(olderThan?: string): string;
  /** Whether there are older rows. By default, if the page is full. */
  hasOlder?: boolean;
}

/** Links of a list that grows while it is read: a page begins after the last row of the previous page. */
export function OlderPager({ rows, shown, olderThan, to, hasOlder = rows.length === pageSize }: OlderPagerProps) {
  const last = hasOlder ? rows.at(-1)?.id : undefined;
  if (last === undefined && olderThan === undefined) return null;
  return (
    <Pager
      shown={shown}
      newer={olderThan === undefined ? undefined : to()}
      older={last === undefined ? undefined : to(last)}
    />
  );
}

interface ArrowLinkProps {
  /** Undefined at either end. */
  to: string | undefined;
  icon: 'left' | 'right';
  label: Text;
}

/** Links to the previous or next page or row. */
export function ArrowLink({ to, icon, label }: ArrowLinkProps) {
  const content = (
    <>
      <Icon name={icon} />
      <span class="sr">{label}</span>
    </>
  );
  if (to === undefined) {
    return (
      <button class="button button--icon button--small" type="button" disabled>
        {content}
      </button>
    );
  }
  return (
    <a class="button button--icon button--small" href={to}>
      {content}
    </a>
  );
}
