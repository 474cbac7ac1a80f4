import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import { isDay } from '../calendar.ts';
import { failureOfDatabaseError } from '../db/errors.ts';
import { Failure, statusOfKind } from '../failure.ts';
import { isUuid } from '../id.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { failureOfFrameworkError, MalformedJson, readBodies } from './body.ts';
import { answerClientError, checkEvery_ms, headersTimeout_ms, limitConnections } from './connections.ts';
import { addHeaders, requestId } from './headers.ts';
import { lazySchemas } from './lazy-schemas.ts';
import { documentRoutes } from './openapi.ts';
import { acceptedBy, type SchemaError, type TextFormat, withRefusals } from './schema-problems.ts';
import type { Authenticate, Http, SchemaPlace, Surface } from './surface.ts';
import { DeclaredRoutes } from './unrouted.ts';

const maxBodyBytes = 20 * 1024 * 1024;

interface ServerOptions<App> {
  app: App & { log: Log; metrics: Metrics; draining(): boolean };
  surfaces: Surface<App>[];
  /** Text formats that schemas may name, beyond those of the platform. */
  formats: Record<string, TextFormat>;
  version: string;
  /** Until a request must have arrived whole. */
  requestTimeout_ms?: number;
}

export async function buildServer<App>(options: ServerOptions<App>): Promise<Http> {
  const { app, surfaces } = options;
  const formats: Record<string, TextFormat> = { ...platformFormats, ...options.formats };
  const http = Fastify({
    loggerInstance: app.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for every request would cost more than most requests; whoever logs names the request.
    childLoggerFactory: (logger) => logger,
    genReqId: requestId,
    bodyLimit: maxBodyBytes,
    requestTimeout: options.requestTimeout_ms ?? 60_000,
    http: { headersTimeout: headersTimeout_ms, connectionsCheckingInterval: checkEvery_ms },
    clientErrorHandler: answerClientError,
    // Longer than any statement may take: only a client that does not read its answer is that quiet.
    connectionTimeout: 120_000,
    // Longer than common proxies keep a connection, so that it is never us who closes under a request.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 2_000 },
    frameworkErrors: (error, request, reply) => answerFailure(request, reply, error),
    schemaController: { compilersFactory: lazySchemas },
    ajv: {
      customOptions: { allErrors: true, coerceTypes: false, removeAdditional: false, useDefaults: true, verbose: true },
      // Last: the framework's own formats would otherwise replace ours of the same name (uuid, date, email).
      onCreate: (ajv) => {
        for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, acceptedBy(format));
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>() satisfies Http;
  limitConnections(http.server);
  const declared = new DeclaredRoutes();
  declared.remember(http);
  addHeaders(http, app);
  readBodies(http);
  app.metrics.observeRequests(http);
  await documentRoutes(http, options.version, surfaces);

  for (const surface of surfaces) {
    await http.register(async (scope) => {
      if (surface.bodyFormats) readBodies(scope, surface.bodyFormats);
      if (surface.authenticate !== 'open') scope.addHook('onRequest', hookOf(surface.authenticate(app)));
      scope.addHook('preValidation', (request, _reply, done) => {
        if (request.body === undefined && request.routeOptions.config.bodyRequired) {
          return done(new MalformedJson(undefined));
        }
        // "No body" and `null` are an empty object wherever an object is expected.
        if (request.body === undefined || request.body === null) {
          if (request.routeOptions.schema?.body !== undefined) request.body = {};
        }
        done();
      });
      if (surface.afterWrite) {
        scope.addHook('onSend', async (request) => {
          if (request.method !== 'GET' && request.method !== 'HEAD') surface.afterWrite?.(app);
        });
      }
      scope.addHook('onRoute', (route) => documentSurface(route, surface));
      scope.setSchemaErrorFormatter((errors, place) =>
        surface.schemaFailure(withRefusals(errors as SchemaError[], formats), place as SchemaPlace),
      );
      scope.setErrorHandler((error, request, reply) => answer(surface, request, reply, error));
      for (const routes of surface.routes) routes(scope as Http, app);
    });
  }

  const surfaceOf = (url: string) =>
    surfaces
      .filter(({ prefix }) => url.replace(/^\/+/, '/').startsWith(prefix))
      .sort((a, b) => b.prefix.length - a.prefix.length)[0];

  function answerFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const surface = surfaceOf(request.url);
    if (surface) void answer(surface, request, reply, error);
    else void reply.code(400).send({ result: 'error', message: 'Bad request' });
  }
  http.setNotFoundHandler((request, reply) => answerFailure(request, reply, declared.failureFor(request.url)));
  http.setErrorHandler((error, request, reply) =>
    // The framework reads a body before it says that no route takes the request: what is wrong with that one is no matter.
    answerFailure(request, reply, request.is404 ? declared.failureFor(request.url) : error),
  );
  return http;
}

/** Whoever is known already goes on at once. */
function hookOf(authenticate: Authenticate): onRequestHookHandler {
  return (request, reply, done) => {
    let checking: Promise<void> | undefined;
    try {
      checking = authenticate(request, reply);
    } catch (error) {
      return done(error as Error);
    }
    if (checking) checking.then(() => done(), done);
    else done();
  };
}

function answer<App>(
  surface: Surface<App>,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  const failure = failureOf(error);
  const status = statusOfKind[failure.kind];
  if (failure.kind === 'unavailable') logOutage(request, error);
  else if (status >= 500) {
    request.log.error({ err: error, route: request.routeOptions?.url, request_id: request.id }, 'request failed');
  }
  if (failure.headers) reply.headers(failure.headers);
  // The framework would close under a client that is still sending, which then sees a reset instead of this answer.
  if (failure.kind === 'too-large') reply.removeHeader('connection');
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(surface.errorBody(failure, status));
}

let outageLoggedAt = Number.NEGATIVE_INFINITY;

/** Every request fails in an outage, for one reason: saying so for each would fill the disk, which may be that reason. */
function logOutage(request: FastifyRequest, error: unknown): void {
  if (performance.now() - outageLoggedAt < 1_000) return;
  outageLoggedAt = performance.now();
  request.log.error({ err: error, route: request.routeOptions?.url }, 'requests are refused for now');
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return (
    failureOfDatabaseError(error) ??
    failureOfFrameworkError(error) ??
    new Failure('internal', 'InternalServerError', 'Internal server error', { cause: error })
  );
}

function documentSurface<App>(route: { schema?: FastifySchema }, surface: Surface<App>): void {
  const { errorSchema, credentialErrorSchema = errorSchema } = surface;
  const schemaOf = (status: number) => ({
    ...(status === 401 || status === 403 ? credentialErrorSchema : errorSchema),
    ...(surface.errorExamples?.[status] ? { examples: [surface.errorExamples[status]] } : {}),
  });
  const errors = Object.fromEntries(surface.errorStatuses.map((status) => [status, schemaOf(status)]));
  route.schema = {
    ...route.schema,
    tags: [surface.name],
    security: surface.credential ? [{ [surface.credential]: [] }] : [],
    response: { ...errors, ...(route.schema?.response as object | undefined) },
  };
}

const platformFormats: Record<string, (text: string) => boolean> = {
  uuid: (text) => /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})$/i.test(text),
  'uuid-or-empty': (text) => text === '' || isUuid(text),
  date: isDay,
  // The parser alone would take 30 February for 2 March, which the database then refuses.
  datetime: (text) => isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
  // An empty text clears the colour.
  'hex-colour': (text) => /^(#[0-9a-f]{6})?$/i.test(text),
  'https-url': (text) => /^https:\/\/./i.test(text) && URL.canParse(text),
  'boolean-text': (text) => /^(true|True|1|false|False|0)$/.test(text),
  'integer-text': (text) => /^-?\d{1,15}$/.test(text),
};
