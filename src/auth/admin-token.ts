import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Authenticate } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { bearerToken, claimsProblem, isSignedWith, readJwt, refused } from './bearer.ts';

type Needs<Setting extends keyof Config> = Pick<Platform, 'clock'> & { config: Pick<Config, Setting> };

/** Administrative endpoints take a JWT signed by the front end with one of the shared secrets. */
export function authenticateAdmin({ clock, config }: Needs<'ADMIN_CLIENT_ID' | 'ADMIN_CLIENT_SECRETS'>): Authenticate {
  return authenticateClient(clock, config.ADMIN_CLIENT_ID, config.ADMIN_CLIENT_SECRETS);
}

/** The client of browser tests, which may do nothing but set up its users. */
export function authenticateFunctionalTests({ clock, config }: Needs<'FUNCTIONAL_TESTS_SECRETS'>): Authenticate {
  return authenticateClient(clock, 'notify-functional-tests', config.FUNCTIONAL_TESTS_SECRETS);
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
  };
}
