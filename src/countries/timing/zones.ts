import { Calendar, zonesOfLocale } from '../calendar.ts';

/**
 * The zones of countries that have several. A number tells in which country a phone is, but not where in it, so a window must be open in
 * all of them. Zones that always have the same time as a listed one are left out, and so are places with their own entry in the numbering
 * plans.
 */
const severalZones = new Map<string, readonly string[]>(
  Object.entries({
    AU: ['Perth', 'Darwin', 'Adelaide', 'Brisbane', 'Sydney', 'Lord_Howe'].map((city) => `Australia/${city}`),
    BR: ['Noronha', 'Sao_Paulo', 'Manaus', 'Rio_Branco'].map((city) => `America/${city}`),
    CA: ['St_Johns', 'Halifax', 'Toronto', 'Winnipeg', 'Regina', 'Edmonton', 'Whitehorse', 'Vancouver'].map(
      (city) => `America/${city}`,
    ),
    CD: ['Africa/Kinshasa', 'Africa/Lubumbashi'],
    CL: ['America/Santiago', 'America/Punta_Arenas', 'Pacific/Easter'],
    EC: ['America/Guayaquil', 'Pacific/Galapagos'],
    ES: ['Europe/Madrid', 'Atlantic/Canary'],
    FM: ['Pacific/Chuuk', 'Pacific/Pohnpei'],
    GL: ['America/Danmarkshavn', 'America/Scoresbysund', 'America/Nuuk', 'America/Thule'],
    ID: ['Asia/Jakarta', 'Asia/Makassar', 'Asia/Jayapura'],
    KI: ['Pacific/Tarawa', 'Pacific/Enderbury', 'Pacific/Kiritimati'],
    KZ: ['Asia/Almaty', 'Asia/Aqtobe'],
    MN: ['Asia/Hovd', 'Asia/Ulaanbaatar'],
    MX: ['Cancun', 'Mexico_City', 'Mazatlan', 'Hermosillo', 'Ciudad_Juarez', 'Tijuana'].map(
      (city) => `America/${city}`,
    ),
    NZ: ['Pacific/Auckland', 'Pacific/Chatham'],
    PF: ['Pacific/Tahiti', 'Pacific/Marquesas', 'Pacific/Gambier'],
    PG: ['Pacific/Port_Moresby', 'Pacific/Bougainville'],
    PT: ['Europe/Lisbon', 'Atlantic/Azores'],
    RU: [
      ...['Europe/Kaliningrad', 'Europe/Moscow', 'Europe/Samara'],
      ...['Yekaterinburg', 'Omsk', 'Krasnoyarsk', 'Irkutsk', 'Yakutsk', 'Vladivostok', 'Magadan', 'Kamchatka'].map(
        (city) => `Asia/${city}`,
      ),
    ],
    US: [
      ...['New_York', 'Chicago', 'Denver', 'Phoenix', 'Los_Angeles', 'Anchorage', 'Adak'].map(
        (city) => `America/${city}`,
      ),
      'Pacific/Honolulu',
    ],
    // Legally one time zone, although Intl also lists Urumqi.
    CN: ['Asia/Shanghai'],
    // Intl has no zones for these.
    AC: ['Atlantic/St_Helena'],
    TA: ['Atlantic/St_Helena'],
    XK: ['Europe/Belgrade'],
  }),
);

const zonesByRegion = new Map<string, readonly string[]>();

/**
 * Returns the zones of a country such as `GB`. One zone is enough for a country not listed above, because its clocks agree. Returns none
 * for numbers without a country, such as satellite phones.
 */
export function zonesOfRegion(region: string): readonly string[] {
  let zones = zonesByRegion.get(region);
  if (!zones) {
    zones = severalZones.get(region) ?? (/^[A-Z]{2}$/.test(region) ? zonesOfLocale(`und-${region}`).slice(0, 1) : []);
    zonesByRegion.set(region, zones);
  }
  return zones;
}

// There are about 600 names. Intl accepts any case, so without a limit requests could fill the cache.
const maxCalendars = 1_000;
const calendars = new Map<string, Calendar>();

/** Returns the calendar of a zone from a cache: creating one is slow, and it caches days. */
export function calendarOf(zone: string): Calendar {
  let calendar = calendars.get(zone);
  if (!calendar) {
    calendar = new Calendar(zone);
    if (calendars.size >= maxCalendars) calendars.clear();
    calendars.set(zone, calendar);
  }
  return calendar;
}

export function isTimeZone(name: string): boolean {
  if (name.length > 64) return false;
  try {
    calendarOf(name);
    return true;
  } catch {
    return false;
  }
}
