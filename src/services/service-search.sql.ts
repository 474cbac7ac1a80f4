import { sql } from 'kysely';
import type { Db } from '../platform/db/database.ts';
import { likeContains } from '../platform/db/expressions.ts';
import { isUuid } from '../platform/id.ts';

/** `asking`: in trial mode, with a request to go live. `suspended`: it may send through no channel. */
export type ServiceState = 'live' | 'trial' | 'asking' | 'suspended' | 'archived';

const suspended = sql<boolean>`(services.active and not services.permissions && array['email', 'sms', 'letter'])`;

const conditions = {
  live: sql<boolean>`services.active and not services.restricted`,
  trial: sql<boolean>`services.active and services.restricted`,
  asking: sql<boolean>`services.active and services.restricted and services.has_active_go_live_request`,
  suspended,
  archived: sql<boolean>`not services.active`,
};

interface ServiceQuery {
  /** Part of the name, or the whole id. */
  text: string;
  state: ServiceState | undefined;
  skip: number;
  limit: number;
}

/** By name, those that are not archived first. */
export async function selectServicesBySearch(db: Db, { text, state, skip, limit }: ServiceQuery) {
  const found = db
    .selectFrom('services')
    .leftJoin('organisations', 'organisations.id', 'services.organisation_id')
    .$if(text !== '' && !isUuid(text), (query) => query.where('services.name', 'ilike', likeContains(text)))
    .$if(isUuid(text), (query) => query.where('services.id', '=', text))
    .$if(state !== undefined, (query) => query.where(conditions[state ?? 'live']));
  const [services, { total }] = await Promise.all([
    found
      .select([
        'services.id',
        'services.name',
        'services.active',
        'services.restricted',
        'services.has_active_go_live_request',
        'services.created_at',
        'organisations.name as organisation_name',
        suspended.as('suspended'),
      ])
      .orderBy('services.active', 'desc')
      .orderBy(sql`lower(services.name)`)
      .orderBy('services.id')
      .limit(limit)
      .offset(skip)
      .execute(),
    found.select((one) => one.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { services, total };
}

/** Requests to go live, the one that has waited longest first. */
export function selectGoLiveRequests(db: Db, limit: number) {
  return db
    .selectFrom('services')
    .leftJoin('organisations', 'organisations.id', 'services.organisation_id')
    .leftJoin('users', 'users.id', 'services.go_live_user_id')
    .where(conditions.asking)
    .select([
      'services.id',
      'services.name',
      'services.updated_at',
      'services.volume_email',
      'services.volume_sms',
      'services.volume_letter',
      'organisations.name as organisation_name',
      'users.name as asked_by_name',
      'users.email_address as asked_by_email_address',
    ])
    .orderBy('services.updated_at')
    .orderBy('services.id')
    .limit(limit)
    .execute();
}
