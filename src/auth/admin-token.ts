import type { FastifyRequest } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import type { Actor } from '../platform/db/actor.ts';
import { requestFacts } from '../platform/http/request-facts.ts';
import type { Authenticate } from '../platform/http/surface.ts';
import { canonicalId, isUuid } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { isSignedWith, readJwt } from '../platform/secrets/jwt.ts';
import type { HttpSettings } from '../platform/settings.ts';
import { bearerToken, claimsProblem, refused } from './bearer.ts';
import type { AuthSettings } from './settings.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The issuer of the token that authenticated this request. */
    adminClient: string | undefined;
  }
}

type Deps = Platform & { config: { auth: AuthSettings } };

/** Authenticates a JWT that the front end signed with one of the shared secrets. */
export function authenticateAdmin({ clock, config }: Deps): Authenticate {
  return authenticateClient(clock, config.auth.adminClientId, config.auth.adminClientSecrets);
}

/** For the client of the browser tests, which may only set up its own users. */
export function authenticateFunctionalTests({ clock, config }: Deps): Authenticate {
  return authenticateClient(clock, 'notify-functional-tests', config.auth.functionalTestsSecrets);
}

function authenticateClient(clock: Clock, id: string, secrets: string[]): Authenticate {
  return async (request) => {
    const jwt = readJwt(bearerToken(request.headers.authorization));
    if (!jwt) throw refused('malformed');
    if (jwt.claims.iss === undefined || jwt.claims.iss === null) throw refused('noIssuer');
    if (jwt.claims.iss !== id) throw refused('notAllowed');
    if (jwt.header.alg !== 'HS256') throw refused('algorithm');
    if (!secrets.some((secret) => isSignedWith(jwt, secret))) throw refused('keyNotFound');
    const problem = claimsProblem(jwt.claims, clock.now());
    if (problem) throw refused(problem);
    request.adminClient = id;
  };
}

/** Fields in which the protocol names the person who makes a change. */
const authorFields = [
  'created_by',
  'created_by_id',
  'updated_by',
  'updated_by_id',
  'archived_by',
  'archived_by_id',
  'status_changed_by_id',
  'invited_by',
  'from_user',
  'requester_id',
  'user_id',
];

/** The token proves which client sent the request. The user that it acts for is only claimed, in the body or the query. */
export function adminActor(app: Platform & { config: { http: HttpSettings } }, request: FastifyRequest): Actor {
  const { body, query, adminClient } = request;
  const sent = new Map([...Object.entries(query ?? {}), ...entriesOf(body)]);
  const claimed = authorFields.map((name) => sent.get(name)).find((id) => typeof id === 'string' && isUuid(id));
  return {
    ...requestFacts(app, request),
    type: 'admin_client',
    client: adminClient,
    claimed_user_id: typeof claimed === 'string' ? canonicalId(claimed) : undefined,
  };
}

function entriesOf(body: unknown): [string, unknown][] {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
}
