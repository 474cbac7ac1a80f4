import { emailSettings } from '../../../../branding/settings.ts';
import type { ProviderDescriptor } from '../../../../delivery/providers/descriptor.ts';
import { providerProblems, settingsOf } from '../../../../delivery/providers/settings.ts';
import { T } from '../../../../language/sentence.tsx';
import { t } from '../../../../language/text.ts';
import { printSettings, problemsOfPrinter } from '../../../../letters/settings.ts';
import type { Setting } from '../../../../platform/setting.ts';
import type { Settings } from '../../../../platform/setting-groups.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { Status } from '../../../parts/status.tsx';
import { Table } from '../../../parts/table.tsx';
import { Copy } from '../../../parts/text.tsx';
import { isInUse, isSandbox, type Provider } from './provider-parts.tsx';

/** The settings of a provider. They are only in the environment of the server: the console shows which are set, but never their values. */
interface SetUp {
  settings: Settings;
  values: Record<string, unknown>;
  /** The problems that a start would report if the provider were chosen and nothing else set. Each begins with a setting. */
  missing: string[];
  /** The lines that choose the provider. */
  choice: string[];
  /** The file name in docs/guides/providers, without extension. */
  guide: string | undefined;
}

export const printerGuide = 'sftp';

export function setUpOf(app: ConsoleApp, { notification_type: channel, identifier }: Provider): SetUp | undefined {
  if (channel === 'letter') {
    const missing = problemsOfPrinter({ handOff: 'sftp' });
    const values = app.config.letters;
    return { settings: printSettings, values, missing, choice: ['PRINT_HAND_OFF=sftp'], guide: printerGuide };
  }
  const provider = app.providers.find((one) => one.channel === channel && one.name === identifier);
  if (!provider) return undefined;
  return {
    settings: provider.settings,
    values: settingsOf(app.config, provider),
    missing: missingOf(provider),
    choice: [`${channel === 'sms' ? 'SMS' : 'EMAIL'}_PROVIDERS=${chosen(app, provider)}`, ...domainOf(app, provider)],
    guide: provider.guide,
  };
}

/**
 * Returns the providers of the channel, including this one. A real provider replaces the sandbox, which would otherwise keep its share of
 * the messages.
 */
function chosen({ config }: ConsoleApp, { channel, name }: ProviderDescriptor): string {
  return [...new Set([...config[channel].providers.filter((other) => other !== 'sandbox'), name])].join(',');
}

/** Returns the setting for the sender domain, because no mail server accepts emails from the default domain. */
function domainOf({ config }: ConsoleApp, { channel }: ProviderDescriptor): string[] {
  const { name, description, fallback } = emailSettings.domain;
  return channel === 'email' && config.email.domain === fallback ? [`${name}=${placeholderOf(description)}`] : [];
}

function missingOf(provider: ProviderDescriptor): string[] {
  const { channel, name, settings } = provider;
  const defaults = Object.fromEntries(Object.entries(settings).map(([key, { fallback }]) => [key, fallback]));
  const nobody = { sms: { providers: [] }, email: { providers: [] } };
  return providerProblems([provider], { ...nobody, [channel]: { providers: [name] }, providers: { [name]: defaults } });
}

function isNeeded({ missing }: SetUp, { name }: Setting<unknown>): boolean {
  return missing.some((problem) => problem.startsWith(`${name} `));
}

/** Returns the lines for the environment, with a placeholder for each value. */
function linesOf(setUp: SetUp): string[] {
  const needed = Object.values(setUp.settings).filter((setting) => isNeeded(setUp, setting));
  return [...setUp.choice, ...needed.map(({ name, description }) => `${name}=${placeholderOf(description)}`)];
}

/** Returns the example in the description, or its first words. */
function placeholderOf(description: string): string {
  return /for example `([^`]+)`/.exec(description)?.[1] ?? `<${description.replace(/[.,:;].*$/s, '')}>`;
}

interface SetUpProps {
  app: ConsoleApp;
  provider: Provider & { display_name: string };
  setUp: SetUp;
}

/** How to connect a provider that is not in use yet. */
export function HowToConnect({ app, provider, setUp }: SetUpProps) {
  const isConnected = provider.notification_type === 'letter' ? !isSandbox(app, provider) : isInUse(app, provider);
  if (isConnected) return null;
  return (
    <section class="card stack stack--tight" aria-labelledby="connect">
      <h2 id="connect">
        <T>How to connect {{ displayName: provider.display_name }}</T>
      </h2>
      <p>
        <T>
          Put these settings into the environment of every process of Pennypost, with your own values, and restart it. A
          secret can also be in a file: <code>NAME_FILE</code> instead of <code>NAME</code>. Then come back and send
          yourself a test.
        </T>
      </p>
      <div class="code code--wrapped">
        <pre id="settings-to-copy">{linesOf(setUp).join('\n')}</pre>
        <Copy of="settings-to-copy" what={t('the settings')} />
      </div>
    </section>
  );
}

/** Every setting of a provider, and whether it is set. */
export function SettingsOfProvider({ provider, setUp }: Omit<SetUpProps, 'app'>) {
  return (
    <section class="stack stack--tight" aria-labelledby="settings">
      <h2 id="settings">{t('Settings')}</h2>
      <p class="muted">
        <T>
          Settings come from the environment of the server. Values are not shown here: run <code>pennypost config</code>
          .
        </T>
      </p>
      <Table
        caption={t('Settings of {displayName}', { displayName: provider.display_name })}
        rows={Object.entries(setUp.settings)}
        keyOf={([key]) => key}
        columns={[
          { head: t('Setting'), cell: ([, { name }]) => <code>{name}</code> },
          { head: t('State'), cell: ([key, setting]) => stateOf(setUp, setting, setUp.values[key]) },
          {
            head: t('What it is'),
            cell: ([, { description }]) => <span lang="en">{description.replaceAll('`', '')}</span>,
          },
        ]}
      />
    </section>
  );
}

function stateOf(setUp: SetUp, setting: Setting<unknown>, value: unknown) {
  const isEmpty = value === undefined || setting.format(value) === '';
  if (isEmpty) return <Status kind="accepted">{isNeeded(setUp, setting) ? t('Needed') : t('Not set')}</Status>;
  const isDefault = setting.fallback !== undefined && setting.format(value) === setting.format(setting.fallback);
  return isDefault ? <Status kind="accepted">{t('Default')}</Status> : <Status kind="delivered">{t('Set')}</Status>;
}
