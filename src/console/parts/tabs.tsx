import type { ComponentChildren } from 'preact';
import type { Calendar, Days } from '../../countries/calendar.ts';
import { asIs, formatted, type Text, t } from '../../language/text.ts';
import { useViewer } from '../viewer.ts';

interface Tab {
  label: ComponentChildren;
  to: string;
  isCurrent: boolean;
}

/** Links instead of ARIA tabs, so that each has its own URL and works without script. */
export function Tabs({ name, tabs }: { name: Text; tabs: readonly Tab[] }) {
  return <Links name={name} tabs={tabs} look="tabs" />;
}

/** The smaller form, for switching between views of one object. */
export function Segments({ name, tabs }: { name: Text; tabs: readonly Tab[] }) {
  return <Links name={name} tabs={tabs} look="segments" />;
}

function Links({ name, tabs, look }: { name: Text; tabs: readonly Tab[]; look: 'tabs' | 'segments' }) {
  return (
    <nav class={look} aria-label={name}>
      {tabs.map(({ label, to, isCurrent }) => (
        <a key={to} href={to} aria-current={isCurrent ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

const shownYears = 3;

/** Returns the year in the URL if it is available, or else the current year. */
export function chosenYear(calendar: Calendar, query: string, now: Date): number {
  const current = calendar.financialYear(now);
  const year = /^\d{4}$/.test(query) ? Number(query) : current;
  return year <= current && year > current - shownYears ? year : current;
}

const monthAndYear = (day: string) => formatted(({ dates }) => dates.write(day, { month: 'long', year: 'numeric' }));
const wholeDay = (day: string) =>
  formatted(({ dates }) => dates.write(day, { day: 'numeric', month: 'long', year: 'numeric' }));

/** Returns "April 2026 to March 2027", or days if the year starts within a month. */
export function yearLabel(calendar: Calendar, year: number): Text {
  const { first_day, last_day } = calendar.financialYearDays(year);
  const label = first_day.endsWith('-01') ? monthAndYear : wholeDay;
  return t('{from} to {until}', { from: label(first_day), until: label(last_day) });
}

/** Returns "April 2026", or "16 July 2026 to 15 August 2026". */
export function monthLabel({ first_day, last_day }: Days): Text {
  if (first_day.endsWith('-01')) return monthAndYear(first_day);
  return t('{from} to {until}', { from: wholeDay(first_day), until: wholeDay(last_day) });
}

export function FinancialYears({ year, path, now }: { year: number; path: string; now: Date }) {
  const { calendar } = useViewer().country;
  const current = calendar.financialYear(now);
  return (
    <Segments
      name={t('Financial year')}
      tabs={Array.from({ length: shownYears }, (_, index) => current - index).map((one) => ({
        label: nameOfYear(calendar, one),
        to: one === current ? path : `${path}?year=${one}`,
        isCurrent: one === year,
      }))}
    />
  );
}

/** Returns "2026 to 2027", or "2026" for a calendar year. */
function nameOfYear(calendar: Calendar, year: number): Text {
  const isCalendarYear = calendar.financialYearStart === '01-01';
  return isCalendarYear ? asIs(String(year)) : t('{from} to {until}', { from: String(year), until: String(year + 1) });
}
