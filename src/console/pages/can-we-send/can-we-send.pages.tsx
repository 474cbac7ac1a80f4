import { t } from '../../../language/text.ts';
import { notFound } from '../../../platform/failure.ts';
import {
  getDomainReadiness,
  getInstallationReadiness,
  getServiceReadiness,
  listReadyDomains,
} from '../../../sending-domains/readiness/readiness.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { settingsOf } from '../settings/service-setting.ts';
import { ReadinessCard } from './readiness-card.tsx';

const title = t('Can we send?');
const lead = t(
  'Gmail, Yahoo and Outlook refuse emails from senders that break their rules. These are the rules, and what we found.',
);
const operatorPath = '/operator/can-we-send';

/** Whether the large mailbox providers will accept our emails, and what to repair first. */
export function canWeSendPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/settings/email/can-we-send', {
    who: { service: ['manage', 'api'], readOnlyOperators: true },
    below: 'Settings',
    async show({ service }) {
      return {
        title,
        lead,
        crumbs: [{ label: t('Settings'), to: settingsOf(service) }],
        content: <ReadinessCard readiness={await getServiceReadiness(app, service.id)} />,
      };
    },
  });

  pages.add(operatorPath, {
    who: 'operator',
    below: 'Complaints',
    async show({ query }) {
      const domains = await listReadyDomains(app);
      const name = query('domain').toLowerCase();
      const chosen = domains.find((domain) => domain.name === name);
      if (name !== '' && !chosen) throw notFound();
      const readiness =
        chosen?.id === undefined ? await getInstallationReadiness(app) : await getDomainReadiness(app, chosen.id);
      return {
        title,
        lead,
        content: (
          <div class="stack">
            <ReadinessCard readiness={readiness} />
            {domains.length > 1 && (
              <nav aria-labelledby="other-domains">
                <h2 id="other-domains">{t('All domains')}</h2>
                <ul>
                  {domains.map((domain) => (
                    <li key={domain.name}>
                      <a
                        href={pageUrl(`${operatorPath}?domain=${encodeURIComponent(domain.name)}`)}
                        aria-current={domain.name === readiness.domain ? 'page' : undefined}
                      >
                        {domain.name}
                      </a>
                    </li>
                  ))}
                </ul>
              </nav>
            )}
          </div>
        ),
      };
    },
  });
}
