import type { FastifyReply, FastifyRequest } from 'fastify';
import { t } from '../../language/text.ts';
import { getOrganisation, type Organisation } from '../../organisations/organisations.ts';
import { minute_ms } from '../../platform/clock.ts';
import type { Actor } from '../../platform/db/actor.ts';
import { Failure, notFound } from '../../platform/failure.ts';
import { requestFacts } from '../../platform/http/request-facts.ts';
import type { Platform } from '../../platform/platform.ts';
import { smallestShare } from '../../platform/process/bulk-pace.ts';
import { findService, getService, type Service } from '../../services/services.ts';
import { getUserRecord, type UserRecord } from '../../users/user-record.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { DeclaredPage } from '../page.ts';
import { findLastService } from '../sessions/cookies.ts';
import { findSessionOf, isPassive, type Session, type Visitor } from '../sessions/sessions.ts';
import { ShortLivedCache } from '../short-lived-cache.ts';
import { may, type PageAction, type Who } from './may.ts';

/** The person with their rights, and the service or organisation of the page that they open. */
interface Rights {
  user: UserRecord | undefined;
  may: Awaited<ReturnType<typeof refuseUnlessMay>>;
}

interface Admission extends Pick<Rights, 'may'> {
  visitor: Visitor | undefined;
}

/** Live parts may show data of this age, so their rights may be as old. */
const sharedFor_ms = 3_000;
/** The interval between requests of live parts, across all pages, when bulk work runs at its slowest. */
const slowestTurn_s = 1;
const longestWait_s = 60;

/**
 * Decides whether a person may open a page. Reads the session and the rights for each request. Requests of live parts share the rights for
 * a few seconds, because a hundred open pages poll continuously.
 */
export class Admissions {
  private readonly app: ConsoleApp;
  private readonly shared = new ShortLivedCache<Rights>(sharedFor_ms);
  private lastTurn_s = 0;

  constructor(app: ConsoleApp) {
    this.app = app;
  }

  async find(page: DeclaredPage, request: FastifyRequest, reply: FastifyReply): Promise<Admission> {
    const isLive = page.live && isPassive(request) && request.method === 'GET';
    if (isLive) this.slowDown(reply);
    const session = await findSessionOf(this.app, request);
    // The session shows at once when a person is no longer an operator.
    const key = () => JSON.stringify([page.path, request.params, session?.id, session?.read_only_operator]);
    const read = () => this.read(page, request, session);
    const { user, may } = isLive ? await this.shared.get(key(), read) : await read();
    return { visitor: session && user && { session, user }, may };
  }

  private async read(page: DeclaredPage, request: FastifyRequest, session: Session | undefined): Promise<Rights> {
    const user = session && (await getUserRecord(this.app.db, session.user_id));
    const action = request.method === 'POST' && !page.onlyReads ? 'change' : 'view';
    return { user, may: await refuseUnlessMay(this.app, page.who, user, request.params as Path, action) };
  }

  /**
   * Gives live parts a lower priority than other requests, like bulk messages: on a busy server, `Retry-After` says when to poll again. A
   * few open pages hardly wait, a hundred do.
   */
  private slowDown(reply: FastifyReply): void {
    const share = this.app.bulkPace.share();
    if (share === 1) return;
    const now_s = performance.now() / 1_000;
    const turn_s = (slowestTurn_s * smallestShare) / share;
    this.lastTurn_s = Math.min(Math.max(this.lastTurn_s, now_s) + turn_s, now_s + longestWait_s);
    reply.header('retry-after', Math.min(Math.ceil(this.lastTurn_s - now_s), longestWait_s));
  }
}

/** The path parameters that identify what a page is about. */
interface Path {
  service_id?: string;
  organisation_id?: string;
}

/** Returns the service or organisation of the page, or that the visitor must sign in first. */
async function refuseUnlessMay(
  app: Platform,
  who: Who,
  user: UserRecord | undefined,
  { service_id, organisation_id }: Path,
  action: PageAction,
): Promise<'sign-in' | { service: Service | undefined; organisation: Organisation | undefined }> {
  const isOfService = typeof who === 'object' && 'service' in who && user && service_id !== undefined;
  const isOfOrganisation = typeof who === 'object' && 'membersOf' in who && user && organisation_id !== undefined;
  const service = isOfService ? await getService(app.db, service_id) : undefined;
  const organisation = isOfOrganisation ? await getOrganisation(app.db, organisation_id) : undefined;
  const scope = service ?? (organisation && { organisation: organisation.id });
  switch (may(who, user, scope, action)) {
    case 'yes':
      return { service, organisation };
    case 'sign-in':
      return 'sign-in';
    case 'forbidden':
      throw new Failure('forbidden', 'Forbidden', t('You cannot open this page'));
    case 'not-found':
      throw notFound();
  }
}

/**
 * Finds the service to show in the frame of pages outside any service: the one this browser opened last, or the person's only one. Returns
 * undefined if the person can no longer open it.
 */
export async function findOpenService(
  app: ConsoleApp,
  request: FastifyRequest,
  { user }: Visitor,
): Promise<Service | undefined> {
  const own = Object.keys(user.permissions);
  const id = findLastService(app, request) ?? (own.length === 1 ? own[0] : undefined);
  const service = id === undefined ? undefined : await findService(app.db, id);
  return service && may({ service: 'any' }, user, service) === 'yes' ? service : undefined;
}

/** Returns the person of the session as the actor, or an anonymous visitor. */
export function consoleActor(app: Pick<ConsoleApp, 'clock' | 'config'>, request: FastifyRequest): Actor {
  const visitor = request.opened?.pageRequest.visitor;
  return { ...requestFacts(app, request), type: visitor ? 'user' : 'visitor', user_id: visitor?.user.id };
}

const countedFor_ms = minute_ms;
/** About 1 MB. Beyond that, addresses whose minute began first are dropped. */
const maxAddresses = 10_000;

/** Counts the forms of people who are not signed in, by client address and minute, in this process. */
export class FormLimit {
  private readonly clock: Platform['clock'];
  private readonly max: number;
  /** Sorted by the start of their minute. */
  private readonly windows = new Map<string, { start_ms: number; count: number }>();

  constructor({ clock }: Pick<Platform, 'clock'>, max: number) {
    this.clock = clock;
    this.max = max;
  }

  /** Throws if the address has sent too many forms. */
  count(address: string): void {
    const now_ms = this.clock.now().getTime();
    const known = this.windows.get(address);
    const isLive = known !== undefined && known.start_ms > now_ms - countedFor_ms;
    const window = isLive ? known : { start_ms: now_ms, count: 0 };
    if (window.count >= this.max) throw tooManyForms(Math.ceil((window.start_ms + countedFor_ms - now_ms) / 1_000));
    window.count += 1;
    if (isLive) return;
    this.windows.delete(address);
    this.windows.set(address, window);
    const [oldest] = this.windows.keys();
    if (this.windows.size > maxAddresses && oldest !== undefined) this.windows.delete(oldest);
  }
}

function tooManyForms(wait_s: number): Failure {
  const headers = { 'retry-after': String(wait_s) };
  return new Failure('too-many', 'RateLimitError', t('Too many forms from this address'), { headers });
}
