import { type Static, Type } from 'typebox';
import { Nullable, OneOf, QueryBoolean } from '../../protocol/fields.ts';
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
export const JsonParameters = Type.Object({ dry_run: Type.Optional(QueryBoolean) }, { additionalProperties: false });

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
