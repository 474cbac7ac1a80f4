import type { FastifyRequest } from 'fastify';
import { problemsOfTemplate, problemsWith, refuse, validation } from '../../notifications/sending/read-requests.ts';
import { readScheduledTime } from '../../notifications/sending/scheduled-time.ts';
import { hour_ms, type Timestamp } from '../../platform/clock.ts';
import { invalid, type Problem } from '../../platform/failure.ts';
import { isTrue } from '../../protocol/fields.ts';
import { inPublicOrder, printedValue } from '../../protocol/schema-problems.ts';
import type { TemplateChoice } from '../../templates/chosen-template.ts';
import { BulkParameters, BulkRequest, JsonParameters } from './bulk-requests.ts';

export interface BulkSend extends TemplateChoice {
  name: string;
  scheduled_for: Timestamp | null;
  reply_to_id: string | undefined;
  reference: string | null;
  on_error: 'reject' | 'skip';
}

/** The rows of a JSON body. */
export type BulkRows = { rows: unknown[][] } | { csv: string };

type Fields = Record<string, unknown>;

/** Up to 7 days ahead. */
const windowOfFiles = {
  maxAhead_ms: 7 * 24 * hour_ms,
  past: 'datetime cannot be in the past',
  tooLate: 'datetime can only be up to 7 days in the future',
};

export function readBulkRequest(request: FastifyRequest, now: Date): { send: BulkSend; source: BulkRows } {
  const body = request.body as Fields;
  // Ignored, a time in the query would mean: at once.
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

/** Not in the schema: each of a million rows would be an error of its own. */
function problemsOfRows(rows: unknown): Problem[] {
  if (!Array.isArray(rows)) return [];
  if (rows.length === 0) return [validation('rows', 'rows [] is too short')];
  const wrong = rows.find((row) => !Array.isArray(row));
  return wrong === undefined && !rows.includes(undefined)
    ? []
    : [validation('rows', `rows ${printedValue(wrong)} is not of type array`)];
}

/** Other endpoints call it `id` in this text. */
function withNameOfTemplate(problem: Problem): Problem {
  const isAboutTemplate = typeof problem.about === 'object' && problem.about.property === 'template_id';
  return isAboutTemplate ? { ...problem, message: problem.message.replace(/^id /, 'template_id ') } : problem;
}
