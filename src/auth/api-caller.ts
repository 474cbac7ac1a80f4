import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { timestamp } from '../platform/clock.ts';
import { clientAddress, Networks } from '../platform/http/networks.ts';
import type { Authenticate } from '../platform/http/surface.ts';
import { isUuid } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { sameSecret } from '../platform/secrets/secrets.ts';
import type { KeyType } from './api-keys.sql.ts';
import { bearerToken, beginsAsJwt, claimsProblem, isSignedWith, type Jwt, readJwt, refused } from './bearer.ts';
import type { KeyUses } from './key-uses.ts';
import { knownKeys, type ServiceKey, type ServiceKeys, type ServiceWithKeys } from './service-keys.ts';

/** Who is calling the public API. */
export interface ApiCaller {
  service_id: string;
  api_key_id: string;
  key_type: KeyType;
}

declare module 'fastify' {
  interface FastifyRequest {
    apiCaller?: ApiCaller;
  }
}

export function apiCallerOf(request: FastifyRequest): ApiCaller {
  if (!request.apiCaller) throw new Error('This route is not on the public surface');
  return request.apiCaller;
}

type Needs = Pick<Platform, 'clock'> & {
  serviceKeys: ServiceKeys;
  keyUses: KeyUses;
  config: Pick<Config, 'TRUSTED_PROXIES'>;
};

/** The public API takes a JWT signed with a key's secret (official clients) or the key itself (curl). */
export function authenticateApiCaller(app: Needs): Authenticate {
  const recent = new RecentTokens(app);
  const trusted = new Networks(app.config.TRUSTED_PROXIES);
  const admit = (request: FastifyRequest, { caller, key }: Admission) => {
    refuseOutsideNetworks(request, key, trusted);
    request.apiCaller = caller;
    app.keyUses.note(caller.api_key_id);
  };
  return (request) => {
    const token = bearerToken(request.headers.authorization);
    const known = recent.find(token);
    if (known) return void admit(request, known);
    return check(app, token).then((admission) => {
      recent.remember(token, admission);
      admit(request, admission);
    });
  };
}

/** The address is looked at for keys that ask for it only. */
function refuseOutsideNetworks({ raw, headers }: FastifyRequest, { networks }: ServiceKey, trusted: Networks): void {
  if (networks === null) return;
  if (!networks.has(clientAddress(raw.socket.remoteAddress, headers['x-forwarded-for'], trusted)))
    throw refused('network');
}

/** A caller who was let in, and the state of the service that this was judged by. */
interface Admission {
  caller: ApiCaller;
  key: ServiceKey;
  service: ServiceWithKeys;
  claims?: Jwt['claims'];
}

const rememberedTokens = 5_000;

/**
 * Tokens that were checked a moment ago. A key is sent again and again, and a client's token is the same for a second:
 * checking it anew was a tenth of the cost of accepting a message. What was admitted stays so only while the service is
 * the very same in memory, that is until anything about it or its keys changes.
 */
class RecentTokens {
  private readonly app: Needs;
  private readonly admissions = new Map<string, Admission>();

  constructor(app: Needs) {
    this.app = app;
  }

  find(token: string): Admission | undefined {
    const known = this.admissions.get(token);
    if (!known) return undefined;
    const isSame = this.app.serviceKeys.peek(known.caller.service_id) === known.service;
    if (isSame && this.isStillGood(known)) return known;
    this.admissions.delete(token);
    return undefined;
  }

  private isStillGood({ claims, key }: Admission): boolean {
    if (claims === undefined && key.expires_at === null) return true;
    const now = this.app.clock.now();
    return !isExpired(key, now) && !(claims && claimsProblem(claims, now));
  }

  remember(token: string, admission: Admission): void {
    if (this.admissions.size >= rememberedTokens) this.admissions.clear();
    this.admissions.set(token, admission);
  }
}

async function check(app: Needs, token: string): Promise<Admission> {
  const jwt = readJwt(token);
  if (jwt) return checkJwt(app, jwt);
  if (beginsAsJwt(token)) throw refused('malformed');
  return checkRawKey(app, token);
}

async function checkJwt(app: Needs, jwt: Jwt): Promise<Admission> {
  const { iss } = jwt.claims;
  if (iss === undefined || iss === null) throw refused('noIssuer');
  if (!isUuid(iss)) throw refused('issuerNotAnId');
  const { service, keys } = await serviceAndKeys(app, iss);
  if (jwt.header.alg !== 'HS256') throw refused('algorithm');
  const matching = keys.filter((key) => isSignedWith(jwt, key.secret));
  if (matching.length === 0) throw refused('keyNotFound');
  const problem = claimsProblem(jwt.claims, app.clock.now());
  if (problem) throw refused(problem);
  return { ...admission(app, service, matching), claims: jwt.claims };
}

/** `<name>-<service uuid>-<secret uuid>`; the name may hold anything, so it is read from the end. */
async function checkRawKey(app: Needs, token: string): Promise<Admission> {
  const secret = token.slice(-36);
  const serviceId = token.slice(-73, -37);
  if (token.length < 74 || !isUuid(secret) || !isUuid(serviceId) || token.at(-37) !== '-')
    throw refused('serviceNotFound');
  const { service, keys } = await serviceAndKeys(app, serviceId);
  const matching = keys.filter((key) => sameSecret(key.secret, secret));
  if (matching.length === 0) throw refused('keyNotFound');
  return admission(app, service, matching);
}

async function serviceAndKeys(
  app: Needs,
  serviceId: string,
): Promise<{ service: ServiceWithKeys; keys: ServiceKey[] }> {
  const service = await app.serviceKeys.find(serviceId.toLowerCase());
  if (!service) throw refused('serviceNotFound');
  const keys = knownKeys(service, app.clock);
  if (keys.length === 0) throw refused('noKeys');
  if (!service.active) throw refused('archived');
  return { service, keys };
}

/** A key that expired is refused like one that was revoked. */
function admission({ clock }: Needs, service: ServiceWithKeys, matching: ServiceKey[]): Admission {
  const now = clock.now();
  const key = matching.find((candidate) => candidate.expiry_date === null && !isExpired(candidate, now));
  if (!key) throw refused('keyRevoked');
  return { caller: { service_id: service.id, api_key_id: key.id, key_type: key.key_type }, key, service };
}

function isExpired({ expires_at }: ServiceKey, now: Date): boolean {
  return expires_at !== null && expires_at <= timestamp(now);
}
