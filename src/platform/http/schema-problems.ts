import type { FastifySchemaValidationError } from 'fastify';
import type { Problem } from '../failure.ts';

/** The parts of an ajv error that the texts need; `verbose` adds the offending value and its schema. */
export interface SchemaError extends FastifySchemaValidationError {
  data?: unknown;
  /** What a format says of this very value, where it has more to say than yes or no. */
  refusal?: string;
  parentSchema?: { type?: string | string[]; format?: string; properties?: Record<string, unknown> };
}

/** Administrative texts by field, all fields together. */
export function fieldTexts(errors: SchemaError[]): Record<string, string[]> {
  const texts: Record<string, string[]> = {};
  // A value of the wrong type gets that text only: whether it is also none of the allowed values says nothing more.
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  for (const error of errors.filter(isAboutValue)) {
    if (error.keyword !== 'type' && mistyped.has(error.instancePath)) continue;
    const field = fieldOf(error);
    const text = fieldText(error);
    const known = texts[field] ?? [];
    if (!known.includes(text)) texts[field] = [...known, text];
  }
  return texts;
}

const formatTexts: Record<string, string> = {
  uuid: 'Not a valid UUID.',
  'uuid-or-empty': 'Not a valid UUID.',
  date: 'Not a valid date.',
  datetime: 'Not a valid datetime.',
  email: 'Not a valid email address',
  'hex-colour': 'Not a valid hex colour.',
  'boolean-text': 'Not a valid boolean.',
  'integer-text': 'Not a valid integer.',
};

const typeTexts: Record<string, string> = {
  string: 'Not a valid string.',
  integer: 'Not a valid integer.',
  number: 'Not a valid number.',
  boolean: 'Not a valid boolean.',
  array: 'Not a valid list.',
  object: 'Not a valid object.',
};

function fieldText(error: SchemaError): string {
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return 'Missing data for required field.';
    case 'type':
      if (error.data === null) return 'Field may not be null.';
      return typeText(error);
    case 'format':
      return error.refusal ?? formatTexts[String(params.format)] ?? 'Not valid.';
    case 'const':
      return `Cannot set ${fieldOf(error)} to ${printedValue(error.data)}`;
    case 'enum':
      if (error.data === null) return 'Field may not be null.';
      return `Must be one of: ${allowed(params.allowedValues).join(', ')}.`;
    case 'maxLength':
      return `Longer than maximum length ${params.limit}.`;
    case 'minLength':
      return `Shorter than minimum length ${params.limit}.`;
    case 'minItems':
      return `Shorter than minimum length ${params.limit}.`;
    case 'minimum':
      return `Must be greater than or equal to ${params.limit}.`;
    case 'maximum':
      return `Must be less than or equal to ${params.limit}.`;
    case 'additionalProperties':
      return `Unknown field name ${params.additionalProperty}`;
    default:
      return 'Not valid.';
  }
}

/** Ids and times are types of their own; any other format is a text first. */
function typeText(error: SchemaError): string {
  const format = error.parentSchema?.format ?? '';
  const ownType = ['uuid', 'date', 'datetime'].includes(format) ? formatTexts[format] : undefined;
  return ownType ?? typeTexts[mainType(error)] ?? 'Not valid.';
}

/** A failed condition only repeats that its branch has errors of its own. */
function isAboutValue(error: SchemaError): boolean {
  return error.keyword !== 'if';
}

function fieldOf(error: SchemaError): string {
  const [first] = path(error);
  if (first !== undefined) return first;
  if (error.keyword === 'required') return String(error.params.missingProperty);
  return '_schema';
}

/** The public API's entries, in its order: properties as declared, then what is missing, then what is unknown. */
export function publicProblems(errors: SchemaError[]): Problem[] {
  const unknown = errors
    .filter((error) => error.keyword === 'additionalProperties' && path(error).length === 0)
    .map((error) => String(error.params.additionalProperty));
  const known = errors
    .filter(isAboutValue)
    .filter((error) => error.keyword !== 'additionalProperties' || path(error).length > 0);
  // Sorting keeps the order of equals.
  const messages = known.sort((left, right) => rank(left) - rank(right)).map(publicMessage);
  if (unknown.length > 0) {
    const names = [...unknown].sort().join(', ');
    messages.push(
      `Additional properties are not allowed (${names} ${unknown.length === 1 ? 'was' : 'were'} unexpected)`,
    );
  }
  return [...new Set(messages)].map((message) => ({ error: 'ValidationError', message }));
}

/** What is wrong with the body as a whole, with its properties, and what it lacks. */
function rank(error: SchemaError): number {
  if (path(error).length > 0) return 1;
  return error.keyword === 'required' ? 2 : 0;
}

function publicMessage(error: SchemaError): string {
  const prefix = path(error)[0];
  const { params } = error;
  const format = error.keyword === 'format' ? String(params.format) : error.parentSchema?.format;
  if (error.keyword === 'required') return `${params.missingProperty} is a required property`;
  // A template's id is called `id` here, wherever it stands.
  if (prefix !== undefined && format === 'uuid') {
    return `${prefix === 'template_id' ? 'id' : prefix} is not a valid UUID`;
  }
  if (prefix !== undefined && format === 'https-url') return `${prefix} is not a valid https url`;
  const text = publicText(error);
  return prefix === undefined ? text : `${prefix} ${text}`;
}

function publicText(error: SchemaError): string {
  const value = printedValue(error.data);
  const { params } = error;
  switch (error.keyword) {
    case 'type':
      return `${value} is not of type ${[error.params.type].flat().join(', ')}`;
    case 'enum':
      return `${value} is not one of [${allowed(params.allowedValues).join(', ')}]`;
    case 'maxLength':
      return `${value} is too long`;
    case 'minLength':
      return error.data === '' ? `${value} should be non-empty` : `${value} is too short`;
    case 'minItems':
      return `${value} should be non-empty`;
    case 'minimum':
      return `${value} is less than the minimum of ${params.limit}`;
    case 'additionalProperties':
      return `Additional properties are not allowed (${params.additionalProperty} was unexpected)`;
    case 'format':
      return error.refusal ?? publicFormatTexts[String(params.format)] ?? `${value} is not valid`;
    default:
      return `${value} is not valid`;
  }
}

const publicFormatTexts: Record<string, string> = {
  email: 'Not a valid email address',
};

/** Values are echoed as clients of this protocol know them: None, True, [a, b], {k: v}, and no single quotes. */
export function printedValue(value: unknown): string {
  return printed(value, 0).replaceAll("'", '');
}

function printed(value: unknown, depth: number): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (depth > 20) return '…';
  if (Array.isArray(value)) return `[${value.map((item) => printed(item, depth + 1)).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}: ${printed(item, depth + 1)}`)
    .join(', ')}}`;
}

function path(error: SchemaError): string[] {
  return error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function mainType(error: SchemaError): string {
  return [error.params.type].flat().find((type) => type !== 'null') as string;
}

function allowed(values: unknown): string[] {
  return (values as unknown[]).filter((value) => value !== null).map(String);
}
