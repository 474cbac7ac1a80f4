import { Settings } from 'typebox/system';
import { Value } from 'typebox/value';
import { CountryProfile } from '../profile.ts';
import { type ProfileProblem, sectionRules } from './profile-rules.ts';

/** More than a person corrects at once. The library's default is 8. */
const maxErrors = 1_000;

/** Returns every problem of a profile. The rules of a section run only if the section matches the schema. */
export function problemsOfProfile(values: unknown): ProfileProblem[] {
  const ofShape = problemsOfShape(values);
  const wrong = new Set(ofShape.map(({ path }) => path.split(/[.[]/)[0]));
  const isRoot = wrong.has('');
  const profile = values as CountryProfile;
  const ofSense = Object.entries(sectionRules).flatMap(([section, { needs = [], problems }]) =>
    isRoot || [section, ...needs].some((name) => wrong.has(name) || !hasSection(values, name)) ? [] : problems(profile),
  );
  return [...ofShape, ...ofSense];
}

function hasSection(values: unknown, name: string): boolean {
  return typeof values === 'object' && values !== null && Object.hasOwn(values, name);
}

function problemsOfShape(values: unknown): ProfileProblem[] {
  const before = Settings.Get().maxErrors;
  Settings.Set({ maxErrors });
  try {
    const errors = Value.Errors(CountryProfile, values);
    const seen = new Set<string>();
    return errors
      .flatMap((error) => (isOfOtherVariant(error, values) ? [] : describeError(error)))
      .filter(({ path, text }) => {
        const key = `${path} ${text}`;
        return seen.has(key) ? false : seen.add(key);
      });
  } finally {
    Settings.Set({ maxErrors: before });
  }
}

type SchemaError = ReturnType<typeof Value.Errors>[number];

function describeError(error: SchemaError): ProfileProblem[] {
  const { keyword, instancePath, schemaPath, params, message } = error;
  const path = pathOf(instancePath);
  switch (keyword) {
    // The enclosing object reports it too.
    case 'boolean':
      return [];
    case 'additionalProperties':
      return params.additionalProperties.map((name) => ({
        path: pathOf(`${instancePath}/${name}`),
        text: `is unknown. Remove it, or use one of ${listOf(knownNames(schemaPath))}`,
      }));
    case 'required':
      return params.requiredProperties.map((name) => ({
        path: pathOf(`${instancePath}/${name}`),
        text: 'is missing',
      }));
    case 'enum':
      return [{ path, text: `must be one of ${listOf(params.allowedValues)}` }];
    default: {
      const { description } = schemaAt(schemaPath);
      return [{ path, text: typeof description === 'string' ? `must be ${description}` : (textOf(error) ?? message) }];
    }
  }
}

const typeNames = new Map([
  ['object', 'an object'],
  ['array', 'a list'],
  ['string', 'a text'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
]);

/** Returns our own text where the library's message names JSON Schema types and operators. */
function textOf({ keyword, params }: SchemaError): string | undefined {
  switch (keyword) {
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map((name) => typeNames.get(name) ?? name)
        .join(' or ')}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minItems':
      return `must have at least ${params.limit} in its list`;
    case 'minLength':
      return 'must not be empty';
    default:
      return undefined;
  }
}

/**
 * In a union, every variant reports errors. If one variant is an object and the value is an object, that variant's errors help; otherwise
 * the union as a whole is described.
 */
function isOfOtherVariant({ keyword, schemaPath, instancePath }: SchemaError, values: unknown): boolean {
  const inside = /^(.*?\/anyOf)\/(\d+)/.exec(schemaPath);
  if (keyword === 'anyOf') {
    const variants = schemaAt(`${schemaPath}/anyOf`) as unknown as { type?: string }[];
    return isPlain(valueAt(values, instancePath)) && variants.filter(({ type }) => type === 'object').length === 1;
  }
  if (!inside) return false;
  const [, union = '', index] = inside;
  const variants = schemaAt(union) as unknown as { type?: string }[];
  const objects = variants.filter(({ type }) => type === 'object');
  if (objects.length !== 1 || variants[Number(index)] !== objects[0]) return true;
  // The path of the union: the instance path without the part inside the variant.
  const depth = (schemaPath.slice(`${union}/${index}`.length).match(/\/(properties|items)(?=\/)/g) ?? []).length;
  const place = instancePath
    .split('/')
    .slice(0, depth === 0 ? undefined : -depth)
    .join('/');
  return !isPlain(valueAt(values, place));
}

function schemaAt(schemaPath: string): Record<string, unknown> {
  return valueAt(CountryProfile, schemaPath.slice(1)) as Record<string, unknown>;
}

function knownNames(schemaPath: string): string[] {
  return Object.keys((schemaAt(schemaPath).properties as object | undefined) ?? {});
}

function valueAt(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1).map(unescapePointer);
  return keys.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

/** Turns `/postage/classes/1/slot` into `postage.classes[1].slot`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map(unescapePointer)
    .reduce((path, key) => (/^\d{1,3}$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`), '');
}

function unescapePointer(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(values: readonly unknown[]): string {
  return values.join(', ');
}
