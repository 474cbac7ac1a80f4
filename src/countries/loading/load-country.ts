import { readFileSync } from 'node:fs';
import { builtInCountries, genericCountry } from '../built-in.ts';
import { generic } from '../generic.ts';
import type { CountryProfile } from '../profile.ts';
import { isKnownRegion } from './known-values.ts';
import { problemsOfProfile } from './profile-problems.ts';

/** The country settings of the environment, each as text, so that every problem is reported in the same way. */
export interface CountryChoice {
  code?: string | undefined;
  file?: string | undefined;
  zone?: string | undefined;
  currency?: string | undefined;
  financialYearStart?: string | undefined;
  language?: string | undefined;
  languages?: readonly string[] | undefined;
  holidaysRegion?: string | undefined;
  cutOff?: string | undefined;
  paper?: string | undefined;
  alphabet?: string | undefined;
  sessionHours?: string | undefined;
}

export interface LoadedCountry {
  profile: CountryProfile;
  /** The source of each value by its path: the name of a setting, COUNTRY_FILE, or the code of a built-in profile. */
  sources: ReadonlyMap<string, string>;
}

interface Layer {
  name: string;
  values: Values;
}
interface Values {
  [key: string]: unknown;
}

/** Settings override the file, and the file overrides the profile that it extends. Returns problems instead of throwing. */
export function loadCountry(choice: CountryChoice): { country?: LoadedCountry; problems: string[] } {
  const own = readOwnFile(choice.file);
  if ('problem' in own) return { problems: [own.problem] };
  const base = chooseBase(choice, own.values);
  if ('problem' in base) return { problems: [base.problem] };
  const { extends: _, ...ofFile } = own.values ?? {};
  const layers: Layer[] = [
    base,
    { name: 'COUNTRY_FILE', values: completed(base, ofFile) },
    ...settingLayers(choice, [base.values, ofFile]),
  ];
  dropObsoleteValues(layers);
  const values = layers.reduce<Values>((below, layer) => merge(below, layer.values), {});
  const sources = new Map(listPaths(values).map((keys) => [keys.join('.'), sourceOf(layers, keys)]));
  const problems = [
    ...problemsOfProfile(values)
      .filter(({ path }) => !(path === 'money.currency' && sources.get(path) === 'generic'))
      .map(({ path, text }) => describeProblem(layers, path, text)),
    ...missingSettings(sources),
    ...(own.values ? codeProblems(choice, own.values) : []),
  ];
  // The values passed the schema, so they are a profile.
  return problems.length > 0 ? { problems } : { country: { profile: values as CountryProfile, sources }, problems };
}

