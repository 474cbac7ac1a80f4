import { setTimeout as sleep } from 'node:timers/promises';
import { statuses } from '../../../libraries/smpp/commands.ts';
import type { Frame } from '../../../libraries/smpp/frames.ts';
import { type Delivered, FieldError, readDeliver } from '../../../libraries/smpp/messages.ts';
import { isReceipt, readReceipt } from '../../../libraries/smpp/receipts.ts';
import { readText } from '../../../libraries/smpp/texts.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { type Receipt, type ReceiptStatus, type Reports, recordOrRetry } from '../reports.ts';
import type { SmppSettings } from './settings.ts';

interface Deps {
  log: Log;
  clock: Clock;
  settings: SmppSettings;
  reports: Reports;
  accepted: AcceptedReferences;
}

/** Stores the contents of a deliver_sm. Returns the status of the response: after an error the message centre retries later. */
export async function takeDelivery(app: Deps, { body }: Frame): Promise<number> {
  try {
    const delivered = readDeliver(body);
    if (!isReceipt(delivered)) return await takeText(app, delivered);
    await takeReceipt(app, delivered);
    return statuses.ok;
  } catch (error) {
    if (error instanceof FieldError) {
      app.log.warn({ event: 'smpp.malformed', reason: error.message }, 'A deliver_sm could not be read');
      return statuses.permanentError;
    }
    app.log.warn({ event: 'smpp.not_stored', err: error }, 'A deliver_sm could not be stored, and will be repeated');
    return statuses.temporaryError;
  }
}

/** The response to a message is recorded shortly after it arrives, and a receipt can be faster. */
const retryDelays_ms = [50, 100, 200, 400, 800];

async function takeReceipt(app: Deps, delivered: Delivered): Promise<void> {
  const read = readReceipt(delivered);
  if (!read) {
    app.log.warn({ event: 'smpp.receipt_unreadable' }, 'A receipt has no id or no state');
    return;
  }
  const status = statusOf(read.state, read.error, app.settings);
  const reference = referenceOf(
    normalId(read.message_id, read.idIn === 'parameter' ? 'response' : 'receipt', app.settings),
  );
  const reason = `${read.state}${read.error === undefined ? '' : `, error ${read.error}`}`;
  const receipt: Receipt = {
    ...{ provider: 'smpp', proven: true, notification_type: 'sms', reference, reason },
    statusFor: () => status,
  };
  for (const delay_ms of retryDelays_ms) {
    if ((await app.reports.recordReceipt(receipt)) === 'known') return;
    if (!app.accepted.has(reference)) break;
    await sleep(delay_ms);
  }
  await recordOrRetry(app.reports, 'smpp', { reference, status, reason, received_at: app.clock.now().toISOString() });
}

function statusOf(
  state: string,
  error: string | undefined,
  { temporaryErrors }: Pick<SmppSettings, 'temporaryErrors'>,
): ReceiptStatus {
  switch (state) {
    case 'DELIVRD':
      return 'delivered';
    case 'EXPIRED':
      return 'temporary-failure';
    case 'UNDELIV':
    case 'REJECTD':
      return error !== undefined && temporaryErrors.includes(error) ? 'temporary-failure' : 'permanent-failure';
    case 'DELETED':
      return 'technical-failure';
    default:
      // The message is on its way, or the message centre does not know. Without another receipt it times out.
      return 'pending';
  }
}

/** The message centre retries a text for a number without a service as long as it keeps it: an operator can assign the number meanwhile. */
async function takeText({ reports, log }: Deps, delivered: Delivered): Promise<number> {
  const text = readText(delivered);
  if (text === undefined) {
    log.warn({ event: 'smpp.no_text', data_coding: delivered.data_coding }, 'A received message is not a text');
    return statuses.ok;
  }
  const { source: from, destination: to } = delivered;
  const inbound = { provider: 'smpp', from, to, ...text, received_at: undefined, reference: undefined };
  return (await reports.receiveText(inbound)) ? statuses.ok : statuses.temporaryError;
}

/** Returns the reference as stored with the message. Ids of a message centre are often short numbers, which other providers use too. */
export function referenceOf(messageId: string): string {
  return `smpp:${encodeURIComponent(messageId)}`;
}

const recent_ms = 10_000;

/** The references of messages that this process handed over in the last seconds, and whose results are about to be recorded. */
export class AcceptedReferences {
  private readonly times = new Map<string, number>();

  add(reference: string, now = performance.now()): void {
    this.times.delete(reference);
    this.times.set(reference, now);
    for (const [old, time] of this.times) {
      if (now - time < recent_ms) return;
      this.times.delete(old);
    }
  }

  has(reference: string): boolean {
    return this.times.has(reference);
  }
}

/** Normalises the ids of responses and receipts, so that equal ids compare as equal. */
export function normalId(
  id: string,
  source: 'response' | 'receipt',
  { receiptIds }: Pick<SmppSettings, 'receiptIds'>,
): string {
  if (receiptIds === 'same') return id;
  const isHexadecimal = (receiptIds === 'hexadecimal') === (source === 'receipt');
  const digits = isHexadecimal ? /^[0-9a-f]{1,64}$/i : /^\d{1,64}$/;
  return digits.test(id) ? BigInt(isHexadecimal ? `0x${id}` : id).toString() : id;
}
