import { forApi, inEnglish, t } from '../language/text.ts';
import type { Problem } from '../platform/failure.ts';
import { firstOfEachKind, maxProblems, type SchemaError } from '../platform/http/schema-errors.ts';
import type { SchemaPlace } from '../platform/http/surface.ts';

/** Returns the distinct error texts of the admin API by field. */
export function fieldTexts(errors: SchemaError[]): Record<string, string[]> {
  const texts = new Map<string, Map<string, string>>();
  // A value of the wrong type gets only that text, because its other errors add nothing.
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  for (const error of errors.filter(isAboutValue)) {
    if (error.keyword !== 'type' && mistyped.has(error.instancePath)) continue;
    const field = shortened(fieldOf(error));
    if (!texts.has(field) && texts.size === maxProblems) break;
    const text = fieldText(error);
    texts.set(field, (texts.get(field) ?? new Map()).set(inEnglish(text), text));
  }
  return Object.fromEntries([...texts].map(([field, known]) => [field, [...known.values()]]));
}

const choose = t('Choose one from the list.');
const notId = forApi('Not a valid UUID.', choose);
const notValid = forApi('Not valid.', t('Enter this in the correct format.'));

const formatTexts: Record<string, string> = {
  uuid: notId,
  'uuid-or-empty': notId,
  date: forApi('Not a valid date.', t('Enter a date.')),
  datetime: forApi('Not a valid datetime.', t('Enter a date and a time.')),
  email: forApi(
    'Not a valid email address',
    t('Enter an email address in the correct format, such as name@example.org.'),
  ),
  'hex-colour': forApi('Not a valid hex colour.', t('Enter a colour, such as #1d70b8.')),
  'boolean-text': forApi('Not a valid boolean.', choose),
  'integer-text': forApi('Not a valid integer.', t('Enter a whole number.')),
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
      return error.refusal ?? formatTexts[String(params.format)] ?? notValid;
    case 'const':
      return forApi(`Cannot set ${fieldOf(error)} to ${printedValue(error.data)}`, choose);
    case 'anyOf':
      return forApi('Not valid.', choose);
    case 'enum':
      if (error.data === null) return 'Field may not be null.';
      return forApi(`Must be one of: ${allowed(params.allowedValues).join(', ')}.`, choose);
    case 'maxLength':
      return forApi(
        `Longer than maximum length ${params.limit}.`,
        t('Enter at most {max} characters.', { max: String(params.limit) }),
      );
    case 'minLength':
      return forApi(
        `Shorter than minimum length ${params.limit}.`,
        t('{min, plural, one {Enter at least # character.} other {Enter at least # characters.}}', {
          min: Number(params.limit),
        }),
      );
    case 'minItems':
      return forApi(
        `Shorter than minimum length ${params.limit}.`,
        t('{min, plural, one {Choose at least one.} other {Choose at least #.}}', { min: Number(params.limit) }),
      );
    case 'minimum':
      return `Must be greater than or equal to ${params.limit}.`;
    case 'maximum':
      return `Must be less than or equal to ${params.limit}.`;
    case 'additionalProperties':
      return `Unknown field name ${shortened(String(params.additionalProperty))}`;
    default:
      return notValid;
  }
}

/** Ids and times are separate types; values of any other format are strings first. */
function typeText(error: SchemaError): string {
  const format = error.parentSchema?.format ?? '';
  const ownType = ['uuid', 'date', 'datetime'].includes(format) ? formatTexts[format] : undefined;
  return ownType ?? typeTexts[mainType(error)] ?? notValid;
}

/** A failed `if` only repeats that its branch has errors. */
function isAboutValue(error: SchemaError): boolean {
  return error.keyword !== 'if';
}

function fieldOf(error: SchemaError): string {
  const [first] = path(error);
  if (first !== undefined) return first;
  if (error.keyword === 'required') return String(error.params.missingProperty);
  return '_schema';
}

