import type { FastifyRequest } from 'fastify';
import { timestamp } from '../platform/clock.ts';
import { type Actor, actAs } from '../platform/db/actor.ts';
import { clientAddress, Networks } from '../platform/http/networks.ts';
import { requestFacts } from '../platform/http/request-facts.ts';
import type { Authenticate } from '../platform/http/surface.ts';
import { isUuid } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { isSignedWith, type Jwt, looksLikeJwt, readJwt } from '../platform/secrets/jwt.ts';
import { sameSecret } from '../platform/secrets/secrets.ts';
import type { HttpSettings } from '../platform/settings.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import type { KeyType } from '../protocol/key-types.ts';
import type { PublicApiSettings } from '../protocol/settings.ts';
import { selectKeyAuthor } from './api-keys.sql.ts';
import { bearerToken, claimsProblem, refused } from './bearer.ts';
import type { KeyUses } from './key-uses.ts';
import { reportableKeys, type ServiceKey, type ServiceKeys, type ServiceWithKeys } from './service-keys.ts';

export interface ApiCaller {
  service_id: string;
  api_key_id: string;
  key_type: KeyType;
  manage_templates: boolean;
  manage_reports: boolean;
  send_over_smtp: boolean;
  /** The dialect of this request: GC Notify's with `ApiKey-v1`, otherwise that of the service. */
  dialect: ApiDialect;
}

declare module 'fastify' {
  interface FastifyRequest {
    apiCaller?: ApiCaller;
    /** Counts this request as several requests in its rate limit. */
    countAs?: CountAs;
  }
}

/** `requests` is at least one. */
export type CountAs = (requests: number) => void;

export function apiCallerOf(request: FastifyRequest): ApiCaller {
  if (!request.apiCaller) throw new Error('This route is not on the public surface');
  return request.apiCaller;
}

/** Returns the dialect of a request; that of the installation if the caller is unknown. */
export function dialectOf(app: { config: { api: PublicApiSettings } }, request: FastifyRequest): ApiDialect {
  if (request.apiCaller) return request.apiCaller.dialect;
  return isKeyScheme(request.headers.authorization) ? 'gc' : app.config.api.dialect;
}

export type CallerDeps = Platform & {
  serviceKeys: ServiceKeys;
  keyUses: KeyUses;
  config: { http: HttpSettings };
};

const keyScheme = 'ApiKey-v1';
const keySchemeBeforeKey = new RegExp(`^${keyScheme}(?: |$)`, 'i');

/** `Authorization: ApiKey-v1 <key>`, which only clients of GC Notify send. */
function isKeyScheme(header: string | undefined): header is string {
  return header !== undefined && keySchemeBeforeKey.test(header);
}

/**
 * The public API accepts a JWT signed with a key's secret (official clients of GOV.UK Notify), the key itself (curl), or the key
 * in the scheme of GC Notify.
 */
export function authenticateApiCaller(app: CallerDeps): Authenticate {
  const recentBearers = new RecentTokens(app);
  const recentKeys = new RecentTokens(app);
  const trusted = new Networks(app.config.http.trustedProxies);
  const admit = (request: FastifyRequest, { caller, key }: Admission) => {
    refuseOutsideNetworks(request, key, trusted);
    request.apiCaller = caller;
    app.keyUses.record(key);
  };
  return (request) => {
    const { authorization } = request.headers;
    const hasKeyScheme = isKeyScheme(authorization);
    const token = hasKeyScheme ? authorization.slice(keyScheme.length).trim() : bearerToken(authorization);
    const recent = hasKeyScheme ? recentKeys : recentBearers;
    const cached = recent.find(token);
    if (cached) return void admit(request, cached);
    return (hasKeyScheme ? checkGcKey(app, token) : check(app, token)).then((admission) => {
      recent.add(token, admission);
      admit(request, admission);
    });
  };
}

/** Authenticates a key that a person typed into a form, with the same checks as for a request to the API. */
export async function callerWithKey(app: CallerDeps, request: FastifyRequest, apiKey: string): Promise<ApiCaller> {
  const { caller, key } = await check(app, apiKey);
  refuseOutsideNetworks(request, key, new Networks(app.config.http.trustedProxies));
  app.keyUses.record(key);
  return caller;
}

/** Authenticates a key that a client sent directly from this address over another protocol. */
export async function callerAt(app: CallerDeps, address: string, apiKey: string): Promise<ApiCaller> {
  const { caller, key } = await check(app, apiKey);
  if (key.networks !== null && !key.networks.has(address)) throw refused('network');
  app.keyUses.record(key);
  return caller;
}

/** Checks the client address only for keys that restrict it. */
function refuseOutsideNetworks({ raw, headers }: FastifyRequest, { networks }: ServiceKey, trusted: Networks): void {
  if (networks === null) return;
  if (!networks.has(clientAddress(raw.socket.remoteAddress, headers['x-forwarded-for'], trusted)))
    throw refused('network');
}

/** An authenticated caller, and the service state that the check used. */
interface Admission {
  caller: ApiCaller;
  key: ServiceKey;
  service: ServiceWithKeys;
  claims?: Jwt['claims'];
}

/** Clients reuse a JWT for a second at most, but an API key for its whole life. An entry takes about 300 bytes. */
const maxRecent = { jwts: 5_000, keys: 50_000 };
/** Longer tokens are not cached: the name in front of a key may have any length. */
const maxTokenLength = 500;

