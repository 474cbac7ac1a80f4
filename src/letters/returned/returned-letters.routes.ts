import { Type } from 'typebox';
import { acceptsLongLists } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Datetime, Day, LondonTime, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import { referencePattern } from '../print/print-provider.ts';
import {
  countReturnedLetters,
  listReturnedLetterDays,
  listReturnedLetters,
  maxReferences,
  recordReturnedLetters,
  returnedLetterRecord,
} from './returned-letters.ts';

const References = Type.Object({
  references: Type.Array(Type.String({ pattern: referencePattern }), { maxItems: maxReferences }),
});

const Returned = Type.Object({
  notification_id: Uuid,
  client_reference: Nullable(Type.String()),
  reported_at: Day,
  created_at: LondonTime,
  template_name: Nullable(Type.String()),
  template_id: Nullable(Uuid),
  template_version: Nullable(Type.Integer()),
  user_name: Type.String(),
  email_address: Type.String(),
  original_file_name: Nullable(Type.String()),
  job_row_number: Nullable(Type.Integer({ description: 'As in the spreadsheet: the header is row 1' })),
  uploaded_letter_file_name: Nullable(Type.String()),
});

export function returnedLetterRoutes(http: Http, app: Platform): void {
  http.post(
    '/letters/returned',
    {
      ...acceptsLongLists,
      schema: {
        summary: 'Report returned letters, by the references in their file names',
        body: References,
        response: { 200: References },
      },
    },
    async (request) => {
      const { references } = request.body;
      await recordReturnedLetters(app, references);
      return { references };
    },
  );

  http.get(
    '/service/:service_id/returned-letter-statistics',
    {
      schema: {
        summary: 'Count the letters reported as returned in the last seven days, with the day of the latest report',
        params: OfService,
        response: {
          200: Type.Object({ returned_letter_count: Type.Integer(), most_recent_report: Nullable(Datetime) }),
        },
      },
    },
    (request) => countReturnedLetters(app, request.params.service_id),
  );

  http.get(
    '/service/:service_id/returned-letter-summary',
    {
      schema: {
        summary: 'Count returned letters by day of report, newest first',
        params: OfService,
        response: { 200: Type.Array(Type.Object({ returned_letter_count: Type.Integer(), reported_at: Day })) },
      },
    },
    (request) => listReturnedLetterDays(app, request.params.service_id),
  );

  http.get(
    '/service/:service_id/returned-letters',
    {
      schema: {
        summary: 'List the letters reported as returned on one day, newest first',
        params: OfService,
        querystring: Type.Object({ reported_at: Day }),
        response: {
          200: Type.Object({
            returned_letters: Type.Array(Returned),
            orphaned_count: Type.Integer({
              description: 'The number of these letters whose notification has been deleted',
            }),
          }),
        },
      },
    },
    async (request) => {
      const { service_id } = request.params;
      const { letters, orphaned_count } = await listReturnedLetters(app, service_id, request.query.reported_at);
      return { returned_letters: letters.map((letter) => returnedLetterRecord(app.country, letter)), orphaned_count };
    },
  );
}
