import { authSettings } from './auth/settings.ts';
import { brandingSettings, emailSettings } from './branding/settings.ts';
import { clientSettings } from './commands/settings.ts';
import { consoleSettings } from './console/settings.ts';
import type { LoadedCountry } from './countries/loading/load-country.ts';
import type { ProviderDescriptor } from './delivery/providers/descriptor.ts';
import { providers } from './delivery/providers/providers.ts';
import { emailProviders, providerGroups, smsProviders } from './delivery/providers/settings.ts';
import { type DemoSettings, deliverySettings, demoSettings, receiptSettings } from './delivery/settings.ts';
import { optOutSettings } from './inbound/opt-outs/settings.ts';
import { inletSettings } from './inlet/settings.ts';
import { bulkSettings } from './jobs/settings.ts';
import type { Languages } from './language/languages.ts';
import { pdfSettings, printSettings } from './letters/settings.ts';
import { guardSettings, readLimitSettings, windowSettings } from './notifications/settings.ts';
import { type CountrySettings, countrySettings } from './operations/country/settings.ts';
import { metricsSettings, retentionSettings } from './operations/settings.ts';
import { type GroupValues, group } from './platform/setting-groups.ts';
import {
  databaseSettings,
  drainSettings,
  encryptionSettings,
  httpSettings,
  logSettings,
  objectStoreSettings,
  storageSettings,
  taskSettings,
  tracingSettings,
  type Urls,
  urlSettings,
} from './platform/settings.ts';
import { frontEndSettings, publicApiSettings } from './protocol/settings.ts';
import { domainSettings } from './sending-domains/settings.ts';
import { type CallbackSettings, callbackSettings, textSenderSettings } from './services/settings.ts';
import { templateSettings } from './templates/settings.ts';
import { singleSignOnSettings } from './users/sign-in/single-sign-on/settings.ts';

/** Every setting except those of providers, in the order of docs/configuration.md and .env.example. */
const groups = {
  http: group('HTTP', { ...httpSettings, ...readLimitSettings, ...drainSettings }),
  urls: group('Public URLs', urlSettings),
  country: group('Country', countrySettings),
  api: group('Public API', publicApiSettings),
  frontEnd: group('Front end of GOV.UK Notify', frontEndSettings),
  console: group('Console', consoleSettings),
  singleSignOn: group('Single sign-on', singleSignOnSettings),
  auth: group('Authentication', { ...authSettings, ...metricsSettings }),
  encryption: group('Encryption', encryptionSettings),
  database: group('Database', databaseSettings),
  storage: group('Storage', { ...storageSettings, ...retentionSettings }),
  s3: group('Object store (S3)', objectStoreSettings),
  log: group('Log', logSettings),
  tracing: group('Tracing', tracingSettings),
  worker: group('Background tasks', { ...taskSettings, ...pdfSettings }),
  sms: group('Text messages', { providers: smsProviders(providers), ...textSenderSettings, ...receiptSettings }),
  email: group('Email', { providers: emailProviders(providers), ...emailSettings }),
  inlet: group('Emails from other software', inletSettings),
  domains: group('Sending domains', domainSettings),
  branding: group('Branding', brandingSettings),
  letters: group('Letters', printSettings),
  delivery: group('Delivery', deliverySettings),
  templates: group('Templates', templateSettings),
  bulk: group('Files of recipients', bulkSettings),
  guard: group('Bounces and complaints', guardSettings),
  windows: group('Sending times', windowSettings),
  optOuts: group('Replies such as STOP', optOutSettings),
  callbacks: group('Service callbacks', callbackSettings),
  demo: group('Demo', demoSettings),
  client: group('Commands that call a server', clientSettings),
};

/** The settings of each provider are in its descriptor. */
const groupsOfProviders = providerGroups(providers);

export type Config = Omit<GroupValues<typeof groups>, 'callbacks' | 'country' | 'demo' | 'urls'> & {
  country: CountrySettings & Pick<LoadedCountry, 'profile' | 'sources'> & { offered: Languages };
  urls: Urls;
  callbacks: CallbackSettings;
  demo: DemoSettings;
  providers: GroupValues<typeof groupsOfProviders>;
};

/** Returns every setting. If `list` is given, includes the settings of those providers instead. */
export function settingGroups(list: readonly ProviderDescriptor[] = providers) {
  const { sms, email } = groups;
  return {
    general: {
      ...groups,
      sms: group(sms.title, { ...sms.settings, providers: smsProviders(list) }),
      email: group(email.title, { ...email.settings, providers: emailProviders(list) }),
    },
    ofProviders: providerGroups(list) as typeof groupsOfProviders,
  };
}
