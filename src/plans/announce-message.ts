import type { SendDeps } from '../notifications/sending/send-context.ts';
import type { Tx } from '../platform/db/database.ts';
import { contentOf, type PlanRecipient } from './message-content.ts';
import type { PlanMessage, StoredStep } from './plan-messages.sql.ts';

/** What a service is told of a message, in the transaction that changes it. */
export interface PlanMessageNews {
  service_id: string;
  message_id: string;
  /** Read only for a service that wants to know. */
  body(): object;
}

export type AnnouncePlanMessage = (tx: Tx, news: PlanMessageNews, now: Date) => Promise<void>;

export type PlanDeps = SendDeps & { announcePlanMessage: AnnouncePlanMessage };

/** That its status has changed, or that a step has started. */
export async function announceMessage(
  app: PlanDeps,
  tx: Tx,
  { message, step, now }: { message: PlanMessage; step: StoredStep | undefined; now: Date },
): Promise<void> {
  const { id: message_id, service_id } = message;
  await app.announcePlanMessage(tx, { service_id, message_id, body: () => bodyOf(app, message, step) }, now);
}

/** As for the status of the notification that is the step. */
function bodyOf(app: PlanDeps, message: PlanMessage, step: StoredStep | undefined): object {
  const recipient = contentOf(app, message)?.recipient;
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

/** The step that says how far a message has come: the one that reached the recipient, or the last that was tried. */
export function tellingStep<S extends StoredStep>(steps: readonly S[]): S | undefined {
  const isTried = ({ state, notification_id }: S) => notification_id !== null || state === 'failed';
  return steps.find(({ state }) => state === 'delivered') ?? steps.findLast(isTried);
}
