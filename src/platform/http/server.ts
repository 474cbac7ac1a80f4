import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
  LogController,
  type onRequestHookHandler,
  type RouteOptions,
} from 'fastify';
import type { Country } from '../../countries/country.ts';
import { actAs } from '../db/actor.ts';
import type { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { BulkPace } from '../process/bulk-pace.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { MalformedJson, readBodies } from './body/body.ts';
import { maxBodyBytes } from './body/body-limits.ts';
import type { BodyMemory } from './body/body-memory.ts';
import {
  checkEvery_ms,
  headersTimeout_ms,
  limitConnections,
  limitPipelining,
  onRequestEnd,
  respondToClientError,
  waitOnlyForResponses,
} from './connections.ts';
import { DeclaredRoutes, unknownPath } from './declared-routes.ts';
import { lazySchemas, type Validator } from './lazy-schemas.ts';
import { type ApiFacts, documentRoutes } from './openapi.ts';
import { addHeaders, answerFailure, corsHeaders, everyResponse, requestId } from './responses.ts';
import { acceptedBy, firstOfEachKind, type SchemaError, type TextFormat, withRefusals } from './schema-errors.ts';
import type { Authenticate, Http, SchemaPlace, Surface } from './surface.ts';
import { endRequestSpan, traceRequests } from './traced-requests.ts';

/** Share of the body memory that unauthenticated callers may use. */
const shareOfOpenSurfaces = 1 / 8;

interface ServerOptions<App> {
  app: App & {
    log: Log;
    metrics: Metrics;
    tracing: Tracing | undefined;
    bodyMemory: BodyMemory;
    bulkPace: BulkPace;
    country: Country;
    draining(): boolean;
  };
  surfaces: Surface<App>[];
  formats: Record<string, TextFormat<NoInfer<App>>>;
  api: ApiFacts;
  /** Time limit for receiving a complete request. */
  requestTimeout_ms?: number;
}

export async function buildServer<App>(options: ServerOptions<App>): Promise<Http> {
  const { app, surfaces } = options;
  const { formats, requestTimeout_ms: timeout_ms = 60_000 } = options;
  const home = surfaces.find((surface) => surface.home)?.home;
  const jsonHome = surfaces.find((surface) => surface.jsonHome)?.jsonHome;
  const http = Fastify({
    loggerInstance: app.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request would cost more than most requests; callers log the request id instead.
    childLoggerFactory: (logger) => logger,
    genReqId: requestId,
    rewriteUrl: ({ url = '/', method, headers }) =>
      url === '/' && method === 'GET' && jsonHome !== undefined && acceptsOnlyJson(headers.accept) ? jsonHome : url,
    bodyLimit: maxBodyBytes,
    requestTimeout: timeout_ms,
    http: { headersTimeout: headersTimeout_ms, connectionsCheckingInterval: checkEvery_ms },
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || !timeOutBody(socket)) respondToClientError(error, socket);
    },
    // Longer than any statement may take: a connection is idle this long only if the client does not read its response.
    connectionTimeout: 120_000,
    // Longer than the idle timeout of common proxies, so that we never close a connection while a request arrives.
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 2_000 },
    // Errors of the router before any hook runs. A path segment that is too long for it matches no route.
    frameworkErrors: (error, request, reply) => {
      reply.headers(pages.has(request.url) ? everyResponse : { ...everyResponse, ...corsHeaders });
      answer(request, reply, error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? unknownPath() : error);
    },
    schemaController: { compilersFactory: lazySchemas() },
    ajv: {
      customOptions: { allErrors: true, coerceTypes: false, removeAdditional: false, useDefaults: true, verbose: true },
      // Added last, because the framework would replace our formats of the same name (uuid, date, email).
      onCreate: (ajv) => {
        for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, acceptedBy(format, app));
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>() satisfies Http;
  http.server.on('request', () => app.bulkPace.countRequest());
  limitConnections(http.server);
  waitOnlyForResponses(http);
  const declared = new DeclaredRoutes();
  declared.remember(http);
  const pages = new DeclaredRoutes();
  limitPipelining(http);
  http.decorateRequest('incomingBody', undefined);
  http.decorateRequest('subroute', undefined);
  http.decorateRequest('span', undefined);
  const openRequests = onRequestEnd(http, (request, reply) => {
    request.incomingBody?.release();
    endRequestSpan(request, reply);
    app.metrics.endRequest();
  });
  /** Rejects a body that arrives too slowly, in the error format of its surface. */
  function timeOutBody(socket: Socket): boolean {
    return [...openRequests(socket)].some(({ incomingBody, raw }) => incomingBody?.timeOut(raw, timeout_ms));
  }
  app.metrics.observeRequests(http);
  addHeaders(http, app);
  // Unknown paths: do not read the body.
  http.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    if (home !== undefined && isBrowserAtRoot(request)) return void reply.redirect(home, 303);
    if (!pages.has(request.url)) reply.headers(corsHeaders);
    if (request.method === 'OPTIONS') reply.code(204).send();
    else done(declared.failureFor(request.url));
  });
  await documentRoutes(http, options.api, surfaces, app.country.calendar.zone);

  const openMemory = app.bodyMemory.share(shareOfOpenSurfaces);
  for (const surface of surfaces) {
    const memory = surface.authenticate === 'open' ? openMemory : app.bodyMemory;
    const addScope: FastifyPluginAsync = async (scope) => {
      if (!surface.cors) pages.remember(scope);
      readBodies(scope, { memory, timeout_ms }, surface.bodyFormats);
      for (const plugin of surface.plugins ?? []) await scope.register(plugin);
      if (app.tracing && !surface.untraced) traceRequests(scope as Http, app.tracing);
      addSurface(scope as Http, app, surface, formats);
    };
    // Without a name, Fastify searches every loaded module for the function.
    await http.register(Object.assign(addScope, { [Symbol.for('fastify.display-name')]: surface.name }));
  }

  const surfaceOf = (url: string) =>
    surfaces
      .filter(({ prefix }) => url.replace(/^\/+/, '/').startsWith(prefix))
      .sort((a, b) => b.prefix.length - a.prefix.length)[0];

  function answer(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const surface = surfaceOf(request.url);
    if (surface) void answerFailure(app, surface, request, reply, error);
    else void reply.code(400).send({ result: 'error', message: 'Bad request' });
  }
  http.setErrorHandler((error, request, reply) => answer(request, reply, error));
  return http;
}

