import type { FastifyReply, FastifyRequest } from 'fastify';
import { smallestShare } from '../../platform/process/bulk-pace.ts';
import { BriefCache } from '../brief-cache.ts';
import type { ConsoleApp } from '../console-app.ts';
import type { DeclaredPage } from '../page.ts';
import { cookieNames } from '../sessions/cookies.ts';
import { findVisitor, isPassive, type Visitor } from '../sessions/visitor.ts';
import { refuseUnlessMay } from './who-may.ts';

interface Admission {
  visitor: Visitor | undefined;
  may: Awaited<ReturnType<typeof refuseUnlessMay>>;
}

/** What a live part shows may be as old. */
const sharedFor_ms = 3_000;
/** The time between two requests of live parts, of whatever page, at the slowest pace of bulk work. */
const slowestTurn_s = 1;
const longestWait_s = 60;

/**
 * Whether a person may open a page. Read for each request that a person makes; requests of live parts share it for a few
 * seconds, because a hundred open pages ask again and again.
 */
export class Admissions {
  private readonly app: ConsoleApp;
  private readonly shared = new BriefCache<Admission>(sharedFor_ms);
  private lastTurn_s = 0;

  constructor(app: ConsoleApp) {
    this.app = app;
  }

  find(page: DeclaredPage, request: FastifyRequest, reply: FastifyReply): Promise<Admission> {
    if (!isPassive(request) || request.method !== 'GET') return this.read(page, request);
    this.slowDown(reply);
    const token = request.cookies[cookieNames(this.app.config).session] ?? '';
    return this.shared.get(JSON.stringify([page.path, request.params, token]), () => this.read(page, request));
  }

  private async read(page: DeclaredPage, request: FastifyRequest): Promise<Admission> {
    const visitor = await findVisitor(this.app, request);
    const doing = request.method === 'POST' && !page.onlyReads ? 'change' : 'look';
    return { visitor, may: await refuseUnlessMay(this.app, page.who, visitor, pathOf(request), doing) };
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
