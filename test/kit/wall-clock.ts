/**
 * The clocks of time zones, found by trying moments one after the other and with nothing but Intl: a second implementation for tests of
 * calendars. All zones change their clocks at quarters of an hour.
 */
const quarter_ms = 15 * 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();
const walls = new Map<string, number>();

/** Returns what the clocks show, as if it were UTC. */
function wallAt(zone: string, quarter: number): number {
  const key = `${zone} ${quarter}`;
  let wall = walls.get(key);
  if (wall === undefined) {
    let format = formats.get(zone);
    if (!format) {
      format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
      formats.set(zone, format);
    }
    wall = Date.parse(`${format.format(quarter * quarter_ms).replace(' ', 'T')}:00Z`);
    walls.set(key, wall);
  }
  return wall;
}

/** Returns the first moment at which the clocks show this time or, if they leave it out, the first one after it. */
export function firstMoment(zone: string, day: string, time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const wanted = Date.parse(`${day}T00:00:00Z`) + (hours * 60 + minutes) * 60_000;
  // No zone is further from UTC.
  const first = Math.floor(wanted / quarter_ms) - 15 * 4;
  const offset_ms = wallAt(zone, first) - first * quarter_ms;
  const last = first + 30 * 4;
  if (wallAt(zone, last) - last * quarter_ms === offset_ms) return wanted - offset_ms;
  let afterGap: number | undefined;
  for (let quarter = first; quarter < last; quarter += 1) {
    const wall = wallAt(zone, quarter);
    if (wall <= wanted && wanted < wall + quarter_ms) return quarter * quarter_ms + wanted - wall;
    if (wall > wanted) afterGap ??= quarter * quarter_ms;
  }
  if (afterGap === undefined) throw new Error(`${zone} has no ${day} ${time}`);
  return afterGap;
}
