import type { Config } from '../config.ts';
import type { Authenticate } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { bearerToken, claimsProblem, isSignedWith, readJwt, refused } from './bearer.ts';

type Needs = Pick<Platform, 'clock'> & { config: Pick<Config, 'ADMIN_CLIENT_ID' | 'ADMIN_CLIENT_SECRETS'> };

/** Administrative endpoints take a JWT signed by the front end with one of the shared secrets. */
export function authenticateAdmin({ clock, config }: Needs): Authenticate {
  return async (request) => {
    const jwt = readJwt(bearerToken(request.headers.authorization));
    if (!jwt) throw refused('malformed');
    if (jwt.claims.iss === undefined || jwt.claims.iss === null) throw refused('noIssuer');
    if (jwt.claims.iss !== config.ADMIN_CLIENT_ID) throw refused('notAllowed');
    if (jwt.header.alg !== 'HS256') throw refused('algorithm');
    if (!config.ADMIN_CLIENT_SECRETS.some((secret) => isSignedWith(jwt, secret))) throw refused('keyNotFound');
    const problem = claimsProblem(jwt.claims, clock.now());
    if (problem) throw refused(problem);
  };
}
