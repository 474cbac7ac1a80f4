import { recordComplaint } from '../../complaints/complaints.ts';
import type { OptOutSettings } from '../../inbound/opt-outs/settings.ts';
import { countComplaint } from '../../notifications/guard/email-outcomes.shared.sql.ts';
import { later, minute_ms, timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { isUuid } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/queue/queue.ts';
import { recordSuppressions } from '../../services/suppression/suppression-list.ts';
import { createComplaintCallback } from '../callbacks/service-callbacks.ts';
import { insertUnmatchedReceipt } from '../failover/provider-health.sql.ts';
import { periodStart } from '../failover/provider-health.ts';
import { textReceiver } from '../inbound/inbound-hooks.ts';
import type { ProviderDescriptor, ReceiptDeps } from '../providers/descriptor.ts';
import type { ReceiptOutcome, ReportedComplaint, Reports } from '../providers/reports.ts';
import { type ProvidersConfig, settingsOf } from '../providers/settings.ts';
import { findTargets, isFromProvider, ReceiptRecorder } from './receipts.ts';

type Deps = Platform & { config: ProvidersConfig & { optOuts: OptOutSettings } };

/** While a message is younger than this, the provider's reference may not be recorded yet. */
const retryFor_ms = 5 * minute_ms;
const retryDelay_ms = 15_000;

interface StoredEvent {
  provider: string;
  event: object;
}

export const recordEmailReceipt: Task<StoredEvent> = {
  name: 'record-email-receipt',
  description: 'Retries a receipt that arrived before the reference of the provider was recorded.',
  maxAttempts: 25,
};

export async function retryReceipt(
  app: Deps & { providers: readonly ProviderDescriptor[] },
  { provider: name, event }: StoredEvent,
): Promise<void> {
  const provider = app.providers.find((known) => known.name === name && known.retryReceipt);
  if (!provider?.retryReceipt) throw new Error(`there is no provider ${name} that retries receipts`);
  await provider.retryReceipt(receiptDeps(app, provider, new ReceiptRecorder(app)), event);
}

/** The dependencies of a provider's webhooks. */
export function receiptDeps(app: Deps, provider: ProviderDescriptor, receipts: ReceiptRecorder): ReceiptDeps {
  const { config, clock, log, secrets } = app;
  return {
    ...{ config, clock, log, secrets },
    settings: settingsOf(config, provider),
    ...messageReports(app, provider, receipts),
  };
}

/** The dependencies of a provider that receives reports on its own connection. */
export function reportsOf(app: Deps, provider: { name: string }, receipts: ReceiptRecorder): Reports {
  return { ...messageReports(app, provider, receipts), receiveText: textReceiver(app, provider.name) };
}

function messageReports(
  app: Deps,
  provider: { name: string },
  receipts: ReceiptRecorder,
): Omit<Reports, 'receiveText'> {
  const { clock, log } = app;
  return {
    recordReceipt: (receipt) => receipts.add(receipt),
    recordComplaint: (complaint) => recordReportedComplaint(app, complaint),
    async retryUnmatched(event, { kind, sent_at, reference }) {
      const now = clock.now();
      if (!sent_at || now.getTime() - sent_at.getTime() > retryFor_ms) {
        log.warn(
          { event: 'receipt.unmatched', kind, provider: provider.name, id_format: formatOf(reference, provider.name) },
          'A receipt refers to an unknown message',
        );
        if (kind === 'receipt') await insertUnmatchedReceipt(app.db, provider.name, timestamp(periodStart(now)));
        return;
      }
      const stored = { provider: provider.name, event };
      await app.queue.add(app.db, recordEmailReceipt, stored, { runAt: later(now, retryDelay_ms) });
    },
  };
}

/** Enough to compare the reference with the ids in responses without identifying the message. References may begin with the provider. */
function formatOf(ofProvider: string, provider: string): string {
  const reference = ofProvider.replace(new RegExp(`^${provider}\\W`), '');
  const digits = /^\d+$/.test(reference) ? 'decimal' : /^[\da-f]+$/i.test(reference) ? 'hexadecimal' : 'other';
  return `${isUuid(reference) ? 'uuid' : digits}, ${reference.length} characters`;
}

/** A complaint does not change the status: the message was delivered. */
export function recordReportedComplaint(app: Platform, complaint: ReportedComplaint): Promise<ReceiptOutcome> {
  return inTransaction(app.db, async (tx) => {
    const target = (await findTargets(tx, [complaint.reference])).get(complaint.reference);
    if (!target) return 'unknown';
    if (!isFromProvider({ provider: complaint.provider, proven: true }, target)) return 'known';
    const now = app.clock.now();
    const recorded = await recordComplaint(
      tx,
      {
        notification_id: target.id,
        service_id: target.service_id,
        ses_feedback_id: complaint.feedback_id,
        complaint_type: complaint.complaint_type,
        complaint_date: complaint.complaint_date,
      },
      now,
    );
    if (!recorded) return 'known';
    const { id: notification_id, service_id, normalised_recipient: email_address } = target;
    if (target.notification_type === 'email') {
      await recordSuppressions(app, tx, [{ service_id, notification_id, email_address, reason: 'complaint' }], now);
      if (recorded.is_first && target.key_type !== 'test') {
        await countComplaint(tx, service_id, target.sent_at ?? target.created_at);
      }
    }
    await createComplaintCallback(
      tx,
      {
        service_id: target.service_id,
        notification_id: target.id,
        complaint_id: recorded.id,
        reference: target.client_reference,
        to: target.recipient,
        complaint_date: recorded.complaint_date,
      },
      now,
    );
    return 'known';
  });
}
