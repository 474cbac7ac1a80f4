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

/** The server that a route module gets, typed by the schemas that its routes declare. */
export type Http = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Declares the routes of one resource on a surface. */
type RouteModule<App> = (http: Http, app: App) => void;

/** Throws or rejects with a Failure; returns undefined if there was nothing to wait for. */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;

export type SchemaPlace = 'body' | 'querystring' | 'params' | 'headers';

/**
 * A group of routes that share authentication and an error format. Domain code throws a Failure and does not know the
 * surface.
 */
export interface Surface<App> {
  name: string;
  /** Who calls it, for the OpenAPI document. */
  description: string;
  /** Requests that match no route get the error format of the surface with the longest matching prefix. */
  prefix: string;
  /** `open`: no credentials, or each route checks its own (provider callbacks). */
  authenticate: ((app: App) => Authenticate) | 'open';
  /** Whether other origins may read its responses. */
  cors?: boolean;
  /** Where it is served when ADMIN_PORT is set: only there, or on both ports. */
  port?: 'admin' | 'both';
  /** Security scheme of its routes in the OpenAPI document. */
  credential?: 'admin' | 'api_key' | 'browser_tests';
  errorBody(failure: Failure, status: number): unknown;
  /** Says a failure as the client of this request expects it. */
  translate?(app: App, request: FastifyRequest, failure: Failure): Failure;
  /** Sends a page instead of `errorBody`, where people read the errors. */
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
  /** Additional body formats (forms, signed envelopes); JSON is always parsed, regardless of the content type. */
  bodyFormats?: Record<string, (body: Buffer, route: FastifyContextConfig) => unknown>;
  /** Extensions of its requests, such as content negotiation. Other surfaces do not have them. */
  plugins?: FastifyPluginCallback[];
  /** Who makes the changes of its requests, for the audit log. Without it, they have no entries. */
  actor?(app: App, request: FastifyRequest): Actor;
  /** Called after a successful write, before its response is sent. */
  afterWrite?(app: App, request: FastifyRequest): void | Promise<void>;
  /** Called with every failure, when its response is ready. Must neither wait nor throw. */
  afterFailure?(app: App, request: FastifyRequest, failure: Failure, status: number): void;
  /** Monitoring calls it too often to trace its requests. */
  untraced?: boolean;
  /** Its routes are no API: the OpenAPI document does not list them. */
  undocumented?: boolean;
  /** What a client that asks for / and accepts only JSON gets. */
  jsonHome?: string;
  /** Where a browser that asks for / is redirected. */
  home?: string;
  routes: RouteModule<App>[];
}