function acceptsOnlyJson(accept = ''): boolean {
  return /^application\/json *(;[^,]*)?$/i.test(accept.trim());
}

/** Other clients that ask for / get a 404. */
function isBrowserAtRoot({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && url === '/' && (headers.accept ?? '').includes('text/html');
}

/** Adds the routes of a surface, and the authentication, body parsing, errors and documentation that they share. */
function addSurface<App>(scope: Http, app: App, surface: Surface<App>, formats: Record<string, TextFormat<App>>): void {
  scope.addHook('onRequest', (request, reply, done) => {
    if (surface.cors) reply.headers(corsHeaders);
    done(unknownParams(request, surface));
  });
  if (surface.authenticate !== 'open') scope.addHook('onRequest', hookOf(surface.authenticate(app)));
  scope.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.config.bodyRequired) {
      return done(new MalformedJson(undefined));
    }
    // Where an object is expected, a missing body and `null` count as an empty object.
    if (request.body === undefined || request.body === null) {
      if (request.routeOptions.schema?.body !== undefined) request.body = {};
    }
    done();
  });
  if (surface.afterWrite) {
    scope.addHook('onSend', async (request, reply) => {
      if (isWrite(request) && reply.statusCode < 400) await surface.afterWrite?.(app, request);
    });
  }
  scope.addHook('onRoute', (route) => documentSurface(route, surface));
  if (surface.actor) scope.addHook('onRoute', (route) => nameActor(route, app, surface));
  const failureOf = (errors: unknown, place: SchemaPlace) =>
    surface.schemaFailure(withRefusals(firstOfEachKind(errors as SchemaError[]), formats, app), place);
  scope.setSchemaErrorFormatter((errors, place) => failureOf(errors, place as SchemaPlace));
  scope.decorate('failureOfBody', (request, schema) => {
    const validate = request.compileValidationSchema(schema, 'body') as Validator;
    return validate(request.body) ? undefined : failureOf(validate.errors, 'body');
  });
  scope.setErrorHandler((error, request, reply) => answerFailure(app, surface, request, reply, error));
  for (const routes of surface.routes) routes(scope, app);
}

/**
 * Wraps the handler instead of using a request hook: a client that disconnects ends the request, while the handler still makes its changes.
 */
function nameActor<App>(route: RouteOptions, app: App, surface: Surface<App>): void {
  const { handler } = route;
  route.handler = function (request, reply) {
    const actor = isWrite(request) ? surface.actor?.(app, request) : undefined;
    const handle = () => handler.call(this, request, reply);
    return actor ? actAs(actor, handle) : handle();
  };
}

function isWrite({ method, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && !routeOptions.config.readsOnly;
}

/** A path with a malformed id is an unknown path. Checked before authentication, like every unknown path. */
function unknownParams<App>(request: FastifyRequest, surface: Surface<App>): Failure | undefined {
  if (!hasParams(request)) return undefined;
  const validate = request.getValidationFunction('params') as Validator | undefined;
  if (!validate || validate(request.params)) return undefined;
  const failure = surface.schemaFailure((validate.errors ?? []) as SchemaError[], 'params');
  return failure.kind === 'not-found' ? failure : undefined;
}

function hasParams({ params }: FastifyRequest): boolean {
  for (const _ in params as object) return true;
  return false;
}

/** Continues synchronously if the caller is cached. */
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
    ...(surface.undocumented ? { hide: true } : {}),
    security: surface.credential ? [{ [surface.credential]: [] }] : [],
    response: { ...errors, ...(route.schema?.response as object | undefined) },
  };
}

interface Listener {
  http: Http;
  port: number;
  host: string;
}

interface Places {
  port: number;
  host: string;
  /** 0 for a single server. */
  adminPort: number;
  adminHost?: string | undefined;
}

/** Builds one server, or a second one for the internal network of the operator. */
export async function buildListeners<App>(
  surfaces: Surface<App>[],
  { port, host, adminPort, adminHost = host }: Places,
  buildHttp: (served: Surface<App>[]) => Promise<Http>,
): Promise<Listener[]> {
  // Declaring a few hundred routes blocks the event loop for a while, so do it before accepting requests.
  const build = async (served: Surface<App>[]) => {
    const http = await buildHttp(served);
    await http.ready();
    return http;
  };
  if (adminPort === 0) return [{ http: await build(surfaces), port, host }];
  return [
    { http: await build(surfaces.filter((surface) => surface.port !== 'admin')), port, host },
    { http: await build(surfaces.filter((surface) => surface.port)), port: adminPort, host: adminHost },
  ];
}
