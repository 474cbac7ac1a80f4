import type { FastifySchemaValidationError } from 'fastify';

/** The properties of an ajv error that the texts need; `verbose` adds the invalid value and its schema. */
export interface SchemaError extends FastifySchemaValidationError {
  data?: unknown;
  /** The format's own message for this value, if it has one. */
  refusal?: string;
  parentSchema?: { type?: string | string[]; format?: string; properties?: Record<string, unknown> };
}

/** A body can have as many errors as values. The first ones are enough to correct it. */
export const maxProblems = 50;

/** Returns the first errors of each kind, because a thousand unknown names must not hide a missing field. */
export function firstOfEachKind(errors: SchemaError[]): SchemaError[] {
  if (errors.length <= maxProblems) return errors;
  const counts = new Map<string, number>();
  return errors.filter(({ keyword }) => {
    const count = (counts.get(keyword) ?? 0) + 1;
    counts.set(keyword, count);
    return count <= maxProblems;
  });
}

/** A named format: a predicate, or a function that returns the error message. */
export type TextFormat<App = unknown> =
  | ((text: string) => boolean)
  | { refusal(text: string, app: App): string | undefined };

export function acceptedBy<App>(format: TextFormat<App>, app: App): (text: string) => boolean {
  return typeof format === 'function' ? format : (text) => format.refusal(text, app) === undefined;
}

export function withRefusals<App>(
  errors: SchemaError[],
  formats: Record<string, TextFormat<App>>,
  app: App,
): SchemaError[] {
  return errors.map((error) => {
    const format = error.keyword === 'format' ? formats[String(error.params.format)] : undefined;
    return typeof format === 'object' ? { ...error, refusal: format.refusal(String(error.data), app) } : error;
  });
}
