import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { listSettings } from './config.ts';
import { readConfig } from './read-config.ts';

describe('the list of settings', () => {
  it('has every value as it was given, except secrets', () => {
    const given = {
      ...{ PORT: '7000', DATABASE_READ_TIMEOUT_S: '7', DELIVERY_EXPIRY_H: '5', RECORDS_KEPT_DAYS: '44' },
      ...{ BODY_MEMORY_MB: '40', CALLBACK_RETRY_DELAYS_S: '1,20', PROVIDER_RATES: 'mmg:5,ses:2.5' },
      ...{ TRUSTED_PROXIES: '10.0.0.0/8,::1', DEMO: 'true', SANDBOX_DELAY_MS: '17', SMTP_REQUIRE_TLS: 'false' },
    };
    const secrets = { SECRET_KEY: 's'.repeat(32), ADMIN_CLIENT_SECRETS: 'a'.repeat(32), MMG_API_KEY: 'key-of-mmg' };
    const lines = listSettings(readConfig({ DATA_DIR: tmpdir(), ...given, ...secrets }));
    expect(lines).toEqual(
      expect.arrayContaining([
        ...Object.entries(given).map((pair) => pair.join('=')),
        ...Object.keys(secrets).map((name) => `${name}=(set, not shown)`),
        'MMG_INBOUND_AUTH=',
      ]),
    );
    expect(lines.join()).not.toMatch(/s{32}|a{32}|key-of-mmg/);
  });
});
