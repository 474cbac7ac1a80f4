import { Type } from 'typebox';
import { invalidField } from '../platform/failure.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, Datetime, Nullable, OfService, QueryInteger, Uuid } from '../protocol/fields.ts';
import { TemplateTypes } from './template-record.ts';
import { countByTemplateAndMonth, countByTemplateAndStatus, getLastUsed } from './template-statistics.ts';

export function templateStatisticsRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/template-statistics',
    {
      schema: {
        summary: 'Count recent messages by template and status',
        params: OfService,
        querystring: Type.Object({
          whole_days: Type.Optional(QueryInteger),
          limit_days: Type.Optional({ ...QueryInteger, description: 'Older name of whole_days' }),
        }),
        response: {
          200: Data(
            Type.Array(
              Type.Object({
                count: Type.Integer(),
                status: Type.String(),
                template_id: Uuid,
                template_name: Type.String(),
                template_type: TemplateTypes,
                is_precompiled_letter: Type.Boolean(),
              }),
            ),
          ),
        },
      },
    },
    async (request) => {
      const days = request.query.whole_days ?? request.query.limit_days;
      if (days === undefined) throw invalidField('whole_days', 'Missing data for required field.');
      return { data: await countByTemplateAndStatus(app, request.params.service_id, Number(days)) };
    },
  );

  http.get(
    '/service/:service_id/template-statistics/last-used/:template_id',
    {
      schema: {
        summary: 'Get the day a template was last used',
        params: Type.Object({ service_id: Uuid, template_id: Uuid }),
        response: { 200: Type.Object({ last_date_used: Nullable(Datetime) }) },
      },
    },
    async (request) => ({
      last_date_used: await getLastUsed(app, request.params.service_id, request.params.template_id),
    }),
  );

  http.get(
    '/service/:service_id/notifications/templates_usage/monthly',
    {
      schema: {
        summary: 'Count messages of a financial year by template and month',
        params: OfService,
        querystring: Type.Object({
          year: Type.Optional(Type.String({ description: 'The year in which the financial year starts' })),
        }),
        response: {
          200: Type.Object({
            stats: Type.Array(
              Type.Object({
                template_id: Uuid,
                name: Type.String(),
                type: TemplateTypes,
                month: Type.Integer(),
                year: Type.Integer(),
                count: Type.Integer(),
                is_precompiled_letter: Type.Boolean(),
              }),
            ),
          }),
        },
      },
    },
    async (request) => ({
      stats: await countByTemplateAndMonth(app, request.params.service_id, request.query.year),
    }),
  );
}
