import type { Clock } from '../platform/clock.ts';
import type { Authenticate } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { isSignedWith, readJwt } from '../platform/secrets/jwt.ts';
import { bearerToken, claimsProblem, refused } from './bearer.ts';
import type { AuthSettings } from './settings.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The issuer of its token. */
    adminClient: string | undefined;
  }
}

type Deps = Platform & { config: { auth: AuthSettings } };

/** Admin endpoints accept a JWT that the front end signed with one of the shared secrets. */
export function authenticateAdmin({ clock, config }: Deps): Authenticate {
  return authenticateClient(clock, config.auth.adminClientId, config.auth.adminClientSecrets);
}

/** The browser tests' client: it may only set up its own users. */
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
