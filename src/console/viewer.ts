import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Calendar } from '../countries/calendar.ts';
import type { Country } from '../countries/country.ts';
import { zoneProblem } from '../countries/loading/known-values.ts';
import type { Language } from '../language/language.ts';
import { declared, formatted, type Text, t } from '../language/text.ts';
import { oncePer } from '../platform/db/local-day.ts';

/**
 * The person who views a page. `calendar` is in their time zone, for times that they read and choose. Days that are billed, limited or
 * counted are those of the country for every viewer.
 */
export interface Viewer extends Times {
  language: Language;
}

/** The time zone in which times are shown. */
interface Times {
  country: Country;
  calendar: Calendar;
  /** "London time" */
  zoneName: Text;
}

const viewersOf = oncePer((_: Country) => new Map<string, Times>());

/**
 * Returns the calendar of the chosen zone, or of the country's. Cached per zone, because computing the zone's name takes longer than
 * rendering a page. Falls back to the country's zone if this version of Node does not know the chosen one.
 */
export function viewerIn(country: Country, chosen?: string): Times {
  const zone = chosen === undefined || zoneProblem(chosen) !== undefined ? country.calendar.zone : chosen;
  const viewers = viewersOf(country);
  const found = viewers.get(zone);
  if (found) return found;
  const isOwn = zone === country.calendar.zone;
  const calendar = isOwn ? country.calendar : new Calendar(zone, country.calendar.financialYearStart);
  const ofCountry = isOwn ? country.words.zoneName : undefined;
  const zoneName = ofCountry === undefined ? nameOfZone(calendar, country) : declared(ofCountry);
  const viewer = { country, calendar, zoneName };
  viewers.set(zone, viewer);
  return viewer;
}

function nameOfZone(calendar: Calendar, country: Country): Text {
  const names = new Map<Language, string>();
  return formatted((language) => {
    const name = names.get(language) ?? language.nameOfZone(calendar, country.locale);
    names.set(language, name);
    return name;
  });
}

/** Provided for every page and fragment, so that times deep within a page need no parameter. */
export const ViewerContext = createContext<Viewer | undefined>(undefined);

/** For components. Other code takes what it needs as a parameter. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error('A part that shows times is rendered without a viewer');
  return viewer;
}

/** Returns "From midnight in London.", the start of a day of the country, for forms. */
export function fromMidnight(country: Country): Text {
  const { zoneName } = viewerIn(country);
  return formatted(() => {
    const [, city] = /^(.*) time$/.exec(String(zoneName)) ?? [];
    const text =
      city === undefined ? t('From midnight, {zoneName}.', { zoneName }) : t('From midnight in {city}.', { city });
    return String(text);
  });
}
