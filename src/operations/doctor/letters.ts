import type { Country } from '../../countries/country.ts';
import { type Finding, finding } from './finding.ts';

/** Returns what an operator should know about the country's letters before a printer gets the first one. */
export function checkLetters({ letter, holidays }: Country, now: Date): Finding[] {
  const year = now.getUTCFullYear();
  return [
    ...(letter.provisionalWindow
      ? [
          warning(
            'window',
            `Letters have the address where British envelopes have their window (${letter.window}). Agree on its place with your printer and set letter.window in COUNTRY_FILE. \`pennypost letters grid\` writes a page to try it with an envelope.`,
          ),
        ]
      : []),
    ...(holidays.isKnown(year) && holidays.isKnown(year + 1)
      ? []
      : [
          warning(
            'holidays',
            `A table of holidays does not go beyond ${lastKnownYear(holidays, year)}. Add the later years to holidays.rules in COUNTRY_FILE, or letters are due on days without post.`,
          ),
        ]),
  ];
}

function warning(name: string, text: string): Finding {
  return { ...finding(name, true, text), is_warning: true };
}

/** Returns the last year that every table of holidays includes, up to next year. */
function lastKnownYear(holidays: Country['holidays'], year: number): number {
  let known = year + 1;
  while (!holidays.isKnown(known) && known > year - 100) known -= 1;
  return known;
}
