import { Type } from 'typebox';
import { fromStandby } from '../../platform/db/servers/standby.ts';
import { sendCsv } from '../../platform/http/csv.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Raw, Uuid } from '../../protocol/fields.ts';
import { originalOfJob, reportOfJob } from './job-report.ts';

const params = Type.Object({ service_id: Uuid, job_id: Uuid });

export function jobReportRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/job/:job_id/report.csv',
    {
      schema: {
        summary: 'Download the rows of a job with the status of each message',
        params,
        response: { 200: Raw('text/csv', 'The columns of the file between the row number and the status') },
      },
    },
    async ({ params: { service_id, job_id } }, reply) => {
      const { name, parts } = await fromStandby(app, 'file', (reader) => reportOfJob(reader, service_id, job_id));
      return sendCsv(reply, name, parts);
    },
  );

  http.get(
    '/service/:service_id/job/:job_id/original.csv',
    {
      schema: {
        summary: 'Download the file of a job as it was uploaded, as CSV',
        params,
        response: { 200: Raw('text/csv', 'The cells of the file, unchanged') },
      },
    },
    async ({ params: { service_id, job_id } }, reply) => {
      const { name, parts } = await fromStandby(app, 'file', (reader) => originalOfJob(reader, service_id, job_id));
      return sendCsv(reply, name, parts);
    },
  );
}
