import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { formatted, isText } from '../language/text.ts';
import { Failure, invalid } from '../platform/failure.ts';
import { tooManyValues } from '../platform/http/body/body-limits.ts';
import type { BodyMemory } from '../platform/http/body/body-memory.ts';
import { type MultipartForm, readMultipart } from '../platform/http/body/multipart.ts';
import { StreamedBody } from '../platform/http/body/streamed-body.ts';
import type { Subroute } from '../platform/http/subroute.ts';
import type { DeclaredPage, FileRule, FormState } from './page.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The form with its file, on pages that take one. */
    multipart: MultipartForm | undefined;
  }
}

export const emptyForm: FormState = { typed: new Map(), problems: new Map() };

type Fields = Record<string, string | string[]>;

const maxFields = 1_000;

export function readForm(body: Buffer): Fields {
  const parameters = new URLSearchParams(body.toString());
  if (parameters.size > maxFields) throw tooManyValues();
  return fieldsOf(parameters);
}

/** Returns how the body of a page is read: a form with a file is streamed. */
export function bodyOptions({ file, bodyLimit }: DeclaredPage, route: Subroute): Subroute {
  const config: Subroute['config'] = file
    ? { ...route.config, bodyTypes: { 'multipart/form-data': 'stream', '*': 'form' } }
    : route.config;
  return { ...route, config, ...(bodyLimit === undefined ? {} : { bodyLimit }) };
}

/** A `preValidation` hook that converts the body into form fields. */
export function readFields(app: { bodyMemory: BodyMemory }) {
  return async (request: FastifyRequest) => {
    const { form, file } = request.opened?.page ?? {};
    if (!form) return;
    if (file && request.body instanceof StreamedBody) {
      const { name: field, max_bytes } = file;
      const rule = { field, max_bytes, maxFields, memory: app.bodyMemory };
      request.multipart = await readMultipart(request.body, request.headers['content-type'] ?? '', rule);
      request.body = fieldsOf(new URLSearchParams(request.multipart.fields));
    }
    request.body = prepareForm(form, request.body);
  };
}

/** Returns the fields of a form: one text each, or a list if the name ends in `[]`. */
function fieldsOf(parameters: URLSearchParams): Fields {
  const fields = new Map<string, string | string[]>();
  for (const name of new Set(parameters.keys())) {
    if (name.endsWith('[]')) fields.set(name.slice(0, -2), parameters.getAll(name));
    else fields.set(name, parameters.getAll(name).at(-1) ?? '');
  }
  return Object.fromEntries(fields);
}

/**
 * Returns only the fields that the page declares, trimmed. A browser sends an empty text for a field that was left empty, and nothing for a
 * list without a tick.
 */
function prepareForm(form: TObject, body: unknown): Fields {
  const sent = new Map(Object.entries(typeof body === 'object' && body !== null ? body : {}));
  const required = new Set<string>(form.required ?? []);
  const fields = Object.entries(form.properties).flatMap(([name, schema]): [string, string | string[]][] => {
    const value: unknown = sent.get(name);
    if ('items' in schema) return [[name, Array.isArray(value) ? value.map(String) : []]];
    const text = typeof value === 'string' ? value : '';
    const cleaned = /password/.test(name) ? text : text.trim();
    return cleaned !== '' || required.has(name) ? [[name, cleaned]] : [];
  });
  return Object.fromEntries(fields);
}

/** Returns one message per field: what is missing, and what the schema rejects. */
export function problemsOfForm(
  { form, needs = {}, file }: { form: TObject; needs: object | undefined; file: FileRule | undefined },
  typed: FormState['typed'],
  hasFile: boolean,
  validationError: unknown,
): Map<string, string> {
  const missing = Object.entries(needs).filter(([name]) => [typed.get(name) ?? ''].flat().every((text) => text === ''));
  const refused = validationError instanceof Failure ? problemsOf(validationError) : new Map<string, string>();
  const all = new Map<string, string>([...refused, ...missing]);
  if (file?.needs !== undefined && !hasFile) all.set(file.name, file.needs);
  return new Map([...all].filter(([name]) => name in form.properties || name === file?.name));
}

/** Returns the fields without a problem. */
export function acceptedFields(body: unknown, problems: ReadonlyMap<string, string>): Partial<Fields> {
  return Object.fromEntries(Object.entries(body as Fields).filter(([name]) => !problems.has(name)));
}

/** Sorts the problems by field; those of the whole form come last. */
export function inOrderOfFields(
  { form, file }: Pick<DeclaredPage, 'form' | 'file'>,
  problems: Map<string, string>,
): Map<string, string> {
  const names = [...Object.keys(form?.properties ?? {}), file?.name];
  const placeOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length);
  return new Map([...problems].sort(([one], [other]) => placeOf(one) - placeOf(other)));
}

type Results<Rules extends readonly (() => unknown)[]> = {
  -readonly [Index in keyof Rules]: Awaited<ReturnType<Rules[Index]>>;
};

/**
 * Runs every rule and returns their results. If some reject the form, throws their problems together, the first one of each field, so that
 * a person sees all of them at once, like those of the schema.
 */
export async function checkAll<const Rules extends readonly (() => unknown)[]>(
  ...rules: Rules
): Promise<Results<Rules>> {
  const results: unknown[] = [];
  const problems = new Map<string, string | string[]>();
  for (const rule of rules) {
    try {
      results.push(await rule());
    } catch (error) {
      if (!isAboutForm(error)) throw error;
      const byField = isText(error.localised) ? { '': error.localised } : error.localised;
      for (const [field, texts] of Object.entries(byField)) problems.set(field, problems.get(field) ?? texts);
    }
  }
  if (problems.size > 0) throw invalid(Object.fromEntries(problems));
  return results as Results<Rules>;
}

/** Returns messages by field. A message without a field is about the whole form. */
export function problemsOf({ localised }: Failure): Map<string, string> {
  if (isText(localised)) return new Map([['', localised]]);
  return new Map(Object.entries(localised).map(([field, texts]) => [field, isText(texts) ? texts : eachOnce(texts)]));
}

/** Messages that differ for programs may be the same for people. */
function eachOnce(sentences: readonly string[]): string {
  return formatted(() => [...new Set(sentences.map(String))].join(' '));
}

/** Whether the person can correct the failure in the form. Other failures have their own pages. */
export function isAboutForm(error: unknown): error is Failure {
  return error instanceof Failure && ['invalid', 'conflict', 'too-large'].includes(error.kind);
}
