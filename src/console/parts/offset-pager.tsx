import { count } from '../money.ts';
import { Pager } from './pager.tsx';

/** Rows of a page of the lists below. */
export const pageSize = 50;

/** The number in the address; anything else is the first page. */
export function pageNumber(query: string): number {
  return /^[1-9]\d{0,3}$/.test(query) ? Number(query) : 1;
}

interface OffsetPagerProps {
  page: number;
  total: number;
  /** The address of another page. */
  to(page: number): string;
}

/** Pages of a list that is ordered by name. */
export function OffsetPager({ page, total, to }: OffsetPagerProps) {
  if (total <= pageSize && page === 1) return null;
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(total, page * pageSize);
  return (
    <Pager
      shown={
        first > total
          ? `Nothing on this page; ${count(total)} in all`
          : `${count(first)} to ${count(last)} of ${count(total)}`
      }
      newer={page > 1 ? to(page - 1) : undefined}
      older={last < total ? to(page + 1) : undefined}
      words={['Previous', 'Next']}
    />
  );
}
