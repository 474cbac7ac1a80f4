import type { SendDeps } from '../notifications/sending/send-context.ts';
import type { Tx } from '../platform/db/database.ts';
import { type PlanRecipient, readableContentOf } from './message-content.ts';
import type { PlanMessage, StoredStep } from './plan-messages.sql.ts';

/** A change of a message that its service gets a callback for. */
export interface PlanMessageChange {
  service_id: string;
  message_id: string;
  /** Called only if the service has set up such callbacks. */
  body(): object;
}

export type CreatePlanMessageCallback = (tx: Tx, change: PlanMessageChange, now: Date) => Promise<void>;

export type PlanDeps = SendDeps & { createPlanMessageCallback: CreatePlanMessageCallback };

/** Call it when the status of a message has changed or one of its steps has started. */
export async function createMessageCallback(
  app: PlanDeps,
  tx: Tx,
  { message, step, now }: { message: PlanMessage; step: StoredStep | undefined; now: Date },
): Promise<void> {
  const { id: message_id, service_id } = message;
  await app.createPlanMessageCallback(tx, { service_id, message_id, body: () => bodyOf(app, message, step) }, now);
}

/** Has the fields of `delivery_status`, too. */
function bodyOf(app: PlanDeps, message: PlanMessage, step: StoredStep | undefined): object {
  const recipient = readableContentOf(app, message)?.recipient;
  return {
    message_id: message.id,
    id: step?.notification_id ?? null,
    reference: message.reference,
    to: (recipient && step && contactOf(recipient, step)) ?? null,
    status: message.status,
    step: step?.number ?? null,
    channel: step?.channel ?? null,
    created_at: message.created_at,
    completed_at: message.completed_at,
    sent_at: step?.handed_over_at ?? null,
    notification_type: step?.channel ?? null,
    template_id: step?.template_id ?? null,
    template_version: step?.template_version ?? null,
  };
}

function contactOf({ email_address, phone_number }: PlanRecipient, { channel }: StoredStep): string | undefined {
  switch (channel) {
    case 'email':
      return email_address;
    case 'sms':
      return phone_number;
    case 'letter':
      return undefined;
  }
}
