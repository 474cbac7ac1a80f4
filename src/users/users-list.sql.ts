import type { Timestamp } from '../platform/clock.ts';
import type { Db } from '../platform/db/database.ts';
import { platformUserId } from './account-messages/account-messages.ts';

interface UserFilters {
  created_from?: Timestamp;
  created_before?: Timestamp;
  logged_in_from?: Timestamp;
  logged_in_before?: Timestamp;
  take_part_in_research?: boolean;
}

export async function selectActiveUserIds(db: Db, filters: UserFilters): Promise<string[]> {
  let query = db.selectFrom('users').select('id').where('state', '=', 'active').where('id', '!=', platformUserId);
  if (filters.created_from) query = query.where('created_at', '>=', filters.created_from);
  if (filters.created_before) query = query.where('created_at', '<', filters.created_before);
  if (filters.logged_in_from) query = query.where('logged_in_at', '>=', filters.logged_in_from);
  if (filters.logged_in_before) query = query.where('logged_in_at', '<', filters.logged_in_before);
  if (filters.take_part_in_research !== undefined) {
    query = query.where('take_part_in_research', '=', filters.take_part_in_research);
  }
  return (await query.execute()).map(({ id }) => id);
}

export async function selectActiveServiceNames(db: Db): Promise<Map<string, string>> {
  const services = await db.selectFrom('services').select(['id', 'name']).where('active', '=', true).execute();
  return new Map(services.map(({ id, name }) => [id, name]));
}
