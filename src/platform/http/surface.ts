import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  RawServerDefault,
} from 'fastify';
import type { TSchema } from 'typebox';
import type { Actor } from '../db/actor.ts';
import type { Failure } from '../failure.ts';
import type { SchemaError } from './schema-errors.ts';

/** The server that a route module receives, typed by the schemas of its routes. */
export type Http = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Declares the routes of one resource on a surface. */
type RouteModule<App> = (http: Http, app: App) => void;

/** Throws or rejects with a Failure. Returns undefined if it finished synchronously. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;

export type SchemaPlace = 'body' | 'querystring' | 'params' | 'headers';

/** A group of routes that share authentication and an error format. Rules throw a Failure and do not know the surface. */
export interface Surface<App> {
  name: string;
  /** Who calls it, for the OpenAPI document. */
  description: string;
  /** Requests that match no route get the error format of the surface with the longest matching prefix. */
  prefix: string;
  /** `open`: no credentials, or each route checks its own (provider callbacks). */
  authenticate: ((app: App) => Authenticate) | 'open';
  /** Whether other origins may read its responses (CORS). */
  cors?: boolean;
  /** With ADMIN_PORT set, whether it is served only there or on both ports; by default only on PORT. */
  port?: 'admin' | 'both';
  /** Security scheme of its routes in the OpenAPI document. */
  credential?: 'admin' | 'api_key' | 'browser_tests';
  errorBody(failure: Failure, status: number): unknown;
  /** Rewrites a failure into the wording that the client of this request expects. */
  translate?(app: App, request: FastifyRequest, failure: Failure): Failure;
  /** Sends an HTML page instead of `errorBody`, on surfaces where people read the errors. */
  sendErrorPage?(
    app: App,
    failure: Failure,
    status: number,
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply;
  schemaFailure(errors: SchemaError[], place: SchemaPlace): Failure;
  /** Documented for every route of the surface. */
  errorSchema: TSchema;
  /** Examples for every route of the surface, by status. */
  errorExamples?: Record<number, unknown>;
  /** Schema of 401 and 403, if different. */
  credentialErrorSchema?: TSchema;
  errorStatuses: number[];
  /** Additional body formats (forms, signed envelopes). JSON is always parsed, regardless of the content type. */
  bodyFormats?: Record<string, (body: Buffer, route: FastifyContextConfig) => unknown>;
  /** Plugins that only this surface needs, such as content negotiation. */
  plugins?: FastifyPluginCallback[];
  /** The actor of its requests' changes, for the audit log. Without it, changes have no entries. */
  actor?(app: App, request: FastifyRequest): Actor;
  /** Called after a successful write, before its response is sent. */
  afterWrite?(app: App, request: FastifyRequest): void | Promise<void>;
  /** Called with every failure when its response is ready. Must neither block nor throw. */
  afterFailure?(app: App, request: FastifyRequest, failure: Failure, status: number): void;
  /** Excluded from tracing, because monitoring calls it too often. */
  untraced?: boolean;
  /** Excluded from the OpenAPI document, because its routes are not an API. */
  undocumented?: boolean;
  /** The response to a request for / that accepts only JSON. */
  jsonHome?: string;
  /** The redirect target for a browser that requests /. */
  home?: string;
  routes: RouteModule<App>[];
}
