import type { App } from '../src/app.ts';
import { createSession, type Visitor } from '../src/console/sessions/sessions.ts';
import { timestamp } from '../src/platform/clock.ts';
import { newId } from '../src/platform/id.ts';
import { getUserRecord } from '../src/users/user-record.ts';

/** A platform administrator with a session; the same person each time. */
export async function signInAdmin(app: App) {
  const created_at = timestamp(app.clock.now());
  const email_address = 'operator@example.org';
  await app.db
    .insertInto('users')
    .values({
      id: newId(app.clock.now()),
      name: 'Operator',
      email_address,
      password_hash: 'none',
      state: 'active',
      platform_admin: true,
      mobile_number: '07700900001',
      email_access_validated_at: created_at,
      password_changed_at: created_at,
      created_at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const known = app.db.selectFrom('users').select('id').where('email_address', '=', email_address);
  const user = await getUserRecord(app.db, (await known.executeTakeFirstOrThrow()).id);
  const token = await createSession(app, user, 'Benchmark');
  return { visitor: { user } as Visitor, cookie: `pennypost_session=${token}` };
}
