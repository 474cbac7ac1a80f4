import type { FastifyRequest } from 'fastify';
import { findService, type Service } from '../../services/services.ts';
import type { ConsoleApp } from '../console-app.ts';
import { findLastService } from '../sessions/cookies.ts';
import type { Visitor } from '../sessions/sessions.ts';
import { may } from './may.ts';

/**
 * The service that pages outside of any service keep in the frame: the one this browser opened last, or the only one of the
 * person. Undefined if the person cannot open it any more.
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
