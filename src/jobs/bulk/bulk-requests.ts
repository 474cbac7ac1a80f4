import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { openDelimitedText } from '../../libraries/spreadsheet/delimited-text.ts';
import { openJsonRows } from '../../libraries/spreadsheet/json-rows.ts';
import type { Sheet } from '../../libraries/spreadsheet/sheet.ts';
import { problemsOfTemplate, problemsWith, refuse, validation } from '../../notifications/sending/read-requests.ts';
import { readScheduledTime } from '../../notifications/sending/scheduled-time.ts';
import { hour_ms, type Timestamp } from '../../platform/clock.ts';
import { invalid, type Problem } from '../../platform/failure.ts';
import { parseWithNumbersAsWritten } from '../../platform/http/body/verbatim-numbers.ts';
import type { Channel } from '../../protocol/channels.ts';
import { isTrue, Nullable, OneOf, QueryBoolean } from '../../protocol/fields.ts';
import { inPublicOrder, printedValue } from '../../protocol/schema-problems.ts';
import { namesRecipient } from '../../recipients/spreadsheet/columns.ts';
import { defaultLimits } from '../../recipients/spreadsheet/limits.ts';
import { openNdjson } from '../../recipients/spreadsheet/ndjson.ts';
import type { TemplateChoice } from '../../templates/chosen-template.ts';
import * as examples from './examples.ts';

/** Request of a bulk send. Problems are reported in the order of declaration here. */

const whichTemplate = {
  template_id: Type.Optional(Type.String({ format: 'uuid', description: 'Required, unless template_name is given' })),
  template_name: Type.Optional(
    Type.String({ description: 'Instead of template_id; the only template with this name' }),
  ),
};
const version = { description: 'The version to send; the newest without it' };

const fields = {
  name: Type.String({ description: 'Shown in lists, as the name of a file would be' }),
};

const options = {
  scheduled_for: Type.Optional(Nullable(Type.String({ description: 'ISO 8601, at most 7 days ahead' }))),
  reply_to_id: Type.Optional(
    Nullable(Type.String({ format: 'uuid', description: 'A reply-to address or text message sender' })),
  ),
  reference: Type.Optional(Type.String({ maxLength: 1000, description: 'Of messages whose row has none' })),
  on_error: Type.Optional({
    ...OneOf(['reject', 'skip']),
    description: 'Rows with problems: reject all rows (default), or skip these',
  }),
};

export const BulkRequest = Type.Object(
  {
    ...whichTemplate,
    template_version: Type.Optional(Type.Integer({ minimum: 1, ...version })),
    ...fields,
    rows: Type.Optional(
      Type.Unsafe<unknown[]>({ type: 'array', items: {}, description: 'Lists of cells, the column names first' }),
    ),
    csv: Type.Optional(Type.String({ description: 'The same as CSV' })),
    ...options,
  },
  { title: 'BulkRequest', additionalProperties: false, examples: [examples.bulkRequest] },
);

/** JSON has its other parameters in the body. */
const JsonParameters = Type.Object({ dry_run: Type.Optional(QueryBoolean) }, { additionalProperties: false });

/** Parameters of a body of CSV or NDJSON. */
export const BulkParameters = Type.Object(
  {
    ...whichTemplate,
    template_version: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,8}$', ...version })),
    ...fields,
    ...options,
    dry_run: Type.Optional(QueryBoolean),
  },
  { additionalProperties: false },
);

export type BulkRequest = Static<typeof BulkRequest>;
export type BulkParameters = Static<typeof BulkParameters>;

export interface BulkSend extends TemplateChoice {
  name: string;
  scheduled_for: Timestamp | null;
  reply_to_id: string | undefined;
  reference: string | null;
  on_error: 'reject' | 'skip';
}

/** The rows of a JSON body. */
type BulkRows = { rows: unknown[][] } | { csv: string };

type Fields = Record<string, unknown>;

/** How far ahead a send can be scheduled: 7 days. */
const windowOfFiles = {
  maxAhead_ms: 7 * 24 * hour_ms,
  past: 'datetime cannot be in the past',
  tooLate: 'datetime can only be up to 7 days in the future',
};

