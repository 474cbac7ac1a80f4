import type { InStores } from '../stores/stores.ts';
import { type Asked, type DeclaredPage, type PageModule, Pages } from './page.ts';

/**
 * The same pages for all stores: each request is answered by the application of its service's store. With one store these are the
 * pages themselves.
 */
export function pagesByStore<App extends InStores<App>>(module: PageModule<App>): PageModule<App> {
  return (pages, app) => {
    const { stores } = app;
    if (stores.isOne) return module(pages, app);
    const declared = new Map(stores.all.map((one) => [one, declare(module, pages, one)]));
    const pageFor = async ({ service }: Asked, index: number): Promise<DeclaredPage> => {
      const one = service ? await stores.of(service.id) : stores.main;
      return declared.get(one)?.[index] as DeclaredPage;
    };
    for (const [index, page] of declare(module, pages, stores.main).entries()) {
      const { act } = page;
      pages.declare({
        ...page,
        show: async (asked, draft) => (await pageFor(asked, index)).show(asked, draft),
        ...(act && {
          act: async (asked, form, file) => (await pageFor(asked, index)).act?.(asked, form, file) as never,
        }),
      });
    }
  };
}

/** Those that a module declares for one application. It sees the pages of all modules, as when it declares them itself. */
class OwnPages extends Pages {
  readonly own: DeclaredPage[] = [];

  override declare(page: DeclaredPage): void {
    this.own.push(page);
  }
}

function declare<App>(module: PageModule<App>, { all }: Pages, app: App): readonly DeclaredPage[] {
  const pages = new OwnPages(all);
  module(pages, app);
  return pages.own;
}
