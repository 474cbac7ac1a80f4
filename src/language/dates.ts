type DayOptions = Pick<Intl.DateTimeFormatOptions, 'weekday' | 'day' | 'month' | 'year'>;

const englishMonths = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Writes days, such as 2026-11-15, in the words of a language. A day is the same in every zone. */
export class Dates {
  private readonly locale: string;
  private readonly isEnglish: boolean;
  private readonly formats = new Map<string, Intl.DateTimeFormat>();

  constructor(locale: string) {
    this.isEnglish = new Intl.Locale(locale).language === 'en';
    // Every English reads days as they are spoken: "15 November 2026".
    this.locale = this.isEnglish ? 'en-GB' : locale;
  }

  /** "15 Nov" */
  dayAndMonth(day: string): string {
    return this.isEnglish ? inEnglish(day) : this.write(day, { day: 'numeric', month: 'short' });
  }

  /** "15 Nov 2026" */
  short(day: string): string {
    if (this.isEnglish) return `${inEnglish(day)} ${Number(day.slice(0, 4))}`;
    return this.write(day, { day: 'numeric', month: 'short', year: 'numeric' });
  }

  /** "Sunday 15 Nov" */
  weekdayAndDay(day: string): string {
    if (this.isEnglish) return `${this.write(day, { weekday: 'long' })} ${inEnglish(day)}`;
    return this.write(day, { weekday: 'long', day: 'numeric', month: 'short' });
  }

  write(day: string, options: DayOptions): string {
    const key = Object.entries(options).join();
    let format = this.formats.get(key);
    if (!format) {
      format = new Intl.DateTimeFormat(this.locale, { ...options, timeZone: 'UTC' });
      this.formats.set(key, format);
    }
    return format.format(new Date(`${day}T00:00:00Z`));
  }
}

/** Three letters for each month: Intl writes "Sept". */
function inEnglish(day: string): string {
  const [, month, date] = day.split('-').map(Number);
  return `${date} ${englishMonths[(month ?? 1) - 1]}`;
}
