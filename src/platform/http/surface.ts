import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawServerDefault,
} from 'fastify';
import type { TSchema } from 'typebox';
import type { Failure } from '../failure.ts';
import type { SchemaError } from './schema-problems.ts';

/** What a route module gets: the server, typed by the schemas that its routes declare. */
export type Http = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Declares the routes of one noun on a surface. */
type RouteModule<App> = (http: Http, app: App) => void;

/** Throws or rejects with a Failure; nothing is returned when there was nothing to wait for. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;

export type SchemaPlace = 'body' | 'querystring' | 'params' | 'headers';

/**
 * A group of routes that share a way to authenticate and a body for errors. Rules throw a Failure and never know which
 * surface is asking.
 */
export interface Surface<App> {
  name: string;
  /** Who calls it, for the OpenAPI document. */
  description: string;
  /** Requests that no route takes are answered in the body of the surface whose prefix fits longest. */
  prefix: string;
  /** `open`: needs no credentials, or every route checks its own (provider callbacks). */
  authenticate: ((app: App) => Authenticate) | 'open';
  /** Pages of other sites may read its answers. */
  cors?: boolean;
  /** Where it is served when operators have a port of their own: there alone, or on both. */
  port?: 'admin' | 'both';
  /** Which credential of the OpenAPI document its routes take. */
  credential?: 'admin' | 'api_key' | 'browser_tests';
  errorBody(failure: Failure, status: number): unknown;
  schemaFailure(errors: SchemaError[], place: SchemaPlace): Failure;
  /** Documented with every route of the surface. */
  errorSchema: TSchema;
  /** Shown with every route of the surface, by status. */
  errorExamples?: Record<number, unknown>;
  /** Of 401 and 403, where those look different. */
  credentialErrorSchema?: TSchema;
  errorStatuses: number[];
  /** Extra body formats (forms, signed envelopes); JSON is always read, whatever the content type says. */
  bodyFormats?: Record<string, (body: Buffer, route: FastifyContextConfig) => unknown>;
  /** Called after a request that changed something, before its answer leaves; a refused one changes nothing. */
  afterWrite?(app: App): void;
  routes: RouteModule<App>[];
}
