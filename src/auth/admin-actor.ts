import type { FastifyRequest } from 'fastify';
import type { Actor } from '../platform/db/actor.ts';
import { requestFacts } from '../platform/http/request-facts.ts';
import { canonicalId, isUuid } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { HttpSettings } from '../platform/settings.ts';

/** Fields by which the protocol names the person who makes a change. */
const authorFields = [
  'created_by',
  'created_by_id',
  'updated_by',
  'updated_by_id',
  'archived_by',
  'archived_by_id',
  'status_changed_by_id',
  'invited_by',
  'from_user',
  'requester_id',
  'user_id',
];

/** The client is verified by its token. The person it acts for is what it says, in the body or the query. */
export function adminActor(app: Platform & { config: { http: HttpSettings } }, request: FastifyRequest): Actor {
  const { body, query, adminClient } = request;
  const sent = new Map([...Object.entries(query ?? {}), ...entriesOf(body)]);
  const claimed = authorFields.map((name) => sent.get(name)).find((id) => typeof id === 'string' && isUuid(id));
  return {
    ...requestFacts(app, request),
    type: 'admin_client',
    client: adminClient,
    claimed_user_id: typeof claimed === 'string' ? canonicalId(claimed) : undefined,
  };
}

function entriesOf(body: unknown): [string, unknown][] {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : [];
}
