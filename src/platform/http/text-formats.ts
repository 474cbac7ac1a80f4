import type { SchemaError } from './schema-errors.ts';

/** A named format: a predicate, or a function that returns the error text. */
export type TextFormat = ((text: string) => boolean) | { refusal(text: string): string | undefined };

export function acceptedBy(format: TextFormat): (text: string) => boolean {
  return typeof format === 'function' ? format : (text) => format.refusal(text) === undefined;
}

export function withRefusals(errors: SchemaError[], formats: Record<string, TextFormat>): SchemaError[] {
  return errors.map((error) => {
    const format = error.keyword === 'format' ? formats[String(error.params.format)] : undefined;
    return typeof format === 'object' ? { ...error, refusal: format.refusal(String(error.data)) } : error;
  });
}
