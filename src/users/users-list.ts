import { addDays } from '../platform/calendar.ts';
import type { Platform } from '../platform/platform.ts';
import { listUserRecords } from './user-record.ts';
import { selectActiveServiceNames, selectActiveUserIds } from './users-list.sql.ts';

interface UsersListRequest {
  created_start?: string | null;
  created_end?: string | null;
  logged_in_start?: string | null;
  logged_in_end?: string | null;
  take_part_in_research?: boolean | null;
}

/** Active users with the names of their services, for an operator's report. */
export async function listActiveUsers(app: Platform, request: UsersListRequest) {
  const ids = await selectActiveUserIds(app.db, {
    created_from: request.created_start ?? undefined,
    created_before: dayAfter(request.created_end),
    logged_in_from: request.logged_in_start ?? undefined,
    logged_in_before: dayAfter(request.logged_in_end),
    take_part_in_research: request.take_part_in_research ?? undefined,
  });
  const [users, names] = await Promise.all([listUserRecords(app.db, ids), selectActiveServiceNames(app.db)]);
  return users.map((user) => ({ ...user, services: user.services.map((id) => ({ id, name: names.get(id) ?? '' })) }));
}

/** Makes the end date inclusive. */
function dayAfter(day: string | null | undefined): string | undefined {
  return day ? addDays(day, 1) : undefined;
}
