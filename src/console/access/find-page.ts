import createRouter from 'find-my-way';
import { pageUrl } from '../links.ts';
import type { DeclaredPage } from '../page.ts';
import { may } from './may.ts';

interface FoundPage {
  page: DeclaredPage;
  params: Record<string, string>;
}

/** Cached per list, because a list of pages does not change once it is in use. */
const routers = new WeakMap<readonly DeclaredPage[], ReturnType<typeof routerOf>>();

/**
 * Finds the page for a path below /console; ignores the query. A fixed segment takes precedence over a parameter, and ids that are not
 * UUIDs match no page.
 */
export function findPage(pages: readonly DeclaredPage[], address: string): FoundPage | undefined {
  const router = routers.get(pages) ?? routerOf(pages);
  routers.set(pages, router);
  // A raw hash would end the path.
  const path = address.split('?', 1)[0]?.replaceAll('#', '%23');
  const found = router.find('GET', `/${path}`);
  return found ? { page: found.store, params: found.params as Record<string, string> } : undefined;
}

const uuid = '(^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$)';

function routerOf(pages: readonly DeclaredPage[]) {
  const router = createRouter({
    ignoreDuplicateSlashes: true,
    ignoreTrailingSlash: true,
    maxParamLength: 10_000,
    allowUnsafeRegex: true,
  });
  for (const page of pages) router.on('GET', `/${page.path.replaceAll(/:\w+_id\b/g, `$&${uuid}`)}`, () => {}, page);
  return router;
}

type Visitor = Parameters<typeof may>[1];
type Service = Parameters<typeof may>[2];

/** Returns the URL of a page below /console if it exists and the visitor may open it. */
export function reachable(
  pages: readonly DeclaredPage[],
  visitor: Visitor,
  address: string,
  service?: Service,
): string | undefined {
  const page = findPage(pages, address)?.page;
  return page && may(page.who, visitor, service) === 'yes' ? pageUrl(address) : undefined;
}
