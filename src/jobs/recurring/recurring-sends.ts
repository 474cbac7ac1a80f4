import { addDays, isDay } from '../../countries/calendar.ts';
import type { Country } from '../../countries/country.ts';
import {
  lastRecurringDay,
  nextOccurrences,
  parseRule,
  type Recurrence,
  type RecurrenceRule,
} from '../../countries/timing/recurrence.ts';
import { isTimeZone } from '../../countries/timing/zones.ts';
import { forApi, t } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists, selectUnknownIds } from '../../platform/db/exists.ts';
import { Failure, invalid, invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { findTemplate } from '../../templates/compiled-templates.ts';
import { maySend } from '../../users/members/permissions.ts';
import { getContactList } from '../contact-lists/contact-lists.ts';
import { chooseSender, getService, type UploadDeps } from '../uploads/uploads.ts';
import {
  deleteRecurringSend,
  insertRecurringSend,
  lockRecurringSend,
  type RecurringSendRow,
  selectOwner,
  selectRecurringSend,
  selectRecurringSends,
  selectRuns,
  updateRecurringSend,
} from './recurring-sends.sql.ts';
import { countRuns, pauseLocked } from './run-outcomes.ts';

const datesShown = 5;
const runsShown = 20;
const maxPerService = 50;

interface TimesRequest {
  rule: string;
  starts_on: string;
  at_time: string;
  time_zone?: string | null | undefined;
}

interface RecurringRequest extends TimesRequest {
  template_id: string;
  contact_list_id: string;
  sender_id?: string | null | undefined;
  created_by: string;
}

export type RecurringSend = Omit<RecurringSendRow, 'failures'> & { next_dates: string[] };

export async function listRecurringSends(app: Platform, serviceId: string): Promise<RecurringSend[]> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  return (await selectRecurringSends(app.db, serviceId)).map((row) => recordOf(app, row));
}

export async function getRecurringSend(
  app: Platform,
  serviceId: string,
  id: string,
): Promise<RecurringSend & { runs: Awaited<ReturnType<typeof selectRuns>> }> {
  const row = await findRow(app, serviceId, id);
  return { ...recordOf(app, row), runs: await selectRuns(app.db, id, runsShown) };
}

async function findRow({ db }: Platform, serviceId: string, id: string): Promise<RecurringSendRow> {
  const row = await selectRecurringSend(db, id);
  if (row?.service_id !== serviceId) throw notFound();
  return row;
}

function recordOf({ clock, country }: Platform, { failures: _, ...row }: RecurringSendRow): RecurringSend {
  const isActive = row.state === 'active';
  const dates = isActive ? nextOccurrences(recurrenceOf(country, row), clock.now(), datesShown) : [];
  return { ...row, next_dates: dates.map(timestamp) };
}

export function recurrenceOf(
  country: Country,
  { rule: text, starts_on, at_time, time_zone }: Omit<RecurringSendRow, 'failures'>,
): Recurrence {
  const rule = parseRule(text);
  if (!rule) throw new Error(`A recurring send has the rule ${text}`);
  return { rule, starts_on, at_time, time_zone, isWorkingDay: (day) => country.holidays.isWorkingDay(day) };
}

/** Returns the next five dates of a rule without saving anything. */
export function previewDates(app: Platform, request: TimesRequest): string[] {
  return nextOccurrences(readTimes(app, request), app.clock.now(), datesShown).map(timestamp);
}

/** Throws one failure with the problems of all fields. */
function readTimes(
  { clock, country }: Platform,
  { rule: text, starts_on, at_time, time_zone }: TimesRequest,
): Recurrence {
  const rule = parseRule(text);
  const zone = time_zone ?? country.calendar.zone;
  const problems: Record<string, string[]> = {};
  if (!rule) problems.rule = ['Use a rule such as FREQ=WEEKLY;BYDAY=MO'];
  else if (isEndlessUntil(rule)) problems.rule = [`UNTIL cannot be after ${lastRecurringDay}`];
  const earliest = addDays(country.calendar.day(clock.now()), -366);
  if (!isDay(starts_on)) problems.starts_on = ['Enter a date such as 2026-12-01.'];
  else if (starts_on < earliest || starts_on > lastRecurringDay) {
    problems.starts_on = [t('Enter a day from {first} to {last}.', { first: earliest, last: lastRecurringDay })];
  }
  if (!/^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(at_time)) problems.at_time = ['Enter a time such as 10:00.'];
  if (!isTimeZone(zone)) problems.time_zone = [`${zone} is not a time zone.`];
  if (!rule || Object.keys(problems).length > 0) throw new Failure('invalid', 'ValidationError', problems);
  return { rule, starts_on, at_time, time_zone: zone, isWorkingDay: (day) => country.holidays.isWorkingDay(day) };
}

