import { type Static, Type } from 'typebox';
import { Nullable, OneOf, QueryBoolean, Uuid } from '../../protocol/fields.ts';
import * as examples from './examples.ts';

/** Request of a bulk send. Problems are reported in the order of declaration here. */

const fields = {
  template_id: Uuid,
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
  { ...fields, ...options, dry_run: Type.Optional(QueryBoolean) },
  { additionalProperties: false },
);

export type BulkRequest = Static<typeof BulkRequest>;
export type BulkParameters = Static<typeof BulkParameters>;
