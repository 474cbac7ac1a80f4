import type { FastifyReply, FastifyRequest } from 'fastify';
import { smallestShare } from '../../platform/process/bulk-pace.ts';
import { getUserRecord, type UserRecord } from '../../users/user-record.ts';
import { BriefCache } from '../brief-cache.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { DeclaredPage } from '../page.ts';
import type { Session } from '../sessions/sessions.ts';
import { findSessionOf, isPassive, type Visitor } from '../sessions/visitor.ts';
import { refuseUnlessMay } from './who-may.ts';

/** What a session may open: the person with their rights, and the service or organisation of the page. */
interface Rights {
  user: UserRecord | undefined;
  may: Awaited<ReturnType<typeof refuseUnlessMay>>;
}

interface Admission extends Pick<Rights, 'may'> {
  visitor: Visitor | undefined;
}

/** What a live part shows may be as old. */
const sharedFor_ms = 3_000;
/** The time between two requests of live parts, of whatever page, at the slowest pace of bulk work. */
const slowestTurn_s = 1;
const longestWait_s = 60;

/**
 * Whether a person may open a page. The session is read for each request, and so are the rights, except that requests of
 * live parts share these for a few seconds, because a hundred open pages ask again and again.
 */
export class Admissions {
  private readonly app: ConsoleApp;
  private readonly shared = new BriefCache<Rights>(sharedFor_ms);
  private lastTurn_s = 0;

  constructor(app: ConsoleApp) {
    this.app = app;
  }

  async find(page: DeclaredPage, request: FastifyRequest, reply: FastifyReply): Promise<Admission> {
    const isLive = page.live && isPassive(request) && request.method === 'GET';
    if (isLive) this.slowDown(reply);
    const session = await findSessionOf(this.app, request);
    // The session says at once when a person is no longer an operator.
    const key = () => JSON.stringify([page.path, request.params, session?.id, session?.read_only_operator]);
    const read = () => this.read(page, request, session);
    const { user, may } = isLive ? await this.shared.get(key(), read) : await read();
    return { visitor: session && user && { session, user }, may };
  }

  private async read(page: DeclaredPage, request: FastifyRequest, session: Session | undefined): Promise<Rights> {
    const user = session && (await getUserRecord(this.app.db, session.user_id));
    const doing = request.method === 'POST' && !page.onlyReads ? 'change' : 'look';
    return { user, may: await refuseUnlessMay(this.app, page.who, user, pathOf(request), doing) };
  }

  /**
   * Live parts give way to other requests, as bulk messages do: on a busy server each is told when its turn is. A few open
   * pages hardly wait, a hundred do.
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

function pathOf({ params }: FastifyRequest) {
  return params as { service_id?: string; organisation_id?: string };
}
