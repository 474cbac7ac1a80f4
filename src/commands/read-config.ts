import { resolve } from 'node:path';
import { type Config, settingGroups } from '../config.ts';
import { type LoadedCountry, loadCountry } from '../countries/loading/load-country.ts';
import type { ProviderDescriptor } from '../delivery/providers/descriptor.ts';
import { providers } from '../delivery/providers/providers.ts';
import { providerProblems } from '../delivery/providers/settings.ts';
import { isAllSandbox } from '../delivery/sandbox/sandbox.ts';
import { problemsOfInlet } from '../inlet/settings.ts';
import type { Languages } from '../language/languages.ts';
import { loadLanguages } from '../language/load-languages.ts';
import { problemsOfPrinter } from '../letters/settings.ts';
import type { CountrySettings } from '../operations/country/settings.ts';
import { isLoopback, isLoopbackName } from '../platform/http/networks.ts';
import { type GeneratedSecret, generatedSecret, problemsOfSecrets } from '../platform/secrets/generated-secrets.ts';
import { ConfigurationError, problemsOfPartlySet, readGroups } from '../platform/setting-groups.ts';
import { httpSettings } from '../platform/settings.ts';
import { problemsOfFrontEnd } from '../protocol/settings.ts';
import { problemsOfSingleSignOn } from '../users/sign-in/single-sign-on/settings.ts';

interface ReadOptions {
  shortKeysMayRead?: boolean;
  providers?: readonly ProviderDescriptor[];
}

/** Reads the environment. On first start in a data folder, generates the secrets that are not configured. */
export function readConfig(
  environment: Record<string, string | undefined> = process.env,
  onGenerated: (secret: GeneratedSecret) => void = () => {},
  { shortKeysMayRead = false, providers: list = providers }: ReadOptions = {},
): Config {
  const groups = settingGroups(list);
  const general = readGroups(groups.general, environment);
  const ofProviders = readGroups(groups.ofProviders, environment);
  const { http, urls, auth, encryption, database, storage, callbacks, country, demo, ...others } = general.values;
  const isOnlyHere = isLoopback(http.host) && URL.canParse(urls.api) && isLoopbackName(new URL(urls.api).hostname);
  const { country: loaded, problems: problemsOfCountry } = loadCountry(country);
  const { languages, problems: problemsOfLanguages } = readLanguages(country, loaded);
  const problems = [
    ...general.problems,
    ...ofProviders.problems,
    ...providerProblems(list, { ...general.values, providers: ofProviders.values }),
    ...problemsBetween(general.values),
    ...problemsOfCountry,
    ...problemsOfLanguages,
    ...problemsOfPartlySet(groups.general.s3.settings, general.values.s3, ['accessKeyId', 'secretAccessKey']),
    ...problemsOfPartlySet(groups.general.singleSignOn.settings, general.values.singleSignOn, [
      'issuer',
      'clientId',
      'clientSecret',
    ]),
    ...problemsOfSingleSignOn(general.values.singleSignOn),
    ...problemsOfFrontEnd(general.values.frontEnd, { isOnlyHere }),
    ...problemsOfPrinter(general.values.letters),
    ...problemsOfInlet(general.values.inlet, general.values.http),
    ...problemsOfSecrets({ ...auth, ...encryption }, shortKeysMayRead),
  ];
  if (problems.length > 0 || !loaded) throw new ConfigurationError(problems);
  const dataDir = resolve(storage.dataDir);
  const generated = (name: string) => generatedSecret(dataDir, name, onGenerated);
  const isOwnPort = environment.PORT && http.port !== 0 && !environment.BASE_URL;
  const { key, keys } = encryption;
  const api = isOwnPort ? `http://localhost:${http.port}` : urls.api;
  const { adminClientSecrets } = auth;
  // A BASE_URL with another name means that others come through a proxy.
  const isHarmless = database.url === undefined && isOnlyHere && isAllSandbox(general.values);
  const hasDemo = demo.enabled ?? isHarmless;
  return {
    ...{ http, database, ...others, providers: ofProviders.values },
    country: { ...country, ...loaded, offered: languages },
    urls: { api, admin: urls.admin ?? `${api}/console` },
    auth: {
      ...auth,
      adminClientSecrets: adminClientSecrets.length > 0 ? adminClientSecrets : [generated('admin-client-secret')],
    },
    encryption: { key, keys: keys.length > 0 ? keys : [key ?? generated('secret-key')] },
    storage: { ...storage, dataDir },
    callbacks: { ...callbacks, allowLoopback: hasDemo && isOnlyHere },
    demo: { enabled: hasDemo, isOnlyHere },
  };
}

