import { expect } from 'vitest';
import type { Status, transitions } from '../../../src/notifications/notification.ts';
import { recordStatusChanges } from '../../../src/notifications/status.ts';
import { selectPlan } from '../../../src/plans/channel-plans.sql.ts';
import { encryptContent } from '../../../src/plans/message-content.ts';
import { timestamp } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/db/database.ts';
import { newId } from '../../../src/platform/id.ts';
import type { Harness } from '../harness.ts';
import { aTemplate, aUser } from './rows.ts';

export interface StepOfTest {
  channel: 'email' | 'sms' | 'letter';
  content?: string;
  only_if_missing?: boolean;
}

/** Creates a channel plan whose steps wait for 24 hours, with its templates. */
export async function aPlan(
  harness: Harness,
  service: string,
  steps: StepOfTest[],
  name = 'Appointments',
): Promise<string> {
  const made = await Promise.all(
    steps.map(async ({ channel, content = 'Hello ((name))', only_if_missing = false }, index) => ({
      channel,
      template_id: await aTemplate(harness, service, { template_type: channel, content, subject: 'News' }),
      wait_h: index < steps.length - 1 ? 24 : null,
      only_if_missing,
    })),
  );
  const plan = { name, steps: made, created_by: await aUser(harness) };
  const { status, body } = await harness.admin('POST', `/service/${service}/channel-plan`, plan);
  expect(status).toBe(201);
  return body.data.id;
}

/** Stores messages as if they were accepted when they are due. Returns their ids. */
export async function someDueMessages(
  { app }: Pick<Harness, 'app'>,
  { service_id, plan_id, due_at, count }: { service_id: string; plan_id: string; due_at: string; count: number },
): Promise<string[]> {
  const steps = (await selectPlan(app.db, service_id, plan_id))?.steps ?? [];
  const created_at = timestamp(new Date(due_at));
  const ids = Array.from({ length: count }, () => newId(new Date(due_at)));
  const content = { recipient: planRecipient, personalisation: { name: 'Ada' } };
  const messages = ids.map((id) => ({
    ...{ id, service_id, plan_id, plan_version: 1, key_type: 'normal' as const, created_at, due_at: created_at },
    encrypted_content: encryptContent(app, id, content),
  }));
  await app.db.insertInto('plan_messages').values(messages).execute();
  const waiting = ids.flatMap((message_id) =>
    steps.map((step, index) => ({ ...step, message_id, number: index + 1, template_version: 1 })),
  );
  await app.db.insertInto('plan_steps').values(waiting).execute();
  return ids;
}

/** Reports the outcome of a step, as its provider does. */
export async function changeStepStatus(
  { app, clock }: Harness,
  {
    id,
    step,
    status,
    event = 'receipt',
  }: { id: string; step: number; status: Status; event?: keyof typeof transitions | undefined },
): Promise<void> {
  const of = app.db.selectFrom('plan_steps').select('notification_id').where('message_id', '=', id);
  const { notification_id } = await of.where('number', '=', step).executeTakeFirstOrThrow();
  const change = { id: notification_id ?? '', status, event };
  const changed = await inTransaction(app.db, (tx) => recordStatusChanges(app.country, tx, [change], clock.now()));
  expect(changed).toHaveLength(1);
}

/** A recipient with a contact detail for each channel. */
export const planRecipient = {
  ...{ email_address: 'ada@example.org', phone_number: '07700 900123' },
  ...{ address_line_1: 'Ada Lovelace', address_line_2: '1 High Street', address_line_3: 'SW1A 1AA' },
};
