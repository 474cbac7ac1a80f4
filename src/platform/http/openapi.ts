import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** The OpenAPI document is made from the routes themselves; the page at /docs loads nothing from elsewhere. */
export async function documentRoutes(http: FastifyInstance, version: string): Promise<void> {
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Pennypost',
        version,
        description: 'Email, text messages and letters through one API that speaks the GOV.UK Notify protocol.',
      },
      components: {
        securitySchemes: {
          admin: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'Signed with an admin client secret.',
          },
          api_key: { type: 'http', scheme: 'bearer', description: 'An API key, or a JWT signed with its secret.' },
        },
      },
    },
    hideUntagged: false,
  });
  await http.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true },
    staticCSP: true,
  });
}
