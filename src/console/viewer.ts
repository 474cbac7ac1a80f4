import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Calendar } from '../countries/calendar.ts';
import type { Country } from '../countries/country.ts';
import { oncePer } from '../platform/db/local-day.ts';

/**
 * Whoever looks at a page: `calendar` is that of the times they read and choose. Days that are billed, limited or counted are those
 * of the country, whoever looks.
 */
export interface Viewer {
  country: Country;
  calendar: Calendar;
  /** "London time" */
  zoneName: string;
}

/** Made once: the name of a zone takes longer than a page. */
export const viewerIn = oncePer((country: Country): Viewer => {
  const { calendar, locale, words } = country;
  return { country, calendar, zoneName: words.zoneName ?? calendar.zoneName(locale) };
});

/** Given to every page and fragment, so that a time deep within a page needs no parameter. */
export const ViewerContext = createContext<Viewer | undefined>(undefined);

/** For components; what is not one takes what it needs as a parameter. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (!viewer) throw new Error('A part that shows times is rendered without a viewer');
  return viewer;
}

/** "From midnight in London.": when a day begins, for forms. */
export function fromMidnight({ zoneName }: Viewer): string {
  const [, city] = /^(.*) time$/.exec(zoneName) ?? [];
  return city === undefined ? `From midnight, ${zoneName}.` : `From midnight in ${city}.`;
}