/**
 * Reads only SANDBOX_*, CALLBACK_* and *_INBOUND_AUTH from the environment: a test suite's own PORT, DATABASE_URL or
 * LOG_LEVEL mean something else.
 */
export function readSandboxConfig(place: { folder: string; port: number }): Config {
  const wishes = Object.entries(process.env).filter(([name]) => /^(SANDBOX|CALLBACK)_|_INBOUND_AUTH$/.test(name));
  return readConfig({
    SANDBOX_DELAY_MS: '0',
    CALLBACK_ALLOW_PRIVATE: 'true',
    ...Object.fromEntries(wishes),
    LOG_LEVEL: 'error',
    DEMO: 'true',
    DATA_DIR: place.folder,
    PORT: String(place.port),
    BASE_URL: `http://127.0.0.1:${place.port}`,
  });
}

function problemsBetween({ http, database }: Pick<Config, 'http' | 'database'>): string[] {
  const isSamePort =
    http.adminPort === http.port && http.adminPort !== 0 && (http.adminHost ?? http.host) === http.host;
  return [
    ...(isSamePort ? ['ADMIN_PORT must differ from PORT'] : []),
    ...(database.sessionUrl !== undefined && database.url === undefined
      ? ['DATABASE_URL must be set when DATABASE_SESSION_URL is set']
      : []),
    ...(database.replicaUrl !== undefined && database.url === undefined
      ? ['DATABASE_URL must be set when DATABASE_REPLICA_URL is set']
      : []),
  ];
}

function readLanguages({ languagesDir }: CountrySettings, country: LoadedCountry | undefined) {
  const { languages: tags = ['en'], locale = 'en-GB' } = country?.profile ?? {};
  const isNamed = ['LANGUAGES', 'LANGUAGE'].includes(country?.sources.get('languages') ?? '');
  return loadLanguages({ tags, isNamed, locale, folder: languagesDir });
}

/** Reads only the country and its languages. Unlike `readConfig` it creates no secrets. */
export function readCountry(
  environment: Record<string, string | undefined> = process.env,
): LoadedCountry & { languages: Languages } {
  const { values, problems } = readGroups({ country: settingGroups().general.country }, environment);
  const loaded = loadCountry(values.country);
  const { languages, problems: problemsOfLanguages } = readLanguages(values.country, loaded.country);
  const all = [...problems, ...loaded.problems, ...problemsOfLanguages];
  if (!loaded.country || all.length > 0) throw new ConfigurationError(all);
  return { ...loaded.country, languages };
}

/** Reads the settings of a command that calls a server. Unlike `readConfig` it requires none and creates no secrets. */
export function readClientSettings(environment: Record<string, string | undefined> = process.env) {
  const { values, problems } = readGroups({ client: settingGroups().general.client }, environment);
  if (problems.length > 0) throw new ConfigurationError(problems);
  // Not validated: --url overrides it, and in other projects these variables may have another meaning.
  const url = environment.BASE_URL || `http://localhost:${environment.PORT || httpSettings.port.fallback}`;
  return { url, ...values.client };
}

/** Returns the npm script that is running: `start` for `npm start`, `npx` for `npx`. Undefined without npm. */
export function npmScript(): string | undefined {
  return process.env.npm_lifecycle_event;
}
