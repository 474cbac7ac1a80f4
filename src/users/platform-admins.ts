import { type Text, t } from '../language/text.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction, type Tx } from '../platform/db/database.ts';
import { invalid } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import { type AccountMessageSender, accountTemplates } from './account-messages/account-messages.ts';
import { pageUrl } from './sign-in/link-tokens.ts';
import { getUserRecord, type UserRecord } from './user-record.ts';
import { lockPlatformAdmins, selectActiveAdmins, updateUserRow } from './users.sql.ts';
import { lockUser } from './users.ts';

type OperatorRole = 'none' | 'read-only' | 'admin';

const roleNames: Record<OperatorRole, Text> = {
  none: t('not an operator'),
  'read-only': t('a read-only operator'),
  admin: t('a platform administrator'),
};

export function operatorRoleOf(user: Pick<UserRecord, 'platform_admin' | 'read_only_operator'>): OperatorRole {
  if (user.platform_admin) return 'admin';
  return user.read_only_operator ? 'read-only' : 'none';
}

/** Invalidates the person's sessions, because a session keeps the role in which the person signed in. */
export async function setPlatformAdmin(app: Platform, userId: string, isAdmin: boolean): Promise<UserRecord> {
  return inTransaction(app.db, (tx) => changeRole(app, tx, userId, { platform_admin: isAdmin }));
}

/** Notifies the person and every platform administrator, so that nobody can use a stolen session to make an administrator unnoticed. */
export async function setOperatorRole(
  app: Platform & { accountMessages: AccountMessageSender; config: { urls: Urls } },
  userId: string,
  role: OperatorRole,
  changedBy: Pick<UserRecord, 'name'>,
): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const change = { platform_admin: role === 'admin', read_only_operator: role === 'read-only' };
    const person = await changeRole(app, tx, userId, change);
    const admins = await selectActiveAdmins(tx);
    for (const { name, email_address } of [...admins.filter(({ id }) => id !== person.id), person]) {
      await app.accountMessages.send(tx, {
        template_id: accountTemplates.operatorRoleChanged,
        to: email_address,
        personalisation: {
          ...{ name, person_name: person.name, person_email_address: person.email_address },
          ...{ role: roleNames[role], changed_by_name: changedBy.name },
          url: pageUrl(app.config.urls.admin, `/operator/people/${person.id}`),
        },
      });
    }
  });
}

async function changeRole(
  { clock }: Platform,
  tx: Tx,
  userId: string,
  change: { platform_admin: boolean; read_only_operator?: boolean },
): Promise<UserRecord> {
  if (!change.platform_admin) await refuseLastPlatformAdmin(tx, userId);
  await lockUser(tx, userId);
  const before = await getUserRecord(tx, userId);
  if (change.platform_admin && before.state !== 'active') {
    throw invalid('Only an active user can become a platform administrator');
  }
  const after = { ...before, ...change };
  if (operatorRoleOf(after) === operatorRoleOf(before)) return before;
  await updateUserRow(tx, userId, { ...change, updated_at: timestamp(clock.now()) });
  return getUserRecord(tx, userId);
}

/** Without any administrator, whoever has the set-up code could become one. The lock serialises concurrent removals. */
async function refuseLastPlatformAdmin(tx: Tx, userId: string): Promise<void> {
  const admins = await lockPlatformAdmins(tx);
  if (admins.length === 1 && admins[0]?.id === userId.toLowerCase()) {
    throw invalid('This is the only platform administrator: make another person one first');
  }
}
