import { recordInboundText } from '../../inbound/inbound-texts.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { Failure, forbidden } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { sameSecret } from '../../platform/secrets/secrets.ts';
import { announceInboundText } from '../callbacks/service-callbacks.ts';
import { selectServiceOfNumber } from './inbound-hooks.sql.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'log' | 'metrics'>;

/** An inbound text as delivered by the gateway. */
interface GatewayText {
  provider: string;
  from: string;
  to: string;
  content: string;
  received_at: Date | undefined;
  reference: string | undefined;
}

/** Stores the text for the service that owns the number and creates its callback. Returns false if no service receives texts there. */
export async function receiveText(app: Deps, text: GatewayText): Promise<boolean> {
  const received = await inTransaction(app.db, async (tx) => {
    const service = await selectServiceOfNumber(tx, text.to.replace(/^\+?44/, '0'));
    if (!service?.permissions.includes('inbound_sms')) return false;
    const now = app.clock.now();
    const stored = await recordInboundText(
      tx,
      {
        service_id: service.id,
        notify_number: service.number,
        user_number: text.from,
        content: text.content.replaceAll('\0', ''),
        provider: text.provider,
        provider_reference: text.reference,
        provider_date: text.received_at,
      },
      now,
    );
    await announceInboundText(tx, stored, now);
    return true;
  });
  if (received) {
    app.metrics
      .counter('inbound_sms_total', 'Texts received for services', ['provider'])
      .inc({ provider: text.provider });
  } else {
    app.log.warn(
      { event: 'inbound_sms.rejected', provider: text.provider },
      'Received a text for a number without a service that receives texts',
    );
  }
  return received;
}

/** `expected` is `user:password`. Without configured credentials the webhook rejects all requests. */
export function refuseUnlessGateway(authorization: string | undefined, expected: string | undefined): void {
  const [scheme = '', given = ''] = (authorization ?? '').split(' ');
  if (scheme.toLowerCase() !== 'basic') {
    throw new Failure('unauthenticated', 'AuthError', 'Unauthorized: basic credentials must be provided', {
      headers: { 'www-authenticate': 'Basic realm="inbound texts"' },
    });
  }
  const credentials = Buffer.from(given, 'base64').toString();
  if (expected === undefined || !sameSecret(credentials, expected)) throw forbidden('Invalid credentials');
}
