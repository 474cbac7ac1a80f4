import { addDays, type Calendar } from '../../countries/calendar.ts';
import { asIs, formatted, type Text, t } from '../../language/text.ts';
import { useViewer, type Viewer, viewerIn } from '../viewer.ts';

interface TimeProps {
  at: string;
  now: Date;
  /** For narrow lists: today is shown as a time only. */
  brief?: boolean;
  /** The time zone to show it in, instead of the viewer's. */
  zone?: string;
}

/** Shows "today, 14:02", with the exact time in the title. Uses the viewer's time zone, like everything in the console. */
export function Time({ at, now, brief, zone }: TimeProps) {
  const viewer = useViewer();
  const moment = new Date(at);
  const { calendar } = zone === undefined ? viewer : viewerIn(viewer.country, zone);
  return (
    <time dateTime={toTheSecond(moment)} title={exactTime(viewer, moment)}>
      {shortTime(calendar, moment, now, brief)}
    </time>
  );
}

/** Short, because lists contain many times: on a page of fifty rows, each byte counts fifty times. */
function toTheSecond(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** "14:02" */
export function clockTime(calendar: Calendar, moment: Date): string {
  const { hour, minute } = calendar.wallTime(moment);
  return `${twoDigits(hour)}:${twoDigits(minute)}`;
}

/** "15 Nov" */
export function dayAndMonth(calendar: Calendar, moment: Date): Text {
  return formatted(({ dates }) => dates.dayAndMonth(calendar.day(moment)));
}

/** "15 Nov 2026" */
export function fullDay(calendar: Calendar, at: string): Text {
  return dayOfYear(calendar, new Date(/Z|[+-]\d\d:\d\d$/.test(at) ? at : `${at}Z`));
}

/** Returns "15 Nov 2026" for a calendar day, which does not depend on a time zone. */
export function shortDay(day: string): Text {
  return formatted(({ dates }) => dates.short(day));
}

function dayOfYear(calendar: Calendar, moment: Date): Text {
  return shortDay(calendar.day(moment));
}

function exactTime({ calendar, zoneName }: Viewer, moment: Date): Text {
  const values = { day: dayOfYear(calendar, moment), time: exactClockTime(calendar, moment) };
  return t('{day}, {time} {zone}', { ...values, zone: zoneName.replace(/ time$/, '') });
}

export function shortTime(calendar: Calendar, moment: Date, now: Date, brief: boolean | undefined): Text {
  const time = clockTime(calendar, moment);
  const [day, today] = [calendar.day(moment), calendar.day(now)];
  if (day === today) return brief ? asIs(time) : t('today, {time}', { time });
  if (day === addDays(today, -1)) return t('yesterday, {time}', { time });
  const isThisYear = calendar.wallTime(moment).year === calendar.wallTime(now).year;
  return t('{day}, {time}', { day: isThisYear ? dayAndMonth(calendar, moment) : dayOfYear(calendar, moment), time });
}

/** "14:02:11" */
export function exactClockTime(calendar: Calendar, moment: Date): string {
  return `${clockTime(calendar, moment)}:${twoDigits(calendar.wallTime(moment).second)}`;
}

/** "London time" */
export function ZoneName() {
  return <>{useViewer().zoneName}</>;
}

/** Shown beside a download. Files use the same time zone for everybody, so people who see other times on the page must know it. */
export function ZoneOfFile() {
  const { calendar, country } = useViewer();
  if (calendar.zone === country.calendar.zone) return null;
  return (
    <span class="small muted">{t('Times in the file are {zoneName}.', { zoneName: viewerIn(country).zoneName })}</span>
  );
}

/** For events that happen within seconds. */
export function ClockTime({ at }: { at: string }) {
  const viewer = useViewer();
  const moment = new Date(at);
  return (
    <time dateTime={toTheSecond(moment)} title={exactTime(viewer, moment)}>
      {exactClockTime(viewer.calendar, moment)}
    </time>
  );
}
