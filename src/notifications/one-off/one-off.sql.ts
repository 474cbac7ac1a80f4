import type { Db } from '../../platform/db/database.ts';

/** Loads the service, the sending user and whether the user is a member. */
export function selectOneOffSender(db: Db, serviceId: string, userId: string) {
  return db
    .selectFrom('services')
    .leftJoin('users', (join) => join.on('users.id', '=', userId))
    .where('services.id', '=', serviceId)
    .select((row) => [
      'services.name as service_name',
      'users.name as user_name',
      row
        .exists(
          row
            .selectFrom('service_members')
            .select('user_id')
            .where('service_id', '=', serviceId)
            .where('user_id', '=', userId),
        )
        .as('is_member'),
    ])
    .executeTakeFirst();
}
