import type { ComponentChildren } from 'preact';
import { type Text, t } from '../../language/text.ts';
import { Icon } from '../layout/icon.tsx';

interface PagerProps {
  /** Such as "1 to 50 of 15,803". */
  shown: Text;
  newer: string | undefined;
  older: string | undefined;
  /** The words on the links, for lists that are not ordered by time. */
  words?: [newer: Text, older: Text];
}

/** Links to the neighbouring pages of a list. One that leads nowhere is shown as such. */
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

/** How many rows a page of a list has. */
export const pageSize = 50;

/** The number in the address; anything else is the first page. */
export function pageNumber(query: string): number {
  return /^[1-9]\d{0,3}$/.test(query) ? Number(query) : 1;
}

interface OffsetPagerProps {
  page: number;
  total: number;
  /** The URL of another page. */
  to(page: number): string;
  size?: number;
  /** The newest first; otherwise the list is ordered by name. */
  byTime?: boolean;
  /** Also when everything is on one page. */
  always?: boolean;
}

/** The links of a list whose pages have numbers. */
export function OffsetPager({ page, total, to, size = pageSize, byTime, always }: OffsetPagerProps) {
  if (total <= size && page === 1 && !always) return null;
  const first = (page - 1) * size + 1;
  const last = Math.min(total, page * size);
  return (
    <Pager
      shown={
        first > total
          ? t('Nothing on this page; {total, number} in all', { total })
          : t('{first, number} to {last, number} of {total, number}', { first, last, total })
      }
      newer={page > 1 ? to(page - 1) : undefined}
      older={last < total ? to(page + 1) : undefined}
      words={byTime ? [t('Newer'), t('Older')] : [t('Previous'), t('Next')]}
    />
  );
}

interface OlderPagerProps {
  /** Those of this page, the newest first. */
  rows: readonly { id: string }[];
  /** Such as "12 callbacks". */
  shown: Text;
  /** The last id of the page before, from the address. */
  olderThan: string | undefined;
  /** The URL of the page with older rows, or of the first page. */
  to(olderThan?: string): string;
  /** Whether there are older rows. Default: the page is full. */
  hasOlder?: boolean;
}

/** The links of a list that grows while it is read: a page begins after the last row of the page before. */
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

interface TurnProps {
  /** Undefined at the end of the row of things. */
  to: string | undefined;
  icon: 'left' | 'right';
  label: Text;
}

/** Leads to the page or row before or after the one that is shown. */
export function Turn({ to, icon, label }: TurnProps) {
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
