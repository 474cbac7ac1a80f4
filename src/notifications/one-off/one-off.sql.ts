import type { Db } from '../../platform/db/database.ts';

/** The service with the user who sends for it, and whether that is a member. */
export function selectSenderByHand(db: Db, serviceId: string, userId: string) {
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
