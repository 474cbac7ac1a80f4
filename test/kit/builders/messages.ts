import { lanes, type Status, type StatusChange } from '../../../src/notifications/notification.ts';
import { insertNotifications } from '../../../src/notifications/sending/notifications.sql.ts';
import { recordStatusChanges } from '../../../src/notifications/status.ts';
import { timestamp } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/db/database.ts';
import { newId } from '../../../src/platform/id.ts';
import type { Channel } from '../../../src/protocol/channels.ts';
import type { Harness } from '../harness.ts';

/** A message with a history. It is accepted and changes its status as real messages do. */
export interface PastMessage {
  service_id: string;
  notification_type: Channel;
  /** UTC. */
  created_at: string;
  status: Status;
  template_id?: string;
  key_type?: 'normal' | 'team' | 'test';
  provider?: string | null;
  rate_multiplier?: number;
  international?: boolean;
  /** Fragments of a text message, sheets of a letter. */
  billable_units?: number;
  postage?: string;
  /** Milliseconds from acceptance to the provider. */
  sent_after_ms?: number;
}

const anyTemplate = '99999999-0000-4000-8000-000000000000';

export async function somePastMessages({ app }: Pick<Harness, 'app'>, messages: PastMessage[]): Promise<string[]> {
  const accepted = messages.map((message) => {
    const moment = new Date(message.created_at);
    return {
      id: newId(moment),
      service_id: message.service_id,
      template_id: message.template_id ?? anyTemplate,
      template_version: 1,
      notification_type: message.notification_type,
      key_type: message.key_type ?? 'normal',
      api_key_id: null,
      created_by_id: null,
      status: 'created' as const,
      client_reference: null,
      recipient: 'someone',
      normalised_recipient: 'someone',
      personalisation: {},
      reply_to_text: null,
      postage: message.notification_type === 'letter' ? (message.postage ?? 'second') : null,
      international: message.international ?? false,
      rate_multiplier: message.rate_multiplier ?? 1,
      one_click_unsubscribe_url: null,
      scheduled_for: null,
      created_at: timestamp(moment),
      lane: lanes.normal,
      due_at: timestamp(moment),
    };
  });
  const steps = messages.flatMap((message, index) => stepsOf(message, accepted[index]?.id ?? ''));
  await inTransaction(app.db, async (tx) => {
    await insertNotifications(app.country, tx, accepted);
    await recordStatusChanges(app.country, tx, steps, app.clock.now());
  });
  return accepted.map(({ id }) => id);
}

/** The transitions to its status. `billable_units` are set when it is handed over, or when that fails. */
function stepsOf(message: PastMessage, id: string): StatusChange[] {
  const provider = message.provider === undefined ? defaultProvider[message.notification_type] : message.provider;
  const known = {
    ...(provider === null ? {} : { provider }),
    billable_units: message.billable_units ?? (message.notification_type === 'email' ? 0 : 1),
    sent_at: new Date(Date.parse(message.created_at) + (message.sent_after_ms ?? 1_000)),
  };
  const sending: StatusChange = { id, status: 'sending', event: 'handedOver', ...known };
  switch (message.status) {
    case 'created':
      return [];
    case 'sending':
      return [sending];
    case 'sent':
      return [{ ...sending, status: 'sent' }];
    case 'cancelled':
    case 'pending-virus-check':
      return [{ id, status: message.status, event: 'cancelled' }];
    case 'validation-failed':
    case 'virus-scan-failed':
      return [{ id, status: message.status, event: 'checked' }];
    case 'returned-letter':
      return [
        sending,
        { id, status: 'delivered', event: 'despatched' },
        { id, status: 'returned-letter', event: 'returned' },
      ];
    default:
      return [sending, { id, status: message.status, event: 'receipt' }];
  }
}

const defaultProvider = { sms: 'mmg', email: 'ses', letter: 'dvla' };
