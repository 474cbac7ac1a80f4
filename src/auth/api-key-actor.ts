import type { FastifyRequest } from 'fastify';
import { type Actor, actAs } from '../platform/db/actor.ts';
import { requestFacts } from '../platform/http/request-facts.ts';
import type { Platform } from '../platform/platform.ts';
import type { HttpSettings } from '../platform/settings.ts';
import { apiCallerOf } from './api-caller.ts';
import { selectKeyAuthor } from './api-keys.sql.ts';

type Deps = Platform & { config: { http: HttpSettings } };

/**
 * The changes of `work` are those of the caller's key. Only for routes that change what people change elsewhere: naming an actor
 * makes each promise of the process more expensive, also those that accept messages.
 *
 * @param work gets the person who made the key, and is responsible for what it does.
 */
export async function actAsKey<Result>(
  app: Deps,
  request: FastifyRequest,
  work: (personId: string) => Promise<Result>,
): Promise<Result> {
  const { api_key_id } = apiCallerOf(request);
  const { name, created_by_id } = await selectKeyAuthor(app.db, api_key_id);
  const actor: Actor = { ...requestFacts(app, request), type: 'api_key', client: `${name} (${api_key_id})` };
  return actAs(actor, () => work(created_by_id));
}
