import phoneLibrary from 'google-libphonenumber';
import { Calendar } from '../calendar.ts';

/** The zones, currencies, languages and regions that Node and the phone number library know. */

const zones = new Map(Intl.supportedValuesOf('timeZone').map((zone) => [zone.toLowerCase(), zone]));
const currencies = new Set(Intl.supportedValuesOf('currency'));
/** ISO 4217 codes that are not money: gold, test codes, no currency. */
const noMoney = /^X(?!AF|CD|OF|PF)/;
const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
/** Unicode regions that are not countries: the European Union, the euro area, the United Nations, unknown, test codes. */
const noCountries = new Set(['EU', 'EZ', 'UN', 'ZZ', 'XA', 'XB', 'QO']);

/** Unicode's tables still list these zones under older names, which nobody would look for. */
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

/** Lists the zones to choose from. `zoneProblem` also accepts other names of them. */
export function listZones(): string[] {
  return ['UTC', ...zones.values()].map((zone) => newerNames.get(zone) ?? zone);
}

/**
 * Returns what is wrong with the name of a zone. The case must be right: PostgreSQL accepts any, but the name is compared at each start.
 */
export function zoneProblem(zone: string): string | undefined {
  const example = 'must be a time zone such as Europe/Amsterdam';
  const known = zones.get(zone.toLowerCase());
  if (known === zone || zone === 'UTC') return undefined;
  if (known !== undefined) return `must be written ${known}`;
  // Older and newer names of the same zone are valid too, but not listed: Asia/Kathmandu.
  const isName = /^[A-Z][A-Za-z_]+(\/[A-Z][A-Za-z0-9_+-]+){1,2}$/.test(zone) || /^Etc\/GMT[+-]\d{1,2}$/.test(zone);
  if (!isName) return `${example}, not "${zone}"`;
  try {
    new Calendar(zone);
    return undefined;
  } catch {
    return `${example}, not "${zone}"`;
  }
}

/** Whether it is a calling code such as 49, or one with a region that has it: 1:JM. */
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

/** Whether the region is a country today. Intl also knows retired codes, such as DD. */
export function isKnownRegion(region: string): boolean {
  if (!/^[A-Z]{2}$/.test(region) || noCountries.has(region)) return false;
  return regionNames.of(region) !== undefined && new Intl.Locale(`und-${region}`).region === region;
}

let phoneRegions: Set<string> | undefined;

export function isPhoneRegion(region: string): boolean {
  phoneRegions ??= new Set(phoneLibrary.PhoneNumberUtil.getInstance().getSupportedRegions());
  return phoneRegions.has(region);
}
