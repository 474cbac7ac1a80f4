import { Type } from 'typebox';
import { isDay } from '../../countries/calendar.ts';
import { activityRecordSchema } from '../../notifications/history/activity-record.ts';
import { invalidField } from '../../platform/failure.ts';
import { PageLinks, pageLinks } from '../../platform/http/page-links.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { channels } from '../../protocol/channels.ts';
import { Nullable, OfService, OneOf, QueryInteger, Uuid } from '../../protocol/fields.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { readDays, readPage } from '../jobs.ts';
import { listUploadedLetters, listUploads, uploadsPageSize as page_size } from './uploads-page.ts';

const Upload = Type.Object({
  id: Nullable(Uuid),
  original_file_name: Type.String(),
  notification_count: Type.Integer(),
  template_type: OneOf(channels),
  upload_type: OneOf(['job', 'letter_day']),
  created_at: Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS; the scheduled time, if there is one' }),
  recipient: Type.Null(),
  statistics: Type.Array(Type.Object({ status: Type.String(), count: Type.Integer() })),
});

const page = { page_size: Type.Integer(), total: Type.Integer(), links: PageLinks };

export function uploadsPageRoutes(http: Http, app: Platform & { compiledTemplates: CompiledTemplates }): void {
  http.get(
    '/service/:service_id/upload',
    {
      schema: {
        summary: 'List the files that were sent, and the days on which letters were uploaded',
        params: OfService,
        querystring: Type.Object({ page: Type.Optional(QueryInteger), limit_days: Type.Optional(Type.String()) }),
        response: { 200: Type.Object({ data: Type.Array(Upload), ...page }) },
      },
    },
    async ({ params: { service_id }, query }) => {
      const wanted = { page: readPage('page', query.page) ?? 1, limit_days: readDays(query.limit_days) };
      const { data, total, pages } = await listUploads(app, service_id, wanted);
      const links = pageLinks(`/service/${service_id}/upload`, query, { page: wanted.page, pages });
      return { data, page_size, total, links };
    },
  );

  http.get(
    '/service/:service_id/upload/uploaded-letters/:letter_print_date',
    {
      schema: {
        summary: 'List the letters that were uploaded for the print run of a day, newest first',
        params: Type.Object({
          service_id: Uuid,
          letter_print_date: Type.String({ description: 'YYYY-MM-DD, London' }),
        }),
        querystring: Type.Object({ page: Type.Optional(QueryInteger) }),
        response: { 200: Type.Object({ notifications: Type.Array(activityRecordSchema(app.country)), ...page }) },
      },
    },
    async ({ params: { service_id, letter_print_date: day }, query }) => {
      if (!isDay(day)) throw invalidField('letter_print_date', 'Not a valid date.');
      const wanted = { day, page: readPage('page', query.page) ?? 1 };
      const { notifications, total, pages } = await listUploadedLetters(app, service_id, wanted);
      const path = `/service/${service_id}/upload/uploaded-letters/${day}`;
      return { notifications, page_size, total, links: pageLinks(path, query, { page: wanted.page, pages }) };
    },
  );
}
