import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const deliverySettings = {
  providerRates: setting.numbersByName(
    'PROVIDER_RATES',
    'Maximum messages per second that all workers together send to each provider, for example `mmg:50,ses:14`.',
    { fallback: {}, fallbackText: 'no limit' },
  ),
  concurrency: setting.integer(
    'DELIVERY_CONCURRENCY',
    'Maximum concurrent calls to providers, per channel and process.',
    { fallback: 200, min: 1, max: 5000 },
  ),
  maxRetries: setting.integer('DELIVERY_MAX_RETRIES', 'Maximum retries of handing a message to a provider.', {
    fallback: 48,
    min: 0,
    max: 1000,
  }),
  retryDelay_ms: setting.seconds(
    'DELIVERY_RETRY_DELAY_S',
    'Seconds between those retries; the first retry of a text message is immediate.',
    { fallback: 300, min: 0, max: 86_400 },
  ),
  expiry_ms: setting.hours('DELIVERY_EXPIRY_H', 'Hours after which a message that no provider has accepted fails.', {
    fallback: 72,
    min: 1,
    max: 72,
  }),
};

export type DeliverySettings = Values<typeof deliverySettings>;

export const receiptSettings = {
  /** Applies to all gateways that do not sign their receipts. */
  receiptTokens: setting.flag(
    'SMS_RECEIPT_TOKENS',
    'Accept MMG and Firetext receipts only at the per-message URL, which contains a token; false: also at the URL without a token.',
    { fallback: true },
  ),
};
export type ReceiptSettings = Values<typeof receiptSettings>;

export const demoSettings = {
  enabled: setting.flag(
    'DEMO',
    'Create a demo service with an API key and templates, and list messages sent through the sandbox at /outbox, without authentication. Off: the demo key is revoked.',
    {
      fallback: undefined,
      fallbackText:
        'true when HOST and BASE_URL are loopback addresses, every channel uses the sandbox and the database is embedded; otherwise false',
    },
  ),
};

/** The settings after applying the default of DEMO, and whether HOST and BASE_URL are loopback addresses. */
export type DemoSettings = Record<keyof typeof demoSettings | 'isOnlyHere', boolean>;
