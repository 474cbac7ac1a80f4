import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type ValidatorFactory = ReturnType<typeof AjvCompiler>;
type SerializerFactory = ReturnType<typeof SerializerSelector>;
export interface Validator {
  (data: unknown): unknown;
  errors?: unknown;
}

/**
 * Compiles schemas when a route first needs them. Compiling all of them, about a thousand with the error bodies, added
 * three seconds to every start; one takes about a millisecond.
 */
const buildValidator: ValidatorFactory = (externalSchemas, options) => {
  const compile = AjvCompiler()(externalSchemas, options);
  return (route) => {
    let validate: Validator | undefined;
    const validateWhenNeeded: Validator = (data) => {
      validate ??= compile(route) as Validator;
      const result = validate(data);
      validateWhenNeeded.errors = validate.errors;
      return result;
    };
    return validateWhenNeeded as ReturnType<typeof compile>;
  };
};

const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const compile = SerializerSelector()(externalSchemas, options);
  return (route) => {
    let serialise: ReturnType<typeof compile> | undefined;
    return (data) => {
      serialise ??= compile(route);
      return serialise(data);
    };
  };
};

export const lazySchemas = { buildValidator, buildSerializer };
