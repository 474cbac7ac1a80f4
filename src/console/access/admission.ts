import type { FastifyReply, FastifyRequest } from 'fastify';
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
/** The shortest time between two requests of a live part on a busy server, at full speed and at most. */
const leastWait_s = 3;
const longestWait_s = 60;

/**
 * Whether a person may open a page. Read for each request that a person makes; requests of live parts share it for a few
 * seconds, because a hundred open pages ask again and again.
 */
export class Admissions {
  private readonly app: ConsoleApp;
  private readonly shared = new BriefCache<Admission>(sharedFor_ms);

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

  /** Live parts give way to other requests, as bulk messages do. */
  private slowDown(reply: FastifyReply): void {
    const share = this.app.bulkPace.share();
    if (share < 1) reply.header('retry-after', Math.min(Math.round(leastWait_s / share), longestWait_s));
  }
}

function pathOf({ params }: FastifyRequest) {
  return params as { service_id?: string; organisation_id?: string };
}
