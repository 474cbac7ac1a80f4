import phoneLibrary from 'google-libphonenumber';
import { Calendar } from '../calendar.ts';

/** Zones, currencies, languages and regions that this Node and the library of phone numbers know. */

const zones = new Map(Intl.supportedValuesOf('timeZone').map((zone) => [zone.toLowerCase(), zone]));
const currencies = new Set(Intl.supportedValuesOf('currency'));
/** Codes of ISO 4217 that are no money: gold, tests, none at all. */
const noMoney = /^X(?!AF|CD|OF|PF)/;
const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
/** Regions of Unicode that are no countries: the European Union, the euro area, the United Nations, unknown, tests. */
const noCountries = new Set(['EU', 'EZ', 'UN', 'ZZ', 'XA', 'XB', 'QO']);

/** What the tables of Unicode still call by an older name, which nobody would look for. */
const newerNames = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Godthab', 'America/Nuuk'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
]);

/** The zones to choose from. `zoneProblem` accepts other names of them, too. */
export function listZones(): string[] {
  return ['UTC', ...zones.values()].map((zone) => newerNames.get(zone) ?? zone);
}

/** What is wrong with the name of a zone, if anything. PostgreSQL takes any case, but the name is compared at each start. */
export function zoneProblem(zone: string): string | undefined {
  const example = 'must be a time zone such as Europe/Amsterdam';
  const known = zones.get(zone.toLowerCase());
  if (known === zone || zone === 'UTC') return undefined;
  if (known !== undefined) return `must be written ${known}`;
  // Older and newer names of the same zone are known, too, but not listed: Asia/Kathmandu.
  const isName = /^[A-Z][A-Za-z_]+(\/[A-Z][A-Za-z0-9_+-]+){1,2}$/.test(zone) || /^Etc\/GMT[+-]\d{1,2}$/.test(zone);
  if (!isName) return `${example}, not "${zone}"`;
  try {
    new Calendar(zone);
    return undefined;
  } catch {
    return `${example}, not "${zone}"`;
  }
}

/** A calling code such as 49, or one with a region that has it: 1:JM. */
export function isRatePrefix(prefix: string): boolean {
  const [code, region] = prefix.split(':');
  const util = phoneLibrary.PhoneNumberUtil.getInstance();
  return region === undefined
    ? isPhoneRegion(util.getRegionCodeForCountryCode(Number(code)))
    : util.getCountryCodeForRegion(region) === Number(code);
}

export function isCurrency(code: string): boolean {
  return currencies.has(code) && !noMoney.test(code);
}

export function isLanguageTag(tag: string): boolean {
  try {
    return languageNames.of(tag) !== undefined;
  } catch {
    return false;
  }
}

/** Whether it is a country today: Intl also knows retired codes, such as DD. */
export function isKnownRegion(region: string): boolean {
  if (!/^[A-Z]{2}$/.test(region) || noCountries.has(region)) return false;
  return regionNames.of(region) !== undefined && new Intl.Locale(`und-${region}`).region === region;
}

let phoneRegions: Set<string> | undefined;

export function isPhoneRegion(region: string): boolean {
  phoneRegions ??= new Set(phoneLibrary.PhoneNumberUtil.getInstance().getSupportedRegions());
  return phoneRegions.has(region);
}
