import type { PhoneRules } from '../../countries/phone-rules.ts';
import { joinReceivedParts, recordInboundText, userNumberOf } from '../../inbound/inbound-texts.ts';
import { applyKeyword, readReceived } from '../../inbound/opt-outs/opt-outs.ts';
import type { OptOutSettings } from '../../inbound/opt-outs/settings.ts';
import { replyToKeyword } from '../../notifications/sending/keyword-replies.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { normaliseOwnNumber } from '../../recipients/phone-number.ts';
import { createInboundTextCallback } from '../callbacks/service-callbacks.ts';
import type { InboundText } from '../providers/reports.ts';
import { selectServiceOfNumber } from './inbound-hooks.sql.ts';

type Deps = Platform & { config: { optOuts: OptOutSettings } };

/**
 * Stores inbound texts of one provider for the service that owns the number and creates the callback. For a text in parts, the last part
 * creates it. Returns false if no service receives texts at the number.
 */
export function textReceiver(app: Deps, provider: string): (text: InboundText) => Promise<boolean> {
  const { metrics, log } = app;
  const received = metrics.counter('inbound_sms_total', 'Texts received for services', ['provider']);
  const rejected = metrics.counter(
    'inbound_sms_rejected_total',
    'Texts received for a number without a service that receives texts',
    ['provider'],
  );
  // Prometheus does not see the first rejection as an increase unless the counter was 0 before.
  for (const counter of [received, rejected]) counter.inc({ provider }, 0);
  return async (text) => {
    const stored = await storeText(app, text);
    (stored ? received : rejected).inc({ provider });
    if (!stored) {
      log.warn(
        { event: 'inbound_sms.rejected', provider, number_ends_with: text.to.slice(-3) },
        'Received a text for a number without a service that receives texts',
      );
    }
    return stored;
  };
}

async function storeText(app: Deps, text: InboundText): Promise<boolean> {
  const service = await selectServiceOfNumber(app.db, normaliseOwnNumber(app.country.phone, text.to));
  if (!service?.permissions.includes('inbound_sms')) return false;
  const now = app.clock.now();
  await inTransaction(app.db, async (tx) => {
    const content = await wholeText(tx, app.country.phone, service.id, text, now);
    if (content === undefined) return;
    const received = {
      service_id: service.id,
      notify_number: service.number,
      user_number: userNumberOf(app.country.phone, text.from),
      content,
    };
    const asked = await readReceived(app, tx, received);
    const stored = await recordInboundText(
      tx,
      app.country.phone,
      {
        ...received,
        provider: text.provider,
        provider_reference: text.reference,
        provider_date: text.received_at,
      },
      now,
      asked,
    );
    if (asked) {
      await applyKeyword(app, tx, asked, stored, now);
      if (asked.action === 'stop' || asked.action === 'help') await replyToKeyword(app, tx, asked.action, stored, now);
    }
    await createInboundTextCallback(tx, stored, now);
  });
  return true;
}

/** Returns undefined until all parts of a longer text have arrived. */
async function wholeText(
  tx: Tx,
  phone: PhoneRules,
  service_id: string,
  { content, from, part }: InboundText,
  now: Date,
): Promise<string | undefined> {
  const text = content.replaceAll('\0', '');
  return part ? joinReceivedParts(tx, phone, { service_id, user_number: from, content: text, ...part }, now) : text;
}
