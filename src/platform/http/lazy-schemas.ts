import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

type ValidatorFactory = ReturnType<typeof AjvCompiler>;
type SerializerFactory = ReturnType<typeof SerializerSelector>;
export interface Validator {
  (data: unknown): unknown;
  errors?: unknown;
}

/**
 * The schema compilers of one server. They compile a schema when a route first needs it, which takes about a millisecond. Compiling all of
 * them, about a thousand with the error bodies, added three seconds to every start. All surfaces share one validator, because each would
 * compile the meta-schema again, which takes 30 ms.
 */
export function lazySchemas(): { buildValidator: ValidatorFactory; buildSerializer: SerializerFactory } {
  const validators = AjvCompiler();
  const serializers = SerializerSelector();
  return {
    buildValidator: (externalSchemas, options) => {
      const compile = validators(externalSchemas, options);
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
    },
    buildSerializer: (externalSchemas, options) => {
      const compile = serializers(externalSchemas, options);
      return (route) => {
        let serialise: ReturnType<typeof compile> | undefined;
        return (data) => {
          serialise ??= compile(route);
          return serialise(data);
        };
      };
    },
  };
}
