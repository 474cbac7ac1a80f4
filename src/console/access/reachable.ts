import type { DeclaredPage } from '../page.ts';
import { findPage } from './find-page.ts';
import { may } from './may.ts';

type Visitor = Parameters<typeof may>[1];
type Service = Parameters<typeof may>[2];

/** The address of a page below /console, if there is one and the visitor may open it. */
export function reachable(
  pages: readonly DeclaredPage[],
  visitor: Visitor,
  address: string,
  service?: Service,
): string | undefined {
  const page = findPage(pages, address)?.page;
  return page && may(page.who, visitor, service) === 'yes' ? `/console${address}` : undefined;
}
