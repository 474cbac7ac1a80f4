import { isDeepStrictEqual } from 'node:util';

/** What the document says of a surface. */
export interface SurfaceFacts {
  name: string;
  description: string;
  errorSchema: object;
}

type Schema = Record<string, unknown>;
type Operation = { tags?: string[]; responses: Record<string, { description: string; content?: object }> };

/**
 * The document as it is made from the routes, made pleasant to read and to generate from: a schema with a title is told
 * once, every status has words, and formats are those of the standard.
 */
export function tidyDocument(document: { paths?: object; components?: object }, surfaces: SurfaceFacts[]): object {
  const schemas: Record<string, Schema> = {};
  const errors = new Map(surfaces.map(({ name, errorSchema }) => [name, errorSchema]));
  for (const path of Object.values(document.paths ?? {})) {
    for (const { tags = [], responses } of Object.values(path as Record<string, Operation>)) {
      for (const [status, response] of Object.entries(responses)) {
        const words = wordsOfStatus[status];
        if (words && !/^2/.test(status)) response.description = words;
        else if (response.description === 'Default Response') response.description = words ?? 'Done';
      }
      const schema = errors.get(tags[0] ?? '');
      if (schema) responses.default = { description: otherRefusals, content: { 'application/json': { schema } } };
    }
  }
  const tags = surfaces.map(({ name, description }) => ({ name, description }));
  const paths = named(standardised(document.paths), schemas);
  const known = Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1));
  return { ...document, tags, paths, components: { ...document.components, schemas: Object.fromEntries(known) } };
}

const wordsOfStatus: Record<string, string> = {
  200: 'Done',
  201: 'Stored',
  202: 'Taken; the work is done later',
  204: 'Done; no body',
  302: 'Look there instead',
  400: 'The request is wrong; the body says how',
  401: 'No credentials',
  403: 'Credentials that are wrong or not enough',
  404: 'There is no such thing',
  409: 'In conflict with what is there',
  410: 'No longer there',
  422: 'An Idempotency-Key that was used with another body',
  429: 'Too many requests; Retry-After says when to come back',
};

const otherRefusals =
  'Any other refusal: 405 (Allow names the methods), 413 (a body that is too large), 500, 503 (Retry-After says when to come back)';

/** Formats of ours in the words of the standard, so that generated clients know dates, numbers and yes or no. */
const standardFormats: Record<string, Schema> = {
  datetime: { format: 'date-time' },
  'boolean-text': { type: 'boolean' },
  'integer-text': { type: 'integer' },
  'https-url': { format: 'uri', pattern: '^https://' },
  'hex-colour': { pattern: '^(#[0-9a-fA-F]{6})?$' },
  'uuid-or-empty': { pattern: '^([0-9a-fA-F-]{36})?$' },
};

/** Values, in which a key that looks like a keyword is none. */
const values = new Set(['example', 'examples', 'enum', 'const', 'default']);

function standardised(value: unknown): unknown {
  return mapped(value, (schema) => {
    const { format, ...rest } = schema;
    const standard = typeof format === 'string' ? standardFormats[format] : undefined;
    const known = standard ? { ...rest, ...standard } : schema;
    return Array.isArray(known.enum) ? { ...known, enum: distinct(known.enum) } : known;
  });
}

/** `true` and `True` are both taken; generators name a constant after each value, and would name two the same. */
function distinct(choices: unknown[]): unknown[] {
  const names = choices.map((choice) => String(choice).toLowerCase());
  return choices.filter((_choice, index) => names.indexOf(names[index] ?? '') === index);
}

/** Moves each object with a title to where it can be pointed to, and points to it; examples stand with the operations. */
function named(value: unknown, schemas: Record<string, Schema>): unknown {
  return mapped(value, (schema) => {
    const { title, examples: _, ...rest } = schema;
    if (typeof title !== 'string' || schema.type !== 'object') return schema;
    const known = schemas[title];
    if (known && !isDeepStrictEqual(known, rest)) throw new Error(`Two schemas are called ${title}`);
    schemas[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  });
}

/** From the leaves up. */
function mapped(value: unknown, change: (schema: Schema) => Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return change(
    Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, isValue(key, inner) ? inner : mapped(inner, change)]),
    ),
  );
}

/** `default` is also the name of a response. */
function isValue(key: string, inner: unknown): boolean {
  return values.has(key) && !(key === 'default' && typeof inner === 'object' && inner !== null && 'content' in inner);
}
