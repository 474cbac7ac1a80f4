import { isDeepStrictEqual } from 'node:util';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Http } from './surface.ts';

export interface ApiFacts {
  title: string;
  version: string;
  description: string;
}

/** Generates the OpenAPI document from the routes. Its descriptions name days in `zone`. */
export async function documentRoutes(
  http: FastifyInstance,
  api: ApiFacts,
  surfaces: SurfaceFacts[],
  zone: string,
): Promise<void> {
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: api.title,
        version: api.version,
        description: api.description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          admin: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'Signed with an admin client secret.',
          },
          browser_tests: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'Signed with a secret from FUNCTIONAL_TESTS_SECRETS.',
          },
          api_key: { type: 'http', scheme: 'bearer', description: 'An API key, or a JWT signed with its secret.' },
        },
      },
    },
    hideUntagged: false,
    transform: ({ schema, url, route }) => ({
      schema: describeOperation(schema, [route.method].flat()[0] ?? '', url),
      url,
    }),
    transformObject: (made) => ('openapiObject' in made ? tidyDocument(made.openapiObject, surfaces, zone) : {}),
  });
}

/** Serves the page at /docs, which loads nothing from other origins. */
export function referencePageRoutes(http: Http): void {
  http.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true },
    // The library's own policy has `upgrade-insecure-requests`, with which nothing loads over plain HTTP.
    staticCSP:
      "default-src 'self'; base-uri 'self'; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; style-src 'self' 'unsafe-inline'",
    uiHooks: {
      // The library would serialise its own copy for every request; ours is serialised once.
      onRequest: (request, reply, done) => {
        if (/^\/docs\/(json|yaml)(\?|$)/.test(request.url)) reply.redirect('/openapi.json');
        else done();
      },
    },
  });
}

/** Depends only on method and path, because generated clients name their functions after these ids. */
function operationId(method: string, url: string): string {
  const words = url.split('/').flatMap((part) => (part.startsWith(':') ? ['by', part.slice(1)] : [part]));
  return [
    method.toLowerCase(),
    ...words.flatMap((word) => word.split(/[^a-zA-Z0-9_]+|(?<!^)_/)).filter((word) => word !== ''),
  ]
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
}

function describeOperation(schema: FastifySchema | undefined, method: string, url: string): FastifySchema {
  const query = schema?.querystring as { properties?: object } | undefined;
  return {
    ...schema,
    operationId: operationId(method, url),
    ...(query && !query.properties ? { querystring: anyParameters } : {}),
  };
}

/** OpenAPI treats an object query parameter as one parameter per property, so this documents parameters with any name. */
const anyParameters = {
  type: 'object',
  properties: { values: { type: 'object', additionalProperties: { type: 'string' } } },
};

/** The parts of a surface that the OpenAPI document needs. */
interface SurfaceFacts {
  name: string;
  description: string;
  errorSchema: object;
  undocumented?: boolean;
}

type Schema = Record<string, unknown>;
interface Operation {
  tags?: string[];
  responses: Record<string, { description: string; content?: object }>;
}

/**
 * Post-processes the document generated from the routes: titled schemas become components, every status gets a
 * description, and custom formats become standard ones.
 */
function tidyDocument(
  document: { paths?: object; components?: object },
  surfaces: SurfaceFacts[],
  zone: string,
): object {
  const schemas: Record<string, Schema> = {};
  const errors = new Map(surfaces.map(({ name, errorSchema }) => [name, errorSchema]));
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(path as Record<string, Operation>)) {
      const { tags = [], responses } = operation;
      // Providers always send London times.
      if (zone !== protocolZone && tags[0] !== 'callbacks') nameZone(operation, zone);
      for (const [status, response] of Object.entries(responses)) {
        const description = statusDescriptions[status];
        if (description && !/^2/.test(status)) response.description = description;
        else if (response.description === 'Default Response') response.description = description ?? 'OK';
      }
      const schema = errors.get(tags[0] ?? '');
      if (schema) responses.default = { description: otherErrors, content: { 'application/json': { schema } } };
    }
  }
  const tags = surfaces
    .filter(({ undocumented }) => !undocumented)
    .map(({ name, description }) => ({ name, description }));
  const paths = named(standardised(document.paths), schemas);
  const known = Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1));
  return { ...document, tags, paths, components: { ...document.components, schemas: Object.fromEntries(known) } };
}

const protocolZone = 'Europe/London';

/** Replaces "London" in descriptions with the zone of the country. The protocol counts London days. */
function nameZone(part: object, zone: string): void {
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === 'object' && value !== null) nameZone(value, zone);
    else if (typeof value === 'string' && (key === 'description' || key === 'summary')) {
      Object.assign(part, { [key]: value.replaceAll('London', zone) });
    }
  }
}

const statusDescriptions: Record<string, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  302: 'Found',
  400: 'Bad request',
  401: 'Missing credentials',
  403: 'Invalid or insufficient credentials',
  404: 'Not found',
  409: 'Conflict',
  410: 'Gone',
  415: 'Content type not supported',
  422: 'Idempotency-Key reused with a different body',
  429: 'Too many requests; see Retry-After',
};

const otherErrors = 'Any other error: 405 (see Allow), 413 (request body too large), 500, 503 (see Retry-After)';

/** Maps our formats to standard ones, so that generated clients recognise dates, numbers and booleans. */
const standardFormats: Record<string, Schema> = {
  datetime: { format: 'date-time' },
  'boolean-text': { type: 'boolean' },
  'integer-text': { type: 'integer' },
  'https-url': { format: 'uri', pattern: '^https://' },
  'hex-colour': { pattern: '^(#[0-9a-fA-F]{6})?$' },
  'uuid-or-empty': { pattern: '^([0-9a-fA-F-]{36})?$' },
};

/** Keywords whose content is data, not a schema. */
const values = new Set(['example', 'examples', 'enum', 'const', 'default']);

function standardised(value: unknown): unknown {
  return mapped(value, (schema) => {
    const { format, ...rest } = schema;
    const standard = typeof format === 'string' ? standardFormats[format] : undefined;
    const known = standard ? { ...rest, ...standard } : schema;
    return Array.isArray(known.enum) ? { ...known, enum: distinct(known.enum) } : known;
  });
}

/** Generators would derive the same constant name from `true` and `True`, which are both accepted. */
function distinct(choices: unknown[]): unknown[] {
  const names = choices.map((choice) => String(choice).toLowerCase());
  return choices.filter((_choice, index) => names.indexOf(names[index] ?? '') === index);
}

/**
 * Moves each titled object schema to the components and replaces it with a reference. Examples stay with the
 * operations.
 */
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

/** Applies the change bottom-up. */
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
