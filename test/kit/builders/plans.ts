import { expect } from 'vitest';
import type { Status, transitions } from '../../../src/notifications/notification.ts';
import { recordStatusChanges } from '../../../src/notifications/status.ts';
import { inTransaction } from '../../../src/platform/db/database.ts';
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
