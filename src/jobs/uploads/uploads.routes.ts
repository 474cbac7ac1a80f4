import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { invalidField } from '../../platform/failure.ts';
import { StreamedBody } from '../../platform/http/body/streamed-body.ts';
import { sendCsv } from '../../platform/http/csv.ts';
import type { Http } from '../../platform/http/surface.ts';
import { Data, isTrue, NoContent, Nullable, OfService, QueryBoolean, Raw, Uuid } from '../../protocol/fields.ts';
import { copyContactList } from '../contact-lists/contact-lists.ts';
import { problemsFile } from './stored-rows.ts';
import { UploadRecord, uploadRecord } from './upload-record.ts';
import {
  changeUpload,
  checkCopy,
  getService,
  getUpload,
  receiveUpload,
  removeUpload,
  type UploadDeps,
} from './uploads.ts';

const OfUpload = Type.Object({ service_id: Uuid, upload_id: Uuid });

export function uploadRoutes(http: Http, app: UploadDeps): void {
  http.post(
    '/service/:service_id/upload',
    {
      config: { bodyTypes: { '*': 'stream' } },
      schema: {
        summary: 'Upload a file of recipients, and check it',
        description:
          'The body is the file itself: csv, tsv, xlsx, xlsm or ods, by the extension of `filename`. Nothing is sent: `POST /service/{service_id}/job` with the id of the upload does that.',
        params: OfService,
        querystring: Type.Object({
          id: Type.Optional(
            Type.String({
              format: 'uuid',
              description: 'Id of the upload, and of its job; one is made up if it is not given',
            }),
          ),
          filename: Type.Optional(Type.String({ minLength: 1, maxLength: 1_600 })),
          template_id: Type.Optional(Uuid),
          sender_id: Type.Optional(Uuid),
          language: Type.Optional(
            Type.String({
              description: 'BCP 47: of rows that ask for none, if the template has texts in several languages',
            }),
          ),
          contact_list: Type.Optional(QueryBoolean),
          contact_list_id: Type.Optional(
            Type.String({ format: 'uuid', description: 'Copies a saved list instead of a body' }),
          ),
        }),
        response: { 201: Data(UploadRecord) },
      },
    },
    async (request, reply) => {
      const service = await getService(app, request.params.service_id);
      const { contact_list, contact_list_id, filename, ...query } = request.query;
      const body = request.body instanceof StreamedBody ? request.body : undefined;
      const upload =
        contact_list_id === undefined
          ? await receiveUpload(app, service, {
              ...query,
              filename: required('filename', filename),
              is_contact_list: isTrue(contact_list),
              body,
              signal: goneSignal(reply),
            })
          : await checkCopy(app, service, await copyContactList(app, service.id, contact_list_id, query.id), query);
      return reply.code(201).send({ data: await uploadRecord(app, service, upload) });
    },
  );

  http.get(
    '/service/:service_id/upload/:upload_id',
    {
      schema: {
        summary: 'Get an upload with the result of its check',
        params: OfUpload,
        response: { 200: Data(UploadRecord) },
      },
    },
    async ({ params }) => {
      const service = await getService(app, params.service_id);
      return { data: await uploadRecord(app, service, await getUpload(app, service.id, params.upload_id)) };
    },
  );

  http.post(
    '/service/:service_id/upload/:upload_id',
    {
      schema: {
        summary: 'Choose the template or the sender of an upload, and check it again',
        params: OfUpload,
        body: Type.Object({ template_id: Type.Optional(Uuid), sender_id: Type.Optional(Nullable(Uuid)) }),
        response: { 200: Data(UploadRecord) },
      },
    },
    async ({ params, body }) => {
      const service = await getService(app, params.service_id);
      const upload = await changeUpload(app, service, params.upload_id, body);
      return { data: await uploadRecord(app, service, upload) };
    },
  );

  http.get(
    '/service/:service_id/upload/:upload_id/problems.csv',
    {
      schema: {
        summary: 'Download every row with a problem',
        params: OfUpload,
        response: { 200: Raw('text/csv', 'The number of each row in the spreadsheet, its cells and its problems') },
      },
    },
    async ({ params }, reply) => {
      const upload = await getUpload(app, params.service_id, params.upload_id);
      return sendCsv(reply, `problems of ${upload.original_file_name}.csv`, problemsFile(app.db, upload));
    },
  );

  http.delete(
    '/service/:service_id/upload/:upload_id',
    { schema: { summary: 'Delete an upload that was not sent', params: OfUpload, response: { 204: NoContent } } },
    async ({ params }, reply) => {
      await removeUpload(app, await getService(app, params.service_id), params.upload_id);
      return reply.code(204).send(null);
    },
  );
}

function required(field: string, value: string | undefined): string {
  if (value === undefined) throw invalidField(field, 'Missing data for required field.');
  return value;
}

/** Aborts when the client disconnects before the response was sent. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    gone.abort(Object.assign(new Error('The client closed the connection'), { statusCode: 400 }));
  });
  return gone.signal;
}
