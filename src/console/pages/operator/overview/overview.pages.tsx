import { t } from '../../../../language/text.ts';
import { LiveChecks } from '../../../../operations/overview/live-checks.ts';
import { AcceptedRate, type Overview, readOverview } from '../../../../operations/overview/overview.ts';
import { reachable } from '../../../access/find-page.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import type { PageRequest, Pages } from '../../../page.ts';
import { Live, sendFragment } from '../../../parts/live.tsx';
import { ShortLivedCache } from '../../../short-lived-cache.ts';
import { OverviewContent } from './overview.tsx';
import { SystemContent } from './system.tsx';

/** Shorter than the polling interval of a page. */
const sharedFor_ms = 4_000;
/** Seconds. A provider that stops is shown within half a minute. */
const pace = { every: 5, atMost: 10 };

/** Current problems of the installation, what was done about them, and figures. */
export function overviewPages(pages: Pages, app: ConsoleApp): void {
  const watch = { checks: new LiveChecks(app), rate: new AcceptedRate() };
  const shared = new ShortLivedCache<Overview>(sharedFor_ms);
  const read = () => shared.get('', () => readOverview(app, watch));

  function content({ visitor }: PageRequest<'operator'>, overview: Overview) {
    return <OverviewContent overview={overview} link={(address) => reachable(pages.all, visitor.user, address)} />;
  }

  pages.add('/operator', {
    who: 'operator',
    menu: 'Overview',
    async show(request) {
      return {
        title: t('Overview'),
        actions: <span data-live-controls />,
        content: (
          <Live from={pageUrl('/operator/figures')} {...pace}>
            {content(request, await read())}
          </Live>
        ),
      };
    },
  });

  pages.add('/operator/figures', {
    who: 'operator',
    live: true,
    async show(request) {
      return sendFragment(request.http, request.reply, <div data-live>{content(request, await read())}</div>);
    },
  });

  pages.add('/operator/system', {
    who: 'operator',
    menu: 'System',
    async show() {
      return {
        title: t('System'),
        lead: t('The checks of “pennypost doctor”, in the process that serves this page.'),
        actions: <span data-live-controls />,
        content: (
          <Live from={pageUrl('/operator/system/checks')} {...pace}>
            <SystemContent overview={await read()} />
          </Live>
        ),
      };
    },
  });

  pages.add('/operator/system/checks', {
    who: 'operator',
    live: true,
    async show({ http: request, reply }) {
      const content = <SystemContent overview={await read()} />;
      return sendFragment(request, reply, <div data-live>{content}</div>);
    },
  });
}
