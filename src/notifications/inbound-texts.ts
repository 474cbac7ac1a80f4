import { timestamp } from '../platform/clock.ts';
import type { Tx } from '../platform/db/database.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { normaliseRecipient } from '../recipients/recipient.ts';
import { type InboundTextRow, insertInboundText, selectInboundTexts } from './inbound-texts.sql.ts';

export type InboundText = InboundTextRow;

/** A text that someone sent to a service, as its provider reports it. */
export interface ReceivedText {
  service_id: string;
  /** The service's number as it is kept. */
  notify_number: string;
  user_number: string;
  content: string;
  provider: string;
  provider_reference?: string;
  /** When the provider got it. */
  provider_date?: Date;
}

export async function recordInboundText(tx: Tx, received: ReceivedText, now: Date): Promise<InboundText> {
  const row = {
    id: newId(now),
    service_id: received.service_id,
    notify_number: received.notify_number,
    user_number: normaliseRecipient(received.user_number),
    content: received.content,
    provider: received.provider,
    provider_reference: received.provider_reference ?? null,
    provider_date: received.provider_date ? timestamp(received.provider_date) : null,
    created_at: timestamp(now),
  };
  await insertInboundText(tx, row);
  return row;
}

export const inboundPageSize = 250;

export function listInboundTexts(app: Pick<Platform, 'db'>, serviceId: string, olderThan?: string) {
  return selectInboundTexts(app.db, serviceId, { size: inboundPageSize, older_than: olderThan });
}
