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
 * Keeps the days in memory and reloads them when they change, because responses compute the print day without a query. If a change
 * notification is lost, estimates may be outdated; the print run reads the table itself.
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

/** Returns today and later days, in order. */
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

/** Skips past days, and does not rename days in the table. Returns the number of added days. */
export async function addDaysWithoutPrinting(app: Deps, days: readonly DayWithoutPrinting[]): Promise<number> {
  const today = app.country.calendar.day(app.clock.now());
  const coming = days.filter(({ day }) => day >= today);
  return coming.length === 0 ? 0 : insertDaysWithoutPrinting(app.db, coming, timestamp(app.clock.now()));
}

export async function removeDayWithoutPrinting(app: Deps, day: string): Promise<void> {
  if (!(await deleteDayWithoutPrinting(app.db, day))) throw notFound();
  await readDaysWithoutPrinting(app);
}
