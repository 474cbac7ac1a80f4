const secondsPerDay = 86_400;
const millisecondsPerDay = 86_400_000;
const epoch1900 = Date.UTC(1899, 11, 30);
const daysTo1904 = 1_462;
/** 31 December 9999, the last day that Excel supports. */
const lastDay = 2_958_465;

export type NumberFormat = 'number' | 'date' | 'duration';

// Built-in formats that are dates or times, including those of East Asian versions.
const builtInDates: readonly [number, number][] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

export function builtInFormat(id: number): NumberFormat {
  if (id === 46) return 'duration';
  return builtInDates.some(([from, to]) => id >= from && id <= to) ? 'date' : 'number';
}

/** Only the first section of a format counts; quoted text, colours and padding do not. */
export function customFormat(code: string): NumberFormat {
  const [section = ''] = code.split(';', 1);
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return 'duration';
  const fields = section.replace(/"[^"]*"|\\.|[_*].|\[[^\]]*\]/g, '');
  return /[dmyhs]/i.test(fields) && !/^general$/i.test(fields) ? 'date' : 'number';
}

const wholeNumber = /^-?(?:0|[1-9][0-9]*)$/;

/** Returns the shortest form with 15 digits, as a sheet shows. Text that is not a number is unchanged. */
export function numberText(raw: string): string {
  if (wholeNumber.test(raw)) return raw;
  const value = Number(raw);
  if (raw.trim() === '' || !Number.isFinite(value)) return raw;
  if (Number.isInteger(value)) return Math.abs(value) < 1e21 ? BigInt(value).toString() : String(value);
  return String(Number(value.toPrecision(15)));
}

/** Returns a date without time, a time without date, or both. */
export function serialText(raw: string, format: NumberFormat, date1904: boolean): string {
  const serial = Number(raw);
  if (format === 'number' || raw.trim() === '' || !(serial >= 0) || serial > lastDay) return numberText(raw);
  const seconds = Math.round(serial * secondsPerDay);
  if (format === 'duration') return clock(seconds);
  const time = seconds % secondsPerDay;
  const day = Math.floor(seconds / secondsPerDay) + (date1904 ? daysTo1904 : 0);
  // On day 0, only a time of day can be meant.
  if (serial < 1 && (time > 0 || !date1904)) return clock(time);
  // Excel treats 1900 as a leap year, so its days before March are one too low.
  const days = day < 60 ? day + 1 : day;
  const date = new Date(epoch1900 + days * millisecondsPerDay).toISOString().slice(0, 10);
  return time === 0 ? date : `${date} ${clock(time)}`;
}

function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** Treats `1995-01-27T00:00:00` as a date without time. */
export function isoDateText(raw: string): string {
  const [date = '', time = ''] = raw.replace(/Z$/, '').split('T');
  const shown = time.replace(/\.\d+$/, '');
  return shown === '' || shown === '00:00:00' ? date : `${date} ${shown}`;
}

/** Formats a duration such as `PT09H30M00S`. */
export function isoDurationText(raw: string): string {
  const parts = /^P(?:(\d+)D)?T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?$/.exec(raw);
  if (!parts) return raw;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return clock(((days * 24 + hours) * 60 + minutes) * 60 + seconds);
}
