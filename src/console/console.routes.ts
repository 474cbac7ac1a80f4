import type { Http } from '../platform/http/surface.ts';
import type { ConsoleApp } from './console-app.ts';
import { assetRoutes } from './layout/assets.ts';
import { withOwnLinks } from './own-links.ts';
import { servePages } from './serve-pages.ts';

export function consoleRoutes(http: Http, served: ConsoleApp): void {
  const app = withOwnLinks(served);
  assetRoutes(http);
  servePages(http, app, async () => {
    const { collectPages } = await import('./collect-pages.ts');
    return collectPages(app);
  });
}
