import { type TString, Type } from 'typebox';
import {
  countMessagesOfProviders,
  listProviderDetails,
  setProviderShares,
} from '../../../../delivery/failover/provider-details.ts';
import { readProviderStates } from '../../../../delivery/failover/provider-states.ts';
import { channels } from '../../../../protocol/channels.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { channelWords, providerName } from '../../../message-words.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { Field } from '../../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../../parts/form.tsx';
import { Stamp } from '../../../parts/status.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { NumberField, readNumber, TypedValue } from '../../../parts/value-fields.tsx';
import {
  healthOf,
  isInUse,
  ProviderTabs,
  providerAddress,
  providersPath,
  StateOfProvider,
  shareOf,
  sharesPath,
} from './provider-parts.tsx';

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
            {channels.map((of) => {
              const { stamp, names: title, plural: nouns } = channelWords[of];
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
                      <ButtonLink to={sharesPath(of)} small>
                        Change shares<span class="sr"> of {nouns}</span>
                      </ButtonLink>
                    )}
                  </div>
                  <Table
                    caption={`Providers of ${nouns}`}
                    rows={rows}
                    keyOf={({ id }) => id}
                    middle
                    columns={[
                      {
                        head: 'Provider',
                        cell: ({ id, display_name }) => <a href={pageUrl(providerAddress(id))}>{display_name}</a>,
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

/** How much of a channel each provider is given. */
export function providerSharePages(pages: Pages, app: ConsoleApp): void {
  for (const channel of ['sms', 'email'] as const) {
    const names = app.config[channel].providers;
    pages.add(sharesPath(channel), {
      who: 'platform-admin',
      below: 'Providers',
      async show(_asked, formState) {
        const providers = await listProviderDetails(app);
        const currentShare = (name: string) =>
          providers.find(({ notification_type, identifier }) => notification_type === channel && identifier === name)
            ?.priority;
        return {
          title: `Shares of ${channelWords[channel].plural}`,
          lead: 'From 0 to 100 each, 100 together. They are also the shares that come back after a failure.',
          crumbs: [{ label: 'Providers', to: providersPath }],
          content: (
            <SaveForm back={providersPath}>
              {names.map((name) => (
                <NumberField
                  key={name}
                  formState={formState}
                  name={fieldOf(name)}
                  label={`${providerName(name)}, per cent`}
                  value={currentShare(name) ?? 0}
                />
              ))}
              <Field
                formState={formState}
                name="reason"
                label="Reason"
                hint="Shown in the history."
                autocomplete="off"
              />
            </SaveForm>
          ),
        };
      },
      form: Type.Object<Record<string, TString>>({
        ...Object.fromEntries(names.map((name) => [fieldOf(name), TypedValue])),
        reason: Type.String({ minLength: 1, maxLength: 1000 }),
      }),
      needs: {
        ...Object.fromEntries(names.map((name) => [fieldOf(name), 'Enter a number from 0 to 100.'])),
        reason: 'Enter a reason.',
      },
      async act({ visitor }, form) {
        const shares = new Map(names.map((name) => [name, readShare(form[fieldOf(name)] ?? '', fieldOf(name))]));
        const why = { reason: form.reason ?? '', created_by_id: visitor.user.id };
        await setProviderShares(app, channel, shares, why);
        return { to: providersPath, notice: `The shares of ${channelWords[channel].plural} are changed.` };
      },
    });
  }
}

const fieldOf = (name: string) => `share_${name}`;

function readShare(text: string, field: string): number {
  return readNumber(text, { field, max: 100, plain: true });
}
