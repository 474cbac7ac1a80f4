import { addDays } from '../../countries/calendar.ts';
import { countLettersByHand, listDaysByHand, listLettersByHand } from '../../notifications/history/letters-by-hand.ts';
import { type Timestamp, timestamp } from '../../platform/clock.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { defaultRetentionDays, listRetentions } from '../../services/settings/data-retention.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { selectJobStatistics } from '../jobs.sql.ts';
import { selectUploadLines, type UploadLine } from './uploads-page.sql.ts';

type Deps = Platform & { compiledTemplates: CompiledTemplates };

export const uploadsPageSize = 50;

/** Lists files that were sent and days of letters that were uploaded, while their messages are kept. */
export async function listUploads(app: Deps, serviceId: string, query: { page: number; limit_days?: number }) {
  const kept = await keptSince(app, serviceId);
  const created = query.limit_days === undefined ? undefined : midnight(app, query.limit_days);
  const letters = await listDaysByHand(app, serviceId, created && created > kept.letter ? created : kept.letter);
  const { lines, total } = await selectUploadLines(
    app.db,
    serviceId,
    { kept, created },
    letters.map(({ at, count }) => ({ at: timestamp(at), count })),
    { size: uploadsPageSize, skip: (query.page - 1) * uploadsPageSize },
  );
  const pages = countPages(total, query.page);
  const started = lines.flatMap(({ id, processing_started }) => (id && processing_started ? [id] : []));
  const statistics = await selectJobStatistics(app.db, started);
  return {
    data: lines.map((line) => ({
      ...record(line),
      statistics: statistics.filter(({ job_id }) => job_id === line.id).map(({ status, count }) => ({ status, count })),
    })),
    total,
    pages,
  };
}

/** Returns from when messages are kept, by channel. */
async function keptSince(app: Deps, serviceId: string): Promise<Record<Channel, Timestamp>> {
  const rules = await listRetentions(app.db, serviceId);
  const since = (type: Channel) => {
    const rule = rules.find(({ notification_type }) => notification_type === type);
    return midnight(app, rule?.days_of_retention ?? defaultRetentionDays);
  };
  return { sms: since('sms'), email: since('email'), letter: since('letter') };
}

/** Returns when the day this many days ago began. */
function midnight({ clock, country: { calendar } }: Platform, daysAgo: number): Timestamp {
  return timestamp(calendar.start(addDays(calendar.day(clock.now()), -daysAgo)));
}

function record({ id, created_at, scheduled_for, processing_started: _, ...line }: UploadLine) {
  return {
    id,
    ...line,
    upload_type: id === null ? ('letter_day' as const) : ('job' as const),
    created_at: (scheduled_for ?? created_at).slice(0, 19).replace('T', ' '),
    recipient: null,
  };
}

/** Lists letters that were uploaded for the print run of a day, newest first. */
export async function listUploadedLetters(app: Deps, serviceId: string, query: { day: string; page: number }) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const total = await countLettersByHand(app, serviceId, query.day);
  const pages = countPages(total, query.page);
  const place = { size: uploadsPageSize, skip: (query.page - 1) * uploadsPageSize };
  return { notifications: await listLettersByHand(app, serviceId, query.day, place), total, pages };
}

/** The first page always exists. */
function countPages(total: number, page: number): number {
  const pages = Math.max(1, Math.ceil(total / uploadsPageSize));
  if (page > pages) throw notFound();
  return pages;
}
