import { Type } from 'typebox';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { Failure } from '../platform/failure.ts';
import { PageLinks, pageLinks } from '../platform/http/page-links.ts';
import type { Http } from '../platform/http/surface.ts';
import { Data, NoContent, Nullable, OfService, QueryInteger, Uuid } from '../protocol/fields.ts';
import type { JobDeps } from './accept-job.ts';
import { cancelLetterJob } from './cancel-job.ts';
import { JobRecord } from './job-record.ts';
import { hasJobs, selectScheduledStatistics } from './jobs.sql.ts';
import { type CreateJobRequest, cancelJobOfAdmin, createJob, getJob, listJobs, readDays, readPage } from './jobs.ts';
import { sendJobNow } from './send-job-now.ts';

const JobParams = Type.Object({ service_id: Uuid, job_id: Uuid });

const Query = Type.Object({
  page: Type.Optional(QueryInteger),
  limit_days: Type.Optional(Type.String({ description: 'Created since London midnight that many days ago' })),
  statuses: Type.Optional(Type.String({ description: 'Separated by commas' })),
  contact_list_id: Type.Optional(Uuid),
});

export function jobRoutes(http: Http, app: JobDeps): void {
  http.post(
    '/service/:service_id/job',
    {
      schema: {
        summary: 'Send an uploaded file, now or at a time within 7 days',
        params: OfService,
        // The fields have no types: the rules check the fields, because other refusals come first.
        body: Type.Unsafe<CreateJobRequest>({
          type: 'object',
          properties: {
            id: { description: 'Of the upload, a UUID; becomes that of the job' },
            created_by: { description: 'Id of the user' },
            scheduled_for: { description: 'ISO 8601, within 7 days; UTC without an offset' },
            contact_list_id: { description: 'Id of the contact list that was uploaded' },
            on_error: { description: '`reject` (the default), or `skip`: rows with problems are left out' },
          },
        }),
        response: { 201: Data(JobRecord) },
      },
    },
    async ({ params, body }, reply) => reply.code(201).send({ data: await createJob(app, params.service_id, body) }),
  );

  http.get(
    '/service/:service_id/job',
    {
      schema: {
        summary: 'List jobs, those not started first, then the newest',
        params: OfService,
        querystring: Query,
        response: {
          200: Type.Object({
            data: Type.Array(JobRecord),
            page_size: Type.Integer(),
            total: Type.Integer(),
            links: PageLinks,
          }),
        },
      },
    },
    async ({ params, query }) => {
      const page = readPage('page', query.page) ?? 1;
      const { pages, ...listed } = await listJobs(app, params.service_id, {
        page,
        limit_days: readDays(query.limit_days),
        statuses: query.statuses?.split(',').map((status) => status.trim()),
        contact_list_id: query.contact_list_id,
      });
      return { ...listed, links: pageLinks(`/service/${params.service_id}/job`, query, { page, pages }) };
    },
  );

  http.get(
    '/service/:service_id/job/scheduled-job-stats',
    {
      schema: {
        summary: 'Count scheduled jobs',
        params: OfService,
        response: {
          200: Type.Object({ count: Type.Integer(), soonest_scheduled_for: Nullable(Type.String()) }),
        },
      },
    },
    async ({ params }) => {
      await refuseUnlessExists(app.db, 'services', params.service_id);
      const { count, soonest } = await selectScheduledStatistics(app.db, params.service_id);
      return { count, soonest_scheduled_for: soonest && isoOf(soonest) };
    },
  );

  http.get(
    '/service/:service_id/job/has_jobs',
    {
      schema: {
        summary: 'Whether a service has ever sent a file',
        params: OfService,
        response: { 200: Data(Type.Object({ has_jobs: Type.Boolean() })) },
      },
    },
    async ({ params }) => {
      await refuseUnlessExists(app.db, 'services', params.service_id);
      return { data: { has_jobs: await hasJobs(app.db, params.service_id) } };
    },
  );

  http.get(
    '/service/:service_id/job/:job_id',
    { schema: { summary: 'Get a job with its progress', params: JobParams, response: { 200: Data(JobRecord) } } },
    async ({ params }) => ({ data: await getJob(app, params.service_id, params.job_id) }),
  );

  http.get(
    '/service/:service_id/job/:job_id/notification_count',
    {
      schema: {
        summary: 'Count the notifications of a job',
        params: JobParams,
        response: { 200: Type.Object({ count: Type.Integer() }) },
      },
    },
    async ({ params }) => ({ count: (await getJob(app, params.service_id, params.job_id)).rows_done }),
  );

  http.post(
    '/service/:service_id/job/:job_id/cancel',
    {
      schema: {
        summary: 'Cancel a job that is scheduled or not finished',
        params: JobParams,
        response: { 200: Data(JobRecord) },
      },
    },
    async ({ params }) => ({ data: await cancelJobOfAdmin(app, params.service_id, params.job_id) }),
  );

  http.post(
    '/service/:service_id/job/:job_id/send-now',
    {
      schema: {
        summary: 'Send the messages of a job now that wait for their sending time',
        params: JobParams,
        response: { 204: NoContent },
      },
    },
    async ({ params }, reply) => {
      await sendJobNow(app, params.service_id, params.job_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/service/:service_id/job/:job_id/cancel-letter-job',
    {
      schema: {
        summary: 'Cancel all letters of a job before they are printed',
        params: JobParams,
        response: { 200: Type.Integer(), 400: Type.Object({ message: Type.String() }) },
      },
    },
    async ({ params }, reply) => {
      try {
        return await cancelLetterJob(app, params.service_id, params.job_id);
      } catch (error) {
        // The protocol has no `result` here.
        if (error instanceof Failure && error.kind === 'invalid')
          return reply.code(400).send({ message: error.message });
        throw error;
      }
    },
  );
}

/** The protocol writes this one time differently. */
function isoOf(time: string): string {
  return `${time.slice(0, 19)}${time.slice(19, -1).replace(/\.0+$/, '')}+00:00`;
}