/**
 * Cache of recently checked tokens. Clients send the same key repeatedly and reuse a JWT for a second; checking each one
 * again took a tenth of the cost of accepting a message. An entry is valid only while the cached service is the same
 * object, that is, until the service or one of its keys changes.
 */
class RecentTokens {
  private readonly app: CallerDeps;
  private readonly jwts = new Map<string, Admission>();
  private readonly keys = new Map<string, Admission>();

  constructor(app: CallerDeps) {
    this.app = app;
  }

  find(token: string): Admission | undefined {
    const admission = this.keys.get(token) ?? this.jwts.get(token);
    if (!admission) return undefined;
    const isSame = this.app.serviceKeys.peek(admission.caller.service_id) === admission.service;
    if (isSame && this.isStillValid(admission)) return admission;
    (admission.claims ? this.jwts : this.keys).delete(token);
    return undefined;
  }

  private isStillValid({ claims, key }: Admission): boolean {
    if (claims === undefined && key.expires_at === null) return true;
    const now = this.app.clock.now();
    return !isExpired(key, now) && !(claims && claimsProblem(claims, now));
  }

  add(token: string, admission: Admission): void {
    if (token.length > maxTokenLength) return;
    const kind = admission.claims ? 'jwts' : 'keys';
    if (this[kind].size >= maxRecent[kind]) this[kind].clear();
    this[kind].set(token, admission);
  }
}

async function check(app: CallerDeps, token: string): Promise<Admission> {
  const key = readRawKey(token);
  // Try the cheap check first: parsing a key as a JWT throws an exception.
  if (key) return checkRawKey(app, key);
  const jwt = readJwt(token);
  if (jwt) return checkJwt(app, jwt);
  throw refused(looksLikeJwt(token) ? 'malformed' : 'serviceNotFound');
}

async function checkJwt(app: CallerDeps, jwt: Jwt): Promise<Admission> {
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

interface RawKey {
  service_id: string;
  secret: string;
}

/** Parses `<name>-<service uuid>-<secret uuid>` from the end, because the name may contain anything. */
function readRawKey(token: string): RawKey | undefined {
  if (token.length < 74 || token.at(-37) !== '-') return undefined;
  const secret = token.slice(-36);
  const service_id = token.slice(-73, -37);
  return isUuid(secret) && isUuid(service_id) ? { service_id, secret } : undefined;
}

async function checkRawKey(app: CallerDeps, { service_id, secret }: RawKey): Promise<Admission> {
  const { service, keys } = await serviceAndKeys(app, service_id);
  const matching = keys.filter((key) => sameSecret(key.secret, secret));
  if (matching.length === 0) throw refused('keyNotFound');
  return admission(app, service, matching);
}

/** Responds with the errors of GC Notify, which finds a service by the secret alone. That would need an index over all secrets. */
async function checkGcKey(app: CallerDeps, token: string): Promise<Admission> {
  const key = readRawKey(token);
  if (!key) throw refused('wholeKey');
  const service = await app.serviceKeys.find(key.service_id.toLowerCase());
  if (!service) throw refused('keyNotFound');
  if (!service.active) throw refused('archived');
  const matching = reportableKeys(service, app.clock).filter(({ secret }) => sameSecret(secret, key.secret));
  if (matching.length === 0) throw refused('keyNotFound');
  const admitted = admission(app, service, matching);
  return { ...admitted, caller: { ...admitted.caller, dialect: 'gc' } };
}

async function serviceAndKeys(
  app: CallerDeps,
  serviceId: string,
): Promise<{ service: ServiceWithKeys; keys: ServiceKey[] }> {
  const service = await app.serviceKeys.find(serviceId.toLowerCase());
  if (!service) throw refused('serviceNotFound');
  const keys = reportableKeys(service, app.clock);
  if (keys.length === 0) throw refused('noKeys');
  if (!service.active) throw refused('archived');
  return { service, keys };
}

/** An expired key gets the same error as a revoked one. */
function admission({ clock }: CallerDeps, service: ServiceWithKeys, matching: ServiceKey[]): Admission {
  const now = clock.now();
  const key = matching.find((candidate) => candidate.revoked_at === null && !isExpired(candidate, now));
  if (!key) throw refused('keyRevoked');
  const { id: api_key_id, key_type, manage_templates, manage_reports, send_over_smtp } = key;
  const rights = { manage_templates, manage_reports, send_over_smtp };
  const caller = { service_id: service.id, api_key_id, key_type, ...rights, dialect: service.api_dialect };
  return { caller, key, service };
}

function isExpired({ expires_at }: ServiceKey, now: Date): boolean {
  return expires_at !== null && expires_at <= timestamp(now);
}

type KeyActorDeps = Platform & { config: { http: HttpSettings } };

/**
 * Records the caller's key as the actor of the changes that `work` makes. Use it only in routes that change what people also change in the
 * console: an actor makes every promise of the process slower, including those that accept messages.
 *
 * @param work gets the id of the key's creator, who is recorded as the author of what it creates.
 */
export async function actAsKey<Result>(
  app: KeyActorDeps,
  request: FastifyRequest,
  work: (personId: string) => Promise<Result>,
): Promise<Result> {
  const { api_key_id } = apiCallerOf(request);
  const { name, created_by_id } = await selectKeyAuthor(app.db, api_key_id);
  const actor: Actor = { ...requestFacts(app, request), type: 'api_key', client: `${name} (${api_key_id})` };
  return actAs(actor, () => work(created_by_id));
}