function readOwnFile(file: string | undefined): { values?: Values } | { problem: string } {
  if (file === undefined) return {};
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { problem: `COUNTRY_FILE cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
  const example = 'Write an object such as {"extends": "nl"}';
  try {
    // Windows editors begin files with a byte order mark.
    const values: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isPlain(values) ? { values } : { problem: `COUNTRY_FILE has no JSON object. ${example}` };
  } catch (error) {
    return {
      problem: `COUNTRY_FILE is not JSON: ${error instanceof Error ? error.message : String(error)}. ${example}`,
    };
  }
}

/** Returns the profile below the file and the settings. A file that extends none is based on `generic`. */
function chooseBase({ code }: CountryChoice, own: Values | undefined): Layer | { problem: string } {
  if (own && Object.hasOwn(own, 'extends')) {
    return typeof own.extends === 'string'
      ? findProfile(own.extends, 'COUNTRY_FILE: extends')
      : { problem: 'COUNTRY_FILE: extends must be a text such as "nl"' };
  }
  if (own && (code === undefined || code === own.code)) {
    return typeof own.code === 'string' && isCountryCode(own.code)
      ? findProfile(own.code, 'COUNTRY_FILE: code')
      : { name: 'generic', values: { ...generic } };
  }
  return findProfile(code ?? 'gb', 'COUNTRY');
}

function findProfile(code: string, place: string): Layer | { problem: string } {
  const builtIn = builtInCountries[code];
  if (builtIn) return { name: code, values: { ...builtIn } };
  if (isCountryCode(code)) return { name: 'generic', values: { ...genericCountry(code) } };
  const known = Object.keys(builtInCountries).filter((name) => name !== 'generic');
  return {
    problem: `${place} must be one of ${known.join(', ')}, or the two-letter code of another country in lower case, not "${code}"`,
  };
}

function isCountryCode(code: string): boolean {
  return /^[a-z]{2}$/.test(code) && isKnownRegion(code.toUpperCase());
}

/** Adds values that follow from the others, so that a file can omit them. */
function completed(base: Layer, own: Values): Values {
  const phone = isPlain(own.phone) ? own.phone : {};
  const isWithoutRegions = base.values.code === 'generic' && phone.region !== undefined && phone.regions === undefined;
  return isWithoutRegions ? { ...own, phone: { ...phone, regions: [phone.region] } } : own;
}

/** Returns one layer for each setting that has a value, so that the setting's name is the source. */
function settingLayers(choice: CountryChoice, below: Values[]): Layer[] {
  const { zone, currency, financialYearStart, holidaysRegion, cutOff, paper, alphabet, sessionHours } = choice;
  const offered = choice.languages ?? below.map(({ languages }) => languages).findLast(Array.isArray) ?? [];
  // Shells set this variable too, in another form (en_GB:en), which is ignored.
  const language = /[_:]|^C$/.test(choice.language ?? '') ? undefined : choice.language;
  const layer = (name: string, value: unknown, section: string, field: string) =>
    value === undefined ? [] : [{ name, values: { [section]: { [field]: value } } }];
  return [
    ...layer('TIME_ZONE', zone, 'calendar', 'zone'),
    ...layer('CURRENCY', currency, 'money', 'currency'),
    ...layer('FINANCIAL_YEAR_START', financialYearStart, 'calendar', 'financialYearStart'),
    ...(choice.languages === undefined ? [] : [{ name: 'LANGUAGES', values: { languages: [...choice.languages] } }]),
    ...(language === undefined
      ? []
      : [{ name: 'LANGUAGE', values: { languages: [language, ...offered.filter((other) => other !== language)] } }]),
    ...layer('HOLIDAYS_REGION', holidaysRegion, 'holidays', 'region'),
    ...layer('LETTER_CUT_OFF', cutOff, 'letter', 'cutOff'),
    ...layer('LETTER_PAPER', paper, 'letter', 'paper'),
    ...layer('SMS_ALPHABET', alphabet, 'sms', 'alphabet'),
    ...layer(
      'SESSION_HOURS',
      sessionHours === undefined ? undefined : asNumber(sessionHours),
      'signIn',
      'sessionHours',
    ),
  ];
}

/** Returns other texts unchanged, so that the schema reports them. */
function asNumber(text: string): unknown {
  return /^\d{1,6}$/.test(text) ? Number(text) : text;
}

/**
 * Removes from the base profile what the layers above make wrong: the aliases of other postage classes, prices in another currency, the
 * name of another zone, and the provisional flag of another window.
 */
function dropObsoleteValues([base, ...above]: Layer[]): void {
  if (!base) return;
  const overridden = (section: string, field: string) =>
    above.map(({ values }) => valueAt(values, [section, field])).findLast((value) => value !== undefined);
  const differs = (section: string, field: string) =>
    overridden(section, field) !== undefined && overridden(section, field) !== valueAt(base.values, [section, field]);
  if (overridden('postage', 'classes') !== undefined) base.values.postage = { aliases: {} };
  if (differs('money', 'currency')) {
    Object.assign(base.values, { prices: generic.prices, money: { ...generic.money } });
  }
  if (overridden('letter', 'window') !== undefined) {
    const { provisionalWindow: _, ...letter } = base.values.letter as CountryProfile['letter'];
    base.values.letter = letter;
  }
  if (differs('calendar', 'zone')) {
    const { zoneName: _, ...words } = base.values.words as CountryProfile['words'];
    base.values.words = words;
  }
}

/** The zone and currency of `generic` are placeholders: with them, an installation would count days and money wrongly. */
function missingSettings(sources: ReadonlyMap<string, string>): string[] {
  return [
    ...(sources.get('calendar.zone') === 'generic'
      ? ['TIME_ZONE must be set, or calendar.zone in COUNTRY_FILE: the zone in which days begin, such as Asia/Tokyo']
      : []),
    ...(sources.get('money.currency') === 'generic'
      ? ['CURRENCY must be set, or money.currency in COUNTRY_FILE: a currency of ISO 4217 such as JPY']
      : []),
  ];
}

function codeProblems({ code }: CountryChoice, own: Values): string[] {
  const names = [own.code, own.extends].filter((name) => name !== undefined);
  return code === undefined || names.length === 0 || names.includes(code)
    ? []
    : [`COUNTRY is ${code}, but COUNTRY_FILE is about ${names.join(' and ')}. Unset COUNTRY, or name the same country`];
}

/** Attributes a problem to the source of the value. */
function describeProblem(layers: readonly Layer[], path: string, text: string): string {
  const keys = path.replace(/\[.*$/, '').split('.');
  const source = sourceOf(layers, keys);
  if (source === 'COUNTRY_FILE') return `COUNTRY_FILE: ${path} ${text}`;
  const isSetting = /^[A-Z_]+$/.test(source);
  return isSetting ? `${source} ${text} (${path})` : `COUNTRY_FILE: ${path} ${text}`;
}

function sourceOf(layers: readonly Layer[], keys: string[]): string {
  const found = layers.findLast(({ values }) => valueAt(values, keys) !== undefined);
  return found?.name ?? layers[0]?.name ?? 'generic';
}

function valueAt(values: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (isPlain(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    values,
  );
}

/** Merges objects field by field; lists and all other values are replaced. */
function merge(below: Values, above: Values): Values {
  const keys = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(
    keys.map((key) => {
      const [old, own] = [valueAt(below, [key]), valueAt(above, [key])];
      if (own === undefined) return [key, old];
      return [key, isPlain(old) && isPlain(own) ? merge(old, own) : own];
    }),
  );
}

function listPaths(values: Values, above: string[] = []): string[][] {
  return Object.entries(values).flatMap(([key, value]) =>
    isPlain(value) && Object.keys(value).length > 0 ? listPaths(value, [...above, key]) : [[...above, key]],
  );
}

function isPlain(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
