import type { LetterLanguage } from './model.ts';

const months: Record<LetterLanguage, readonly string[]> = {
  english: [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
  welsh: [
    'Ionawr',
    'Chwefror',
    'Mawrth',
    'Ebrill',
    'Mai',
    'Mehefin',
    'Gorffennaf',
    'Awst',
    'Medi',
    'Hydref',
    'Tachwedd',
    'Rhagfyr',
  ],
};

/** Creating one takes longer than rendering a letter. */
let londonDay: Intl.DateTimeFormat | undefined;

/** The current day in London: `1 January 2026`, `1 Ionawr 2026`. */
export function letterDate(date: Date, language: LetterLanguage): string {
  londonDay ??= new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/London',
    day: 'numeric',
    month: 'numeric',
    year: 'numeric',
  });
  const [day, month, year] = londonDay.format(date).split('/').map(Number);
  return `${day} ${months[language][(month ?? 1) - 1]} ${year}`;
}