function isEndlessUntil({ until }: RecurrenceRule): boolean {
  return (until instanceof Date ? until.toISOString() : (until ?? '')).slice(0, 10) > lastRecurringDay;
}

export async function createRecurringSend(
  app: UploadDeps,
  serviceId: string,
  request: RecurringRequest,
): Promise<RecurringSend> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const times = readTimes(app, request);
  const now = app.clock.now();
  const [next] = nextOccurrences(times, now, 1);
  if (!next) throw invalidField('rule', 'This rule has no date in the future.');
  const [unknown] = await selectUnknownIds(app.db, [{ field: 'created_by', table: 'users', id: request.created_by }]);
  if (unknown) throw invalidField(unknown, 'No result found');
  const template = await findTemplate(app, serviceId, request.template_id);
  if (template.found !== 'here' || template.template.row.archived) throw invalidField('template_id', 'No result found');
  const { folder } = template.template.row;
  await refuseUnlessOwner(app, 'created_by', { service_id: serviceId, user_id: request.created_by, folder });
  const list = await getContactList(app, serviceId, request.contact_list_id).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'not-found')
      throw invalidField('contact_list_id', 'No result found');
    throw error;
  });
  if (list.template_type !== template.template.row.template_type) {
    throw invalidField('contact_list_id', `The list has recipients of the type ${list.template_type}`);
  }
  if ((await selectRecurringSends(app.db, serviceId)).length >= maxPerService) {
    throw invalid(
      forApi(
        `A service can have ${maxPerService} recurring sends`,
        t('Your service has {max} recurring sends, the most it can have. Delete one first.', { max: maxPerService }),
      ),
    );
  }
  const sender_id = chooseSender(await getService(app, serviceId), template.template, request.sender_id);
  const row: RecurringSendRow = {
    id: newId(now),
    service_id: serviceId,
    template_id: request.template_id,
    contact_list_id: request.contact_list_id,
    sender_id,
    rule: request.rule,
    starts_on: times.starts_on,
    at_time: times.at_time,
    time_zone: times.time_zone,
    next_at: timestamp(next),
    state: 'active',
    ends_reason: null,
    failures: 0,
    created_by_id: request.created_by,
    created_at: timestamp(now),
  };
  await insertRecurringSend(app.db, row);
  return recordOf(app, row);
}

/** A recurring send needs a person who stands for it: a member who could send the template to the list by hand. */
async function refuseUnlessOwner(
  { db }: Platform,
  field: string,
  person: Parameters<typeof selectOwner>[1],
): Promise<void> {
  const owner = await selectOwner(db, person);
  if (!owner) throw invalidField(field, 'This person is not a member of the service.');
  if (!maySend(owner.permissions)) throw invalidField(field, 'This person may not send messages.');
  if (!owner.sees_folder) throw invalidField(field, 'This person cannot see the template.');
}

const changedMeanwhile = t('Somebody has changed this recurring send. Look at it again.');
const noFurtherDate = forApi(
  'This recurring send has no further date',
  t('This recurring send has no further date. Add another one.'),
);

/** A date that still waits for its file is skipped. */
export async function pauseRecurringSend(app: Platform, serviceId: string, id: string): Promise<void> {
  await findRow(app, serviceId, id);
  const skipped = await inTransaction(app.db, async (tx) => {
    const send = await lockRecurringSend(tx, id);
    if (send?.state !== 'active') throw invalid(forApi('This recurring send is not active', changedMeanwhile));
    return pauseLocked(tx, send, null);
  });
  countRuns(app, 'skipped', skipped);
}

/** Continues with the next date; those during the pause are left out. Whoever resumes it becomes its owner. */
export async function resumeRecurringSend(
  app: UploadDeps,
  serviceId: string,
  id: string,
  userId: string,
): Promise<void> {
  const row = await findRow(app, serviceId, id);
  if (row.state !== 'paused') throw invalid(forApi('This recurring send is not paused', changedMeanwhile));
  const template = await findTemplate(app, serviceId, row.template_id);
  const folder = template.found === 'here' ? template.template.row.folder : null;
  await refuseUnlessOwner(app, 'user_id', { service_id: serviceId, user_id: userId, folder });
  const [next] = nextOccurrences(recurrenceOf(app.country, row), app.clock.now(), 1);
  if (!next) throw invalid(noFurtherDate);
  await updateRecurringSend(app.db, id, {
    ...{ state: 'active', next_at: timestamp(next), ends_reason: null, failures: 0 },
    created_by_id: userId,
  });
}

/** Keeps the jobs that it created. */
export async function removeRecurringSend(app: Platform, serviceId: string, id: string): Promise<void> {
  await findRow(app, serviceId, id);
  await deleteRecurringSend(app.db, id);
}
