import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../platform/db/actor.ts';
import { requestFacts } from '../../platform/http/request-facts.ts';
import type { ConsoleApp } from '../console-app.ts';

/** The person of the session, or somebody who is not signed in yet. */
export function consoleActor(app: Pick<ConsoleApp, 'clock' | 'config'>, request: FastifyRequest): Actor {
  const visitor = request.opened?.pageRequest.visitor;
  return { ...requestFacts(app, request), type: visitor ? 'user' : 'visitor', user_id: visitor?.user.id };
}
