import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { likeContains } from '../../platform/db/expressions.ts';
import { isUuid } from '../../platform/id.ts';
import { platformUserId } from '../account-messages/account-messages.ts';
import { maxFailures } from '../sign-in/sign-in.sql.ts';

export type PeopleGroup = 'operators' | 'locked' | 'pending' | 'archived';

const isLocked = sql<boolean>`(state = 'active' and failed_login_count >= ${maxFailures})`;
const groups = {
  operators: sql<boolean>`state = 'active' and (platform_admin or read_only_operator)`,
  locked: isLocked,
  pending: sql<boolean>`state = 'pending'`,
  archived: sql<boolean>`state = 'inactive'`,
};

interface PeopleQuery {
  /** Part of the name or address, or the whole id. */
  text: string;
  group: PeopleGroup | undefined;
  skip: number;
  limit: number;
}

export async function countLockedPeople(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .where(isLocked)
    .select((one) => one.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** By name. The platform's own user is no person; archived users are listed only as such. */
export async function selectPeople(db: Db, { text, group, skip, limit }: PeopleQuery) {
  const found = db
    .selectFrom('users')
    .where('id', '<>', platformUserId)
    .where(group === undefined ? sql<boolean>`state <> 'inactive'` : groups[group])
    .$if(isUuid(text), (query) => query.where('id', '=', text))
    .$if(text !== '' && !isUuid(text), (query) =>
      query.where((row) =>
        row.or([row('name', 'ilike', likeContains(text)), row('email_address', 'ilike', likeContains(text))]),
      ),
    );
  const [people, { total }] = await Promise.all([
    found
      .select([
        'id',
        'name',
        'email_address',
        'state',
        'platform_admin',
        'read_only_operator',
        'logged_in_at',
        isLocked.as('locked'),
      ])
      .orderBy(sql`lower(name)`)
      .orderBy('id')
      .limit(limit)
      .offset(skip)
      .execute(),
    found.select((one) => one.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { people, total };
}
