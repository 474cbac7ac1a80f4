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
    const declared = new Map(stores.all.map((one) => [one, declare(module, one)]));
    const pageFor = async ({ service }: Asked, index: number): Promise<DeclaredPage> => {
      const one = service ? await stores.of(service.id) : stores.main;
      return declared.get(one)?.[index] as DeclaredPage;
    };
    for (const [index, page] of declare(module, stores.main).entries()) {
      const { act } = page;
      pages.all.push({
        ...page,
        show: async (asked, draft) => (await pageFor(asked, index)).show(asked, draft),
        ...(act && {
          act: async (asked, form, file) => (await pageFor(asked, index)).act?.(asked, form, file) as never,
        }),
      });
    }
  };
}

function declare<App>(module: PageModule<App>, app: App): readonly DeclaredPage[] {
  const pages = new Pages();
  module(pages, app);
  return pages.all;
}
