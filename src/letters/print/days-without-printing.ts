import { t } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import { invalidField, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  type DayWithoutPrinting,
  deleteDayWithoutPrinting,
  insertDaysWithoutPrinting,
  selectDaysWithoutPrinting,
} from './days-without-printing.sql.ts';

type Deps = Pick<Platform, 'db' | 'country' | 'clock'>;

/**
 * Responses compute when a letter is printed without a read, so every process keeps the days and reads them again when they change.
 * While notifications may be lost, its estimates may be old; the print run reads the days itself.
 */
export function followDaysWithoutPrinting(app: Platform): void {
  const read = () => {
    readDaysWithoutPrinting(app).catch((error) =>
      app.log.error({ event: 'days_without_printing.unread', err: error }, 'Days without printing could not be read'),
    );
  };
  app.changeListener.on('days_without_printing_changed', read);
  app.changeListener.onReset(() => app.changeListener.connected && read());
}

export async function readDaysWithoutPrinting({ db, country }: Pick<Deps, 'db' | 'country'>): Promise<void> {
  await country.holidays.readAdded(async () => (await selectDaysWithoutPrinting(db)).map(({ day }) => day));
}

/** Today and later, by day. */
export async function listDaysWithoutPrinting({ db, country, clock }: Deps): Promise<DayWithoutPrinting[]> {
  const today = country.calendar.day(clock.now());
  return (await selectDaysWithoutPrinting(db)).filter(({ day }) => day >= today);
}

export async function addDayWithoutPrinting(app: Deps, added: DayWithoutPrinting): Promise<void> {
  if (added.day < app.country.calendar.day(app.clock.now())) {
    throw invalidField('day', t('Enter a day that has not passed.'));
  }
  if ((await insertDaysWithoutPrinting(app.db, [added], timestamp(app.clock.now()))) === 0) {
    throw invalidField('day', t('Enter another day. This one is in the list.'));
  }
  await readDaysWithoutPrinting(app);
}

/** Days that have passed are left out, and those in the table keep their names. Returns how many were added. */
export async function addDaysWithoutPrinting(app: Deps, days: readonly DayWithoutPrinting[]): Promise<number> {
  const today = app.country.calendar.day(app.clock.now());
  const coming = days.filter(({ day }) => day >= today);
  return coming.length === 0 ? 0 : insertDaysWithoutPrinting(app.db, coming, timestamp(app.clock.now()));
}

export async function removeDayWithoutPrinting(app: Deps, day: string): Promise<void> {
  if (!(await deleteDayWithoutPrinting(app.db, day))) throw notFound();
  await readDaysWithoutPrinting(app);
}
