import type { OptOutSettings } from '../../inbound/opt-outs/settings.ts';
import { t } from '../../language/text.ts';
import { recordRejections } from '../../letters/print/despatch.ts';
import { letterReference } from '../../letters/print/print-provider.ts';
import { despatchInSandbox, printInSandbox } from '../../letters/print/print-run.ts';
import { recordReturnedLetters } from '../../letters/returned/returned-letters.ts';
import { type Status, unfinishedStatuses } from '../../notifications/notification.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { retryOnConflict } from '../../platform/db/errors.ts';
import { conflict, invalidField } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { StorageSettings, Urls } from '../../platform/settings.ts';
import { findNumberOfService } from '../../services/inbound-numbers/inbound-numbers.ts';
import { getService } from '../../services/services.ts';
import type { EmailThreads } from '../../templates/email-threads.ts';
import { recordUnsubscribe } from '../../unsubscribe/unsubscribe.ts';
import { textReceiver } from '../inbound/inbound-hooks.ts';
import type { ReceiptStatus } from '../providers/reports.ts';
import { recordReportedComplaint } from '../receipts/provider-reports.ts';
import { recordReceipts } from '../receipts/receipts.ts';
import { findSentEmail } from './email-sources.ts';
import type { InboxMessage } from './inbox.ts';

type Deps = Platform & {
  emailThreads: EmailThreads;
  config: { urls: Urls; storage: StorageSettings; optOuts: OptOutSettings };
};

const receipts = [
  'delivered',
  'pending',
  'temporary-failure',
  'permanent-failure',
  'technical-failure',
] as const satisfies readonly ReceiptStatus[];

/** The actions of the provider, the recipient or the printer that the sandbox can simulate. */
export const simulatedEvents = [
  ...receipts,
  'reply',
  'complaint',
  'unsubscribe',
  'print',
  'posted',
  'rejected',
  'returned',
] as const;
export type SimulatedEvent = (typeof simulatedEvents)[number];

/** Returns the actions that would change something now. */
export async function possibleEvents(app: Deps, message: InboxMessage): Promise<SimulatedEvent[]> {
  const { notification_type, status } = message;
  if (notification_type === 'letter') return printerEvents(message);
  const ofProvider = isUnfinished(status) ? receipts.filter((receipt) => receipt !== status) : [];
  if (notification_type === 'sms') {
    // Only text message networks report an intermediate state.
    return [...ofProvider, ...((await findReplyNumber(app, message)) ? (['reply'] as const) : [])];
  }
  const canUnsubscribe = (await findUnsubscribeToken(app, message)) !== undefined;
  return [
    ...ofProvider.filter((receipt) => receipt !== 'pending'),
    'complaint',
    ...(canUnsubscribe ? (['unsubscribe'] as const) : []),
  ];
}

function isUnfinished(status: Status): boolean {
  return unfinishedStatuses.some((unfinished) => unfinished === status);
}

function printerEvents({ status, billable_units }: InboxMessage): SimulatedEvent[] {
  // A letter has sheets only after it was drawn.
  if (status === 'created') return billable_units > 0 ? ['print'] : [];
  if (status === 'sending') return ['posted', 'rejected', 'returned'];
  return status === 'delivered' ? ['returned'] : [];
}

/** Does what a real provider, recipient or printer would cause. `text` is the text of a reply. */
export async function simulateEvent(app: Deps, message: InboxMessage, event: SimulatedEvent, text = ''): Promise<void> {
  if (!(await possibleEvents(app, message)).includes(event)) throw changedMeanwhile();
  const { id } = message;
  switch (event) {
    case 'reply':
      return reply(app, message, text);
    case 'complaint':
      return complain(app, id);
    case 'unsubscribe':
      return recordUnsubscribe(app, id, (await findUnsubscribeToken(app, message)) ?? '');
    case 'print':
      return printInSandbox(app, id);
    case 'posted':
      return despatchInSandbox(app, { notification_ids: [id] });
    case 'rejected':
      await inTransaction(app.db, (tx) => recordRejections(app.country, tx, [id], app.clock.now()));
      return;
    case 'returned':
      await recordReturnedLetters(app, [letterReference(id)]);
      return;
    default:
      return report(app, message, event);
  }
}

async function report(app: Deps, message: InboxMessage, status: ReceiptStatus): Promise<void> {
  const { id: reference, notification_type } = message;
  const receipt = { provider: 'sandbox', proven: true, notification_type, reference, statusFor: () => status };
  const { changed } = await retryOnConflict(() => recordReceipts(app, [receipt], app.clock.now()));
  if (changed.length === 0) throw changedMeanwhile();
}

function changedMeanwhile() {
  return conflict(t('The message has changed, so this would no longer have an effect.'));
}

async function complain(app: Deps, reference: string): Promise<void> {
  const now = app.clock.now();
  await recordReportedComplaint(app, {
    provider: 'sandbox',
    reference,
    feedback_id: newId(now),
    complaint_type: 'abuse',
    complaint_date: timestamp(now),
  });
}

async function reply(app: Deps, message: InboxMessage, text: string): Promise<void> {
  if (text === '') throw invalidField('text', 'Write the reply.');
  const to = await findReplyNumber(app, message);
  const received_at = app.clock.now();
  const received =
    to !== undefined &&
    (await textReceiver(
      app,
      'sandbox',
    )({
      provider: 'sandbox',
      from: message.recipient,
      to,
      content: text,
      received_at,
      reference: undefined,
    }));
  if (!received) throw conflict('The service receives no texts: it needs a number, and the permission to use it.');
}

/** Returns the number at which the service receives texts. */
async function findReplyNumber({ db }: Deps, { service_id }: InboxMessage): Promise<string | undefined> {
  const { permissions } = await getService(db, service_id);
  const number = permissions.includes('inbound_sms') ? await findNumberOfService(db, service_id) : undefined;
  return number?.active ? number.number : undefined;
}

/** Returns undefined if the message has no unsubscribe link of ours. A service's own links are on its own servers. */
async function findUnsubscribeToken(app: Deps, { id }: InboxMessage): Promise<string | undefined> {
  const url = (await findSentEmail(app, id))?.unsubscribe_url ?? '';
  const ours = `${app.config.urls.api}/unsubscribe/${id}/`;
  return url.startsWith(ours) ? url.slice(ours.length) : undefined;
}