export function readBulkRequest(request: FastifyRequest, now: Date): { send: BulkSend; source: BulkRows } {
  const body = request.body as Fields;
  // If a time in the query was ignored, the messages would be sent at once.
  refuse(problemsWith(request, JsonParameters, 'querystring'));
  const problems = problemsWith(request, BulkRequest, 'body').map(withNameOfTemplate);
  const send = readFields(BulkRequest, body, now, [...problems, ...problemsOfRows(body?.rows)]);
  const { rows, csv } = body as BulkRequest;
  if ((rows === undefined) === !csv) throw invalid('You should specify either rows or csv');
  return { send, source: rows === undefined ? { csv: csv ?? '' } : { rows: rows as unknown[][] } };
}

export function readBulkParameters(request: FastifyRequest, now: Date): BulkSend {
  const problems = problemsWith(request, BulkParameters, 'querystring').map(withNameOfTemplate);
  return readFields(BulkParameters, request.query as Fields, now, problems);
}

/** Checks the rows and sends nothing. */
export function isDryRun({ query }: FastifyRequest): boolean {
  const { dry_run } = query as { dry_run?: string };
  return isTrue(dry_run);
}

function readFields(schema: { properties: object }, fields: Fields, now: Date, problems: Problem[]): BulkSend {
  const { scheduled_for } = fields ?? {};
  const read = typeof scheduled_for === 'string' ? readScheduledTime(scheduled_for, now, windowOfFiles) : { at: null };
  const more = 'problem' in read ? [validation('scheduled_for', `scheduled_for ${read.problem}`)] : [];
  refuse(inPublicOrder(schema, [...problemsOfTemplate(fields), ...problems, ...more]));
  const { template_id, template_name, template_version, name, reply_to_id, reference, on_error } =
    fields as BulkParameters;
  return {
    template_id,
    template_name,
    template_version: template_version === undefined ? undefined : Number(template_version),
    name,
    scheduled_for: 'at' in read ? read.at : null,
    reply_to_id: reply_to_id ?? undefined,
    reference: reference ?? null,
    on_error: on_error ?? 'reject',
  };
}

/** Not part of the schema, which would report an error for each of a million rows. */
function problemsOfRows(rows: unknown): Problem[] {
  if (!Array.isArray(rows)) return [];
  if (rows.length === 0) return [validation('rows', 'rows [] is too short')];
  const wrong = rows.find((row) => !Array.isArray(row));
  return wrong === undefined && !rows.includes(undefined)
    ? []
    : [validation('rows', `rows ${printedValue(wrong)} is not of type array`)];
}

/** The text of the schema calls the field `id`, as in other endpoints. */
function withNameOfTemplate(problem: Problem): Problem {
  const isAboutTemplate = typeof problem.about === 'object' && problem.about.property === 'template_id';
  return isAboutTemplate ? { ...problem, message: problem.message.replace(/^id /, 'template_id ') } : problem;
}

/** The rows of a request: in its JSON, or as a stream of text. */
export type BulkBody = BulkRows | { type: 'text/csv' | 'application/x-ndjson'; bytes: AsyncIterable<Uint8Array> };

interface Template {
  channel: Channel;
  placeholders: readonly string[];
}

export function openBody(body: BulkBody, { channel, placeholders }: Template, maxBytes: number): Promise<Sheet> {
  const limits = { ...defaultLimits, textBytes: maxBytes };
  if ('rows' in body) return openJsonRows(body.rows, limits);
  const isHeader = (names: readonly string[]) => namesRecipient(names, channel);
  if ('csv' in body) return openDelimitedText(bytesOf(body.csv), 'csv', { limits, isHeader });
  if (body.type === 'text/csv') return openDelimitedText(body.bytes, 'csv', { limits, isHeader });
  return openNdjson(body.bytes, { limits, channel, placeholders, parse: parseLine });
}

const parseLine = (json: string) => parseWithNumbersAsWritten(json, 'personalisation');

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
