interface TimeProps {
  at: string;
  now: Date;
}

/** "today, 14:02"; exact in the title. London time, as everywhere in the console. */
export function Time({ at, now }: TimeProps) {
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={exact.format(moment)}>
      {shortTime(moment, now)}
    </time>
  );
}

const zone = { timeZone: 'Europe/London' } as const;
const exact = new Intl.DateTimeFormat('en-GB', { ...zone, dateStyle: 'full', timeStyle: 'long' });
const clock = new Intl.DateTimeFormat('en-GB', { ...zone, hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { ...zone, day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { ...zone, day: 'numeric', month: 'short', year: 'numeric' });

const day_ms = 86_400_000;

function shortTime(moment: Date, now: Date): string {
  const of = dayOfYear.format(moment);
  const time = clock.format(moment);
  if (of === dayOfYear.format(now)) return `today, ${time}`;
  if (of === dayOfYear.format(new Date(now.getTime() - day_ms))) return `yesterday, ${time}`;
  const sameYear = of.slice(-4) === dayOfYear.format(now).slice(-4);
  return `${sameYear ? day.format(moment) : of}, ${time}`;
}
