import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';

export type CodeType = 'sms' | 'email';

export async function insertVerifyCode(
  tx: Tx,
  row: {
    id: string;
    user_id: string;
    code_type: CodeType;
    code_digest: string;
    expires_at: Timestamp;
    created_at: Timestamp;
  },
): Promise<void> {
  await tx.insertInto('verify_codes').values(row).execute();
}

/** Unused, unexpired codes of both types. */
export async function countLiveCodes(db: Db | Tx, userId: string, now: Timestamp): Promise<number> {
  const { count } = await db
    .selectFrom('verify_codes')
    .select((code) => code.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('used', '=', false)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return count;
}

export async function countCodesSince(tx: Tx, userId: string, moment: Timestamp): Promise<number> {
  const { count } = await tx
    .selectFrom('verify_codes')
    .select((code) => code.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('created_at', '>', moment)
    .executeTakeFirstOrThrow();
  return count;
}

/** Newest first. */
export function selectVerifyCodes(tx: Tx, userId: string, codeType: CodeType) {
  return tx
    .selectFrom('verify_codes')
    .select(['code_digest', 'used', 'expires_at'])
    .where('user_id', '=', userId)
    .where('code_type', '=', codeType)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** For one type, or for both. */
export async function markCodesUsed(tx: Tx, userId: string, codeType?: CodeType): Promise<void> {
  await tx
    .updateTable('verify_codes')
    .set({ used: true })
    .where('user_id', '=', userId)
    .where('used', '=', false)
    .$if(codeType !== undefined, (query) => query.where('code_type', '=', codeType as CodeType))
    .execute();
}

export async function deleteVerifyCodesUntil(db: Db, moment: Timestamp): Promise<void> {
  await db.deleteFrom('verify_codes').where('created_at', '<=', moment).execute();
}
