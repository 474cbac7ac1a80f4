import { countMessagesOfProviders, listProviderDetails } from '../../../../delivery/failover/provider-details.ts';
import { readProviderStates } from '../../../../delivery/failover/provider-states.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { Stamp } from '../../../parts/status.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import {
  healthOf,
  isInUse,
  providerAddress,
  providersPath,
  StateOfProvider,
  shareOf,
  sharesPath,
} from './provider-parts.tsx';
import { ProviderTabs } from './provider-tabs.tsx';

const channels = [
  { of: 'sms', stamp: 'text', title: 'Texts' },
  { of: 'email', stamp: 'email', title: 'Emails' },
  { of: 'letter', stamp: 'letter', title: 'Letters' },
] as const;

/** Who delivers messages, and how much each is given. */
export function providerListPages(pages: Pages, app: ConsoleApp): void {
  pages.add(providersPath, {
    who: 'operator',
    menu: 'Providers',
    async show({ visitor }) {
      const [all, messages, { states }] = await Promise.all([
        listProviderDetails(app),
        countMessagesOfProviders(app),
        readProviderStates(app),
      ]);
      const now = app.clock.now();
      const sentBy = (channel: string, name: string) =>
        messages.find(({ notification_type, provider }) => notification_type === channel && provider === name)
          ?.messages ?? 0;
      return {
        title: 'Providers',
        lead: 'Shares move by themselves when a provider fails or is slow, and come back after 15 quiet minutes.',
        content: (
          <div class="stack stack--loose">
            <ProviderTabs current="providers" />
            {channels.map(({ of, stamp, title }) => {
              const rows = all
                .filter(({ notification_type }) => notification_type === of)
                .sort((one, other) => Number(isInUse(app, other)) - Number(isInUse(app, one)));
              const mayShare = visitor.user.platform_admin && of !== 'letter' && app.config[of].providers.length > 1;
              return (
                <section key={of} class="stack stack--tight" aria-labelledby={`of-${of}`}>
                  <div class="row">
                    <Stamp channel={stamp} small />
                    <h2 id={`of-${of}`}>{title}</h2>
                    {mayShare && (
                      <a class="button button--small" href={`/console${sharesPath(of)}`}>
                        Change shares<span class="sr"> of {title.toLowerCase()}</span>
                      </a>
                    )}
                  </div>
                  <Table
                    caption={`Providers of ${title.toLowerCase()}`}
                    rows={rows}
                    keyOf={({ id }) => id}
                    middle
                    columns={[
                      {
                        head: 'Provider',
                        cell: ({ id, display_name }) => <a href={`/console${providerAddress(id)}`}>{display_name}</a>,
                      },
                      {
                        head: 'State',
                        cell: (provider) => <StateOfProvider app={app} provider={provider} states={states} />,
                      },
                      {
                        head: 'Share',
                        cell: (provider) => shareOf(app, provider, all),
                        numeric: true,
                      },
                      {
                        head: 'Within 5 min',
                        cell: (provider) => {
                          const share = healthOf(provider, states)?.in_time;
                          return share === undefined ? '–' : `${Math.round(share * 100)}%`;
                        },
                        numeric: true,
                      },
                      {
                        head: 'Last hour',
                        cell: (provider) => count(healthOf(provider, states)?.handed_over_last_hour ?? 0),
                        numeric: true,
                      },
                      {
                        head: 'This month',
                        cell: ({ identifier }) => count(sentBy(of, identifier)),
                        numeric: true,
                      },
                      {
                        head: 'Changed',
                        cell: ({ updated_at }) => (updated_at ? <Time at={updated_at} now={now} /> : 'Never'),
                      },
                    ]}
                  />
                </section>
              );
            })}
          </div>
        ),
      };
    },
  });
}
