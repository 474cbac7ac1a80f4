import { valuesOf } from '../../../src/notifications/sending/secret-values.ts';
import { platformServiceId } from '../../../src/users/platform-user.ts';
import type { Harness } from '../harness.ts';

/** Lists the messages that were sent to users so far, oldest first. */
export async function accountMessages(harness: Harness) {
  return (await listMessages(harness)).map(({ id: _, ...message }) => message);
}

async function listMessages({ app }: Harness) {
  const rows = await app.db
    .selectFrom('notifications')
    .select(['id', 'template_id', 'recipient', 'personalisation', 'secret_personalisation', 'reply_to_text'])
    .where('service_id', '=', platformServiceId)
    .orderBy('id')
    .execute();
  return rows.map(({ id, personalisation, secret_personalisation, ...row }) => ({
    ...row,
    id,
    personalisation: valuesOf(app, {
      id,
      personalisation: personalisation as Record<string, unknown>,
      secret_personalisation,
    }) as Record<string, string>,
  }));
}

/** The account messages that a request sent. Ids of one millisecond need not ascend, so it compares them. */
export async function sentBy<T>(harness: Harness, request: () => Promise<T>) {
  const before = new Set((await listMessages(harness)).map(({ id }) => id));
  const answer = await request();
  const sent = (await listMessages(harness))
    .filter(({ id }) => !before.has(id))
    .map(({ id: _, ...message }) => message);
  return { answer, sent };
}
