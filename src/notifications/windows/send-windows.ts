import { isDay } from '../../countries/calendar.ts';
import { nextOpening, weekdays } from '../../countries/timing/send-windows.ts';
import { isTimeZone } from '../../countries/timing/zones.ts';
import { t } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { Failure, invalid, invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { type CompiledTemplates, findTemplate } from '../../templates/compiled-templates.ts';
import { enqueueRetiming } from './held-messages.ts';
import {
  deleteTemplateWindow,
  deleteWindow,
  insertWindow,
  type SendingTimesRow,
  type SendWindowRow,
  selectSendingTimes,
  selectTemplateWindow,
  selectWindows,
  updateWindow,
  upsertSendingTimes,
  upsertTemplateWindow,
  type WindowFields,
} from './send-windows.sql.ts';

type TemplateDeps = Platform & { compiledTemplates: CompiledTemplates };

const maxWindows = 20;
const maxNameLength = 100;
const maxClosedDays = 366;

/** Returns the windows of a service and those chosen for each channel. */
export async function getSendingTimes(app: Platform, serviceId: string) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const chosen = await selectSendingTimes(app.db, serviceId);
  return {
    windows: await selectWindows(app.db, serviceId),
    sms_window_id: chosen?.sms_window_id ?? null,
    email_window_id: chosen?.email_window_id ?? null,
    time_zone: chosen?.time_zone ?? null,
  };
}

export async function createWindow(
  app: Platform,
  serviceId: string,
  fields: WindowFields,
  created_by_id: string | null,
): Promise<SendWindowRow> {
  const now = app.clock.now();
  const row = {
    id: newId(now),
    service_id: serviceId,
    ...readWindow(fields, now),
    created_by_id,
    created_at: timestamp(now),
    updated_at: null,
  };
  await inTransaction(app.db, async (tx) => {
    if ((await selectWindows(tx, serviceId)).length >= maxWindows) {
      throw invalid(t('A service can have {max} sending times', { max: maxWindows }));
    }
    await insertWindow(tx, row);
  });
  return row;
}

export async function changeWindow(
  app: Platform,
  serviceId: string,
  id: string,
  fields: WindowFields,
): Promise<SendWindowRow> {
  const now = app.clock.now();
  const changes = { ...readWindow(fields, now), updated_at: timestamp(now) };
  await inTransaction(app.db, async (tx) => {
    if (!(await updateWindow(tx, { id, service_id: serviceId, ...changes }))) throw notFound();
    await enqueueRetiming(app, tx, serviceId);
  });
  const changed = (await selectWindows(app.db, serviceId)).find((window) => window.id === id);
  if (!changed) throw notFound();
  return changed;
}

export async function removeWindow(app: Platform, serviceId: string, id: string): Promise<void> {
  if (!(await deleteWindow(app.db, serviceId, id))) throw notFound();
}

/** A task then gives waiting messages and files their new times. */
export async function setSendingTimes(
  app: Platform,
  serviceId: string,
  chosen: Omit<SendingTimesRow, 'service_id'>,
): Promise<void> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  if (chosen.time_zone !== null && !isTimeZone(chosen.time_zone)) {
    throw invalidField('time_zone', t('{text} is not a time zone.', { text: chosen.time_zone }));
  }
  await inTransaction(app.db, async (tx) => {
    await upsertSendingTimes(tx, { service_id: serviceId, ...chosen });
    await enqueueRetiming(app, tx, serviceId);
  });
}

/** Returns `inherit`, `none` or the id of a window. */
export async function getTemplateWindow(app: TemplateDeps, serviceId: string, templateId: string): Promise<string> {
  await refuseUnlessTemplate(app, serviceId, templateId);
  const window_id = await selectTemplateWindow(app.db, templateId);
  return window_id === undefined ? 'inherit' : (window_id ?? 'none');
}

export async function setTemplateWindow(
  app: TemplateDeps,
  serviceId: string,
  templateId: string,
  window: string,
): Promise<void> {
  await refuseUnlessTemplate(app, serviceId, templateId);
  await inTransaction(app.db, async (tx) => {
    if (window === 'inherit') await deleteTemplateWindow(tx, templateId);
    else {
      const window_id = window === 'none' ? null : window;
      await upsertTemplateWindow(tx, { template_id: templateId, service_id: serviceId, window_id });
    }
    await enqueueRetiming(app, tx, serviceId);
  });
}

async function refuseUnlessTemplate(app: TemplateDeps, serviceId: string, templateId: string): Promise<void> {
  if ((await findTemplate(app, serviceId, templateId)).found !== 'here') throw notFound();
}

/** Throws one failure with the problems of all fields. */
function readWindow({ name, days, from_time, until_time, closed_days }: WindowFields, now: Date): WindowFields {
  const problems: Record<string, string[]> = {};
  const window = {
    name: name.trim(),
    days: weekdays.filter((day) => days.includes(day)),
    from_time,
    until_time,
    closed_days: [...new Set(closed_days)].sort(),
  };
  if (window.name === '') problems.name = [t('Enter a name.')];
  if (window.name.length > maxNameLength)
    problems.name = [t('Enter at most {max} characters.', { max: maxNameLength })];
  if (window.days.length === 0) problems.days = [t('Choose at least one day.')];
  if (!isTimeOfDay(from_time)) problems.from_time = [t('Enter a time such as 08:00.')];
  if (!isTimeOfDay(until_time) && until_time !== '24:00') problems.until_time = [t('Enter a time such as 21:00.')];
  const wrong = window.closed_days.find((day) => !isDay(day));
  if (wrong !== undefined) problems.closed_days = [t('{text} is not a date such as 2026-12-25.', { text: wrong })];
  if (window.closed_days.length > maxClosedDays)
    problems.closed_days = [t('Enter at most {max} dates.', { max: maxClosedDays })];
  if (Object.keys(problems).length > 0) throw new Failure('invalid', 'ValidationError', problems);
  const starts = [now, ...window.closed_days.map((day) => new Date(`${day}T00:00:00Z`))];
  const closed = starts.find((start) => nextOpening(window, ['UTC'], start) === undefined);
  if (closed) {
    const from = closed.toISOString().slice(0, 10);
    throw invalidField('closed_days', t('Nothing could be sent for more than 14 days from {from}.', { from }));
  }
  return window;
}

function isTimeOfDay(text: string): boolean {
  return /^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(text);
}