/** Returns the public API's errors in its order: properties as declared, then missing ones, then unknown ones. */
export function publicProblems(all: SchemaError[], place: SchemaPlace = 'body'): Problem[] {
  const errors = firstOfEachKind(all);
  const isUnknownName = (error: SchemaError) => error.keyword === 'additionalProperties' && path(error).length === 0;
  const known = errors.filter((error) => isAboutValue(error) && !isUnknownName(error));
  // Relies on a stable sort.
  const problems = known.sort((left, right) => rank(left) - rank(right)).map((error) => publicProblem(error, place));
  const unknown = errors.filter(isUnknownName).map((error) => shortened(String(error.params.additionalProperty)));
  if (unknown.length > 0) {
    const names = unknown.sort().join(', ');
    const more = unknown.length < maxProblems ? '' : ', …';
    problems.push({
      error: 'ValidationError',
      message: `Additional properties are not allowed (${names}${more} ${unknown.length === 1 ? 'was' : 'were'} unexpected)`,
      about: 'unknown',
    });
  }
  const first = new Map(problems.toReversed().map((problem) => [problem.message, problem]));
  return problems.filter((problem) => first.get(problem.message) === problem).slice(0, maxProblems);
}

function publicProblem(error: SchemaError, place: SchemaPlace): Problem {
  const [property] = path(error);
  const ofValue = property === undefined ? 'whole' : { property };
  return {
    error: 'ValidationError',
    message: publicMessage(error),
    about: error.keyword === 'required' ? 'missing' : ofValue,
    ...(place === 'body' && property === 'template_id' && formatOf(error) === 'uuid' ? malformedTemplateId : {}),
  };
}

/** Sorts the problems of a body: invalid properties in order of declaration, then missing ones, then unknown ones. */
export function inPublicOrder(schema: { properties: object }, problems: Problem[]): Problem[] {
  if (problems.length < 2) return problems;
  const names = Object.keys(schema.properties);
  const place = ({ about = 'whole' }: Problem) => {
    if (typeof about === 'object') return names.indexOf(about.property);
    return { whole: -1, missing: names.length, unknown: names.length + 1 }[about];
  };
  // Relies on a stable sort.
  return [...problems].sort((left, right) => place(left) - place(right));
}

/** Errors of the whole body come first, then those of properties, then missing properties. */
function rank(error: SchemaError): number {
  if (path(error).length > 0) return 1;
  return error.keyword === 'required' ? 2 : 0;
}

const malformedTemplateId = { reason: 'malformed_template_id' };

function formatOf({ keyword, params, parentSchema }: SchemaError): string | undefined {
  return keyword === 'format' ? String(params.format) : parentSchema?.format;
}

function publicMessage(error: SchemaError): string {
  const prefix = path(error)[0];
  const { params } = error;
  const format = formatOf(error);
  if (error.keyword === 'required') return `${params.missingProperty} is a required property`;
  // A template's id is always called `id` here.
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
      if (error.refusal !== undefined) return inEnglish(error.refusal);
      return publicFormatTexts[String(params.format)] ?? `${value} is not valid`;
    default:
      return `${value} is not valid`;
  }
}

const publicFormatTexts: Record<string, string> = {
  email: 'Not a valid email address',
};

/** Longer than any text that a field may contain. */
const maxEcho = 1_200;

/** Echoes values in the format of this protocol's clients: None, True, [a, b], {k: v}, without single quotes. */
export function printedValue(value: unknown): string {
  return shortened(printed(value, 0).replaceAll("'", ''));
}

/** Prints no more of a list or object than can be shown. */
function printed(value: unknown, depth: number): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string' || typeof value === 'number') return String(value).slice(0, maxEcho + 1);
  if (depth > 20) return '…';
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let length = 0;
  for (const [key, item] of Object.entries(value)) {
    const part = isList ? printed(item, depth + 1) : `${shortened(key)}: ${printed(item, depth + 1)}`;
    parts.push(part);
    length += part.length + 2;
    if (length > maxEcho) break;
  }
  return isList ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}

export function shortened(text: string): string {
  return text.length <= maxEcho ? text : `${text.slice(0, maxEcho)}…`;
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
