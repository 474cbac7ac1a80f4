import { writeSources } from '../../../src/delivery/sandbox/email-sources.ts';
import { lanes, type NewNotification } from '../../../src/notifications/notification.ts';
import { insertNotifications } from '../../../src/notifications/sending/notifications.sql.ts';
import { insertHeld } from '../../../src/notifications/windows/held-messages.sql.ts';
import { day_ms, later, timestamp } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/db/database.ts';
import { newId } from '../../../src/platform/id.ts';
import type { Harness } from '../harness.ts';
import { aTemplate } from './rows.ts';

/** Creates messages in the state right after acceptance, stored and queued. Returns their ids. */
export async function someQueuedMessages(
  harness: Harness,
  serviceId: string,
  messages: Partial<NewNotification>[],
): Promise<string[]> {
  const templates = new Map<string, string>();
  const rows: NewNotification[] = [];
  for (const fields of messages) {
    const type = fields.notification_type ?? 'sms';
    if (!templates.has(type)) templates.set(type, await aTemplate(harness, serviceId, { template_type: type }));
    rows.push({ ...defaults(harness, serviceId, type, templates.get(type) ?? ''), ...fields });
  }
  await inTransaction(harness.app.db, (tx) => insertNotifications(harness.app.country, tx, rows));
  return rows.map(({ id }) => id);
}

export async function aQueuedMessage(
  harness: Harness,
  serviceId: string,
  fields: Partial<NewNotification> = {},
): Promise<string> {
  const [id = ''] = await someQueuedMessages(harness, serviceId, [fields]);
  return id;
}

function defaults(
  { clock }: Harness,
  service_id: string,
  notification_type: NewNotification['notification_type'],
  template_id: string,
): NewNotification {
  const now = timestamp(clock.now());
  const [recipient, normalised_recipient] =
    notification_type === 'email' ? ['Ada@Example.org', 'ada@example.org'] : ['07700 900123', '447700900123'];
  return {
    id: newId(clock.now()),
    service_id,
    template_id,
    template_version: 1,
    notification_type,
    key_type: 'normal',
    api_key_id: null,
    created_by_id: null,
    status: 'created',
    client_reference: 'your-reference',
    recipient: recipient ?? '',
    normalised_recipient: normalised_recipient ?? '',
    personalisation: { name: 'Ada', thing: 'engines' },
    reply_to_text: notification_type === 'email' ? 'reply@example.org' : 'TESTING',
    postage: null,
    international: false,
    rate_multiplier: 1,
    one_click_unsubscribe_url: null,
    scheduled_for: null,
    created_at: now,
    lane: lanes.normal,
    due_at: now,
  };
}

export async function messageOf({ app }: Harness, id: string) {
  return app.db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export async function queueOf({ app }: Harness, id: string) {
  return app.db.selectFrom('delivery_queue').selectAll().where('notification_id', '=', id).executeTakeFirst();
}

/** Replaces the source of an email in the sandbox. */
export async function replaceSource({ app, clock }: Harness, id: string, source: string): Promise<void> {
  const [location] = await writeSources(app, [Buffer.from(source)], clock.now());
  await app.db
    .updateTable('sandbox_messages')
    .set({ ...location })
    .where('reference', '=', id)
    .execute();
}

/** Creates a text that waits for its sending time until tomorrow. */
export async function aHeldMessage(
  harness: Harness,
  service_id: string,
  template_id: string,
  job_id: string | null = null,
): Promise<string> {
  const held_until = timestamp(later(harness.clock.now(), day_ms));
  const waiting = { template_id, scheduled_for: held_until, due_at: held_until };
  const notification_id = await aQueuedMessage(harness, service_id, waiting);
  const message = { notification_id, service_id, notification_type: 'sms' as const };
  await inTransaction(harness.app.db, (tx) =>
    insertHeld(tx, [{ ...message, held_until, time_zone: null, wanted_at: null, job_id }]),
  );
  return notification_id;
}
