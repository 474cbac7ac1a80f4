import { addDays, type Calendar, weekday } from './calendar.ts';
import type { Holidays } from './holidays.ts';
import type { CountryProfile } from './profile.ts';

/** A local time of day. */
interface ClockTime {
  hour: number;
  minute: number;
}

interface Parts {
  calendar: Calendar;
  holidays: Holidays;
  /** `HH:MM`, or `continuous`. */
  cutOff: string;
  postage: CountryProfile['postage'];
}

/** A print run takes some hours, so letters that are still being rendered at the cut-off can join it later. */
export const printRun_ms = 5 * 3_600_000;

/** With continuous printing, letters are collected this long for each run. */
const continuousRun_ms = 5 * 60_000;

/** The local time by which mail of the day has been delivered. */
const delivered: ClockTime = { hour: 16, minute: 0 };

/**
 * When letters are printed and delivered. There is a print run on each working day, at the cut-off: letters accepted from then on go into
 * the run of the next day. With continuous printing there is a run every five minutes of a working day, and the cut-off of a day is that of
 * its last run.
 */
export class LetterDays {
  readonly isContinuous: boolean;
  readonly #cutOff: ClockTime;
  readonly #calendar: Calendar;
  readonly #holidays: Holidays;
  readonly #postage: CountryProfile['postage'];

  constructor({ calendar, holidays, cutOff, postage }: Parts) {
    this.#calendar = calendar;
    this.#holidays = holidays;
    this.isContinuous = cutOff === 'continuous';
    const [hour = 0, minute = 0] = (this.isContinuous ? '23:55' : cutOff).split(':').map(Number);
    this.#cutOff = { hour, minute };
    this.#postage = postage;
  }

  cutOffOf(day: string): Date {
    return this.#calendar.instant(day, this.#cutOff.hour, this.#cutOff.minute);
  }

  /** Returns the day whose cut-off the letter meets, even if no letters are printed that day. */
  runDay(acceptedAt: Date): string {
    const day = this.#calendar.day(acceptedAt);
    return acceptedAt < this.cutOffOf(day) ? day : addDays(day, 1);
  }

  /** Returns until when a letter can be cancelled. With one run a day, this may be earlier than the run, which waits for a working day. */
  cancelledUntil(acceptedAt: Date): Date {
    const day = this.runDay(acceptedAt);
    if (!this.isContinuous) return this.cutOffOf(day);
    return this.#holidays.isWorkingDay(day)
      ? new Date(startOfRun(acceptedAt) + continuousRun_ms)
      : this.#calendar.start(this.#holidays.workingDayFrom(day));
  }

  /** Returns the working day on which a letter is printed. */
  printDay(acceptedAt: Date): string {
    return this.#holidays.workingDayFrom(this.runDay(acceptedAt));
  }

  /**
   * Returns the latest cut-off at or before a moment: letters accepted before it may be in print. With one run a day, includes cut-offs of
   * days that are not working days.
   */
  lastCutOff(moment: Date): Date {
    if (this.isContinuous) return this.lastRun(moment);
    return this.cutOffOf(addDays(this.runDay(moment), -1));
  }

  /** Returns the latest cut-off at or before a moment, on a working day. */
  lastRun(moment: Date): Date {
    if (this.isContinuous && this.#holidays.isWorkingDay(this.#calendar.day(moment)))
      return new Date(startOfRun(moment));
    for (let day = this.#calendar.day(moment); ; day = addDays(day, -1)) {
      const cutOff = this.cutOffOf(day);
      if (this.#holidays.isWorkingDay(day) && cutOff <= moment) return cutOff;
    }
  }

  /** If `run` is the moment of a run: letters handed over before the result have been at the printer for two working days. */
  twoDaysBefore(run: Date): Date {
    const dayBefore = (moment: Date) => this.lastRun(this.cutOffOf(addDays(this.#calendar.day(moment), -1)));
    // The last run of the previous day may be only minutes earlier.
    return this.isContinuous ? dayBefore(dayBefore(run)) : dayBefore(run);
  }

  /** Returns the run that is printing now. A run with a late cut-off continues after midnight. */
  findCurrentRun(now: Date): { day: string; cutOff: Date } | undefined {
    const cutOff = this.lastRun(now);
    const day = this.#calendar.day(cutOff);
    const goesOn = day === this.#calendar.day(now) || now.getTime() - cutOff.getTime() < printRun_ms;
    return goesOn ? { day, cutOff } : undefined;
  }

  /** Returns the end of the last day of transit. A postage class of a former country counts as the default class. */
  estimatedDelivery(acceptedAt: Date, postage: string | null): Date {
    const { classes, default: usual } = this.#postage;
    const found = classes.find(({ id }) => id === postage) ?? classes.find(({ id }) => id === usual);
    const { transitDays = 0, deliveryWeekdays = [] } = found ?? {};
    const isDeliveryDay = (day: string) => deliveryWeekdays.includes(weekday(day)) && !this.#holidays.has(day);
    let day = this.#holidays.workingDayFrom(addDays(this.runDay(acceptedAt), 1));
    for (let left = transitDays; left > 0; left -= 1) {
      do day = addDays(day, 1);
      while (!isDeliveryDay(day));
    }
    return this.#calendar.instant(day, delivered.hour, delivered.minute);
  }
}

/** Works in UTC for every zone, because offsets are multiples of 15 minutes. */
function startOfRun(moment: Date): number {
  return Math.floor(moment.getTime() / continuousRun_ms) * continuousRun_ms;
}
