import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Datetime, Day, Nullable, QueryInteger, Uuid } from '../protocol/fields.ts';
import { complaintPageSize, countComplaints, listComplaints } from './complaints.ts';

const Link = Type.String({ description: 'Path and query of the page' });
const Complaints = Type.Object({
  complaints: Type.Array(
    Type.Object({
      id: Uuid,
      notification_id: Uuid,
      service_id: Uuid,
      service_name: Type.String(),
      ses_feedback_id: Nullable(Type.String()),
      complaint_type: Nullable(Type.String()),
      complaint_date: Nullable(Datetime),
      created_at: Datetime,
    }),
  ),
  links: Type.Object({ first: Link, last: Link, next: Nullable(Link), prev: Nullable(Link) }),
  page_size: Type.Integer(),
  total: Type.Integer(),
});

export function complaintRoutes(http: Http, app: Platform): void {
  http.get(
    '/complaint',
    {
      schema: {
        summary: 'List complaints about emails, newest first, with pagination',
        querystring: Type.Object({ page: Type.Optional(QueryInteger) }),
        response: { 200: Complaints },
      },
    },
    async ({ query }) => {
      const page = Number(query.page ?? 1);
      const { complaints, total, pages } = await listComplaints(app, page);
      const links = {
        first: link(1),
        last: link(pages),
        next: page < pages ? link(page + 1) : null,
        prev: page > 1 ? link(page - 1) : null,
      };
      return { complaints, links, page_size: complaintPageSize, total };
    },
  );

  http.get(
    '/complaint/count-by-date-range',
    {
      schema: {
        summary: 'Count the complaints recorded in a range of London days',
        querystring: Type.Object({ start_date: Type.Optional(Day), end_date: Type.Optional(Day) }),
        response: { 200: Type.Integer() },
      },
    },
    async ({ query }) => countComplaints(app, query),
  );
}

function link(page: number): string {
  return `/complaint?page=${page}`;
}
