import type { Timestamp } from '../platform/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';

export interface InboundTextRow {
  id: string;
  service_id: string;
  notify_number: string;
  user_number: string;
  content: string;
  provider: string;
  provider_reference: string | null;
  provider_date: Timestamp | null;
  created_at: Timestamp;
}

export async function insertInboundText(tx: Tx, row: InboundTextRow): Promise<void> {
  await tx.insertInto('inbound_sms').values(row).execute();
}

const columns = ['id', 'created_at', 'service_id', 'notify_number', 'user_number', 'content'] as const;

/** Newest first; `older_than` is the last one of the page before. */
export function selectInboundTexts(db: Db, serviceId: string, page: { size: number; older_than?: string }) {
  return db
    .selectFrom('inbound_sms')
    .select(columns)
    .where('service_id', '=', serviceId)
    .$if(page.older_than !== undefined, (query) =>
      query.where('id', '<', (text) =>
        text
          .selectFrom('inbound_sms')
          .select('id')
          .where('id', '=', page.older_than ?? '')
          .where('service_id', '=', serviceId),
      ),
    )
    .orderBy('id', 'desc')
    .limit(page.size)
    .execute();
}
