import { valuesOf } from '../../../src/notifications/sending/secret-values.ts';
import { platformServiceId } from '../../../src/users/account-messages/account-messages.ts';
import type { Harness } from '../harness.ts';

/** Messages to users so far, oldest first. */
export async function accountMessages({ app }: Harness) {
  const rows = await app.db
    .selectFrom('notifications')
    .select(['id', 'template_id', 'recipient', 'personalisation', 'secret_personalisation', 'reply_to_text'])
    .where('service_id', '=', platformServiceId)
    .orderBy('id')
    .execute();
  return rows.map(({ id, personalisation, secret_personalisation, ...row }) => ({
    ...row,
    personalisation: valuesOf(app, {
      id,
      personalisation: personalisation as Record<string, unknown>,
      secret_personalisation,
    }) as Record<string, string>,
  }));
}

/** The account messages that a request sent. */
export async function sentBy<T>(harness: Harness, request: () => Promise<T>) {
  const before = (await accountMessages(harness)).length;
  const answer = await request();
  return { answer, sent: (await accountMessages(harness)).slice(before) };
}
