import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { type SurfaceFacts, tidyDocument } from './openapi-document.ts';
import type { Http } from './surface.ts';

export interface ApiFacts {
  title: string;
  version: string;
  description: string;
}

/** Generates the OpenAPI document from the routes. */
export async function documentRoutes(http: FastifyInstance, api: ApiFacts, surfaces: SurfaceFacts[]): Promise<void> {
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
    transformObject: (made) => ('openapiObject' in made ? tidyDocument(made.openapiObject, surfaces) : {}),
  });
}

/** The page at /docs; it loads nothing from other origins. */
export function referencePageRoutes(http: Http): void {
  http.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true },
    staticCSP: true,
    uiHooks: {
      // The library serializes its own copies for every request; ours is serialized once.
      onRequest: (request, reply, done) => {
        if (/^\/docs\/(json|yaml)(\?|$)/.test(request.url)) reply.redirect('/openapi.json');
        else done();
      },
    },
  });
}

/** Generated clients name their functions after these ids, so they depend only on method and path. */
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

/** An object query parameter means one parameter per property: this documents parameters of any name. */
const anyParameters = {
  type: 'object',
  properties: { values: { type: 'object', additionalProperties: { type: 'string' } } },
};
