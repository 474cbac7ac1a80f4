import { type TString, Type } from 'typebox';
import {
  countMessagesOfProviders,
  listProviderDetails,
  setProviderShares,
} from '../../../../delivery/failover/provider-details.ts';
import { readProviderStates } from '../../../../delivery/failover/provider-states.ts';
import { T } from '../../../../language/sentence.tsx';
import { t } from '../../../../language/text.ts';
import { channels } from '../../../../protocol/channels.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { channelLabels, providerName } from '../../../message-labels.ts';
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
  isSandbox,
  NextMessage,
  type Provider,
  ProviderTabs,
  providerAddress,
  providersPath,
  StateOfProvider,
  shareOf,
  sharesPath,
} from './provider-parts.tsx';

/** The providers of each channel and their shares. */
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
      const isAdmin = visitor.user.platform_admin;
      const sentBy = (channel: string, name: string) =>
        messages.find(({ notification_type, provider }) => notification_type === channel && provider === name)
          ?.messages ?? 0;
      return {
        title: t('Providers'),
        lead: t(
          'Pennypost moves messages away from a provider that fails or is slow, and back again after 15 minutes without problems.',
        ),
        content: (
          <div class="stack stack--loose">
            <ProviderTabs current="providers" />
            {channels.map((of) => {
              const { stamp, names: title, plural: nouns } = channelLabels[of];
              const rows = all
                .filter(({ notification_type }) => notification_type === of)
                .sort((one, other) => Number(isInUse(app, other)) - Number(isInUse(app, one)));
              const canShare = isAdmin && of !== 'letter' && app.config[of].providers.length > 1;
              return (
                <section key={of} class="stack stack--tight" aria-labelledby={`of-${of}`}>
                  <div class="row">
                    <Stamp channel={stamp} />
                    <h2 id={`of-${of}`}>{title}</h2>
                    {canShare && (
                      <ButtonLink to={sharesPath(of)} small>
                        <T>
                          Change shares<span class="sr"> of {{ nouns }}</span>
                        </T>
                      </ButtonLink>
                    )}
                  </div>
                  <NextMessage app={app} channel={of} all={all} states={states} />
                  <p class="small muted">
                    <T>
                      Chosen in the environment of the server with <code>{{ of: choices[of](app) }}</code>
                    </T>
                  </p>
                  <Table
                    caption={t('Providers of {nouns}', { nouns })}
                    rows={rows}
                    keyOf={({ id }) => id}
                    middle
                    columns={[
                      {
                        head: t('Provider'),
                        cell: ({ id, display_name }) => <a href={pageUrl(providerAddress(id))}>{display_name}</a>,
                      },
                      {
                        head: t('State'),
                        cell: (provider) => <StateOfProvider app={app} provider={provider} states={states} />,
                      },
                      {
                        head: t('Share'),
                        cell: (provider) => shareOf(app, provider, all),
                        numeric: true,
                      },
                      {
                        head: t('Within 5 min'),
                        cell: (provider) => {
                          const share = healthOf(provider, states)?.in_time;
                          return share === undefined ? '–' : `${Math.round(share * 100)}%`;
                        },
                        numeric: true,
                      },
                      {
                        head: t('Last hour'),
                        cell: (provider) => count(healthOf(provider, states)?.handed_over_last_hour ?? 0),
                        numeric: true,
                      },
                      {
                        head: t('This month'),
                        cell: ({ identifier }) => count(sentBy(of, identifier)),
                        numeric: true,
                      },
                      {
                        head: t('Changed'),
                        cell: ({ updated_at }) => (updated_at ? <Time at={updated_at} now={now} /> : t('Never')),
                      },
                      {
                        head: t('Next step'),
                        hidden: true,
                        cell: (provider) => <NextStep app={app} provider={provider} isAdmin={isAdmin} />,
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

/** The setting that chooses the providers of a channel. */
const choices = {
  sms: ({ config }: ConsoleApp) => `SMS_PROVIDERS=${config.sms.providers.join(',')}`,
  email: ({ config }: ConsoleApp) => `EMAIL_PROVIDERS=${config.email.providers.join(',')}`,
  letter: ({ config }: ConsoleApp) => `PRINT_HAND_OFF=${config.letters.handOff}`,
};

interface NextStepProps {
  app: ConsoleApp;
  provider: Provider & { id: string; display_name: string };
  isAdmin: boolean;
}

/** A provider in use can be tested; for any other, links to how to connect it. */
function NextStep({ app, provider, isAdmin }: NextStepProps) {
  const { id, display_name, notification_type } = provider;
  if (!isInUse(app, provider) || (notification_type === 'letter' && isSandbox(app, provider))) {
    return (
      <ButtonLink to={`${providerAddress(id)}#connect`} small>
        <T>
          How to connect<span class="sr"> {{ displayName: display_name }}</span>
        </T>
      </ButtonLink>
    );
  }
  if (!isAdmin || notification_type === 'letter') return null;
  return (
    <ButtonLink to={`${providerAddress(id)}/test`} small>
      <T>
        Send a test to me<span class="sr"> through {{ displayName: display_name }}</span>
      </T>
    </ButtonLink>
  );
}

/** Changes the shares of the providers of a channel. */
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
          title: t('Shares of {plural}', { plural: channelLabels[channel].plural }),
          lead: t('Enter numbers from 0 to 100 that add up to 100. Pennypost returns to these shares after a failure.'),
          crumbs: [{ label: t('Providers'), to: providersPath }],
          content: (
            <SaveForm back={providersPath}>
              {names.map((name) => (
                <NumberField
                  key={name}
                  formState={formState}
                  name={fieldOf(name)}
                  label={t('{providerName}, per cent', { providerName: providerName(name) })}
                  value={currentShare(name) ?? 0}
                />
              ))}
              <Field
                formState={formState}
                name="reason"
                label={t('Reason')}
                hint={t('Shown in the history.')}
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
        ...Object.fromEntries(names.map((name) => [fieldOf(name), t('Enter a number from 0 to 100.')])),
        reason: t('Enter a reason.'),
      },
      async act({ visitor }, form) {
        const shares = new Map(names.map((name) => [name, readShare(form[fieldOf(name)] ?? '', fieldOf(name))]));
        const why = { reason: form.reason ?? '', created_by_id: visitor.user.id };
        await setProviderShares(app, channel, shares, why);
        return { to: providersPath, notice: t('Shares saved.') };
      },
    });
  }
}

const fieldOf = (name: string) => `share_${name}`;

function readShare(text: string, field: string): number {
  return readNumber(text, { field, max: 100, plain: true });
}
