import { createPublicKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { aPlatformAdmin } from '../../test/kit/builders/sending-domains.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { databaseNamed } from '../../test/kit/process/database-url.ts';
import { confirmRecipient } from '../documents/documents.ts';
import { printerCallbackUrl, readPrinterToken } from '../letters/print/printer-callback.ts';
import { migrationFiles } from '../platform/db/migrate.ts';
import { newId } from '../platform/id.ts';
import { readPrivateKey } from '../sending-domains/keys/dkim-keys.ts';
import { decryptToken, encryptToken } from '../services/settings/callback-api.ts';
import { createLinkToken, readLinkToken } from '../users/sign-in/link-tokens.ts';
import { rekey } from './rekey.ts';

const [oldKey, newKey] = ['old', 'new'].map((name) => name.padEnd(32, '.')) as [string, string];
const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { encryption: { keys: [oldKey] } } });
let url: string;

beforeAll(async () => {
  const { rows } = await harness.app.pool.query('select current_database() as name');
  url = databaseNamed(inject('databaseUrl'), rows[0].name);
});

/** A service with one of each encrypted value and signed token. */
async function aServiceWithSecrets() {
  const service_id = await aService(harness, { contact_link: 'https://example.org' });
  const api_key = await anApiKey(harness, service_id);
  const callback = {
    callback_type: 'delivery_status' as const,
    url: 'https://example.org/hook',
    updated_by_id: await aUser(harness),
  };
  const path = `/service/${service_id}/callback-api`;
  const response = await harness.admin('POST', path, { ...callback, bearer_token: 'a-long-bearer-token' });
  expect(response.status).toBe(201);
  const { app, clock } = harness;
  await app.db
    .insertInto('service_callbacks')
    .values({
      ...{ id: newId(clock.now()), service_id, callback_type: 'delivery_status', subject_id: newId(clock.now()) },
      ...{ url: callback.url, body: '{}', due_at: '2099-01-01T00:00:00Z', created_at: clock.now().toISOString() },
      encrypted_bearer_token: encryptToken(
        app,
        { service_id, callback_type: 'delivery_status' },
        'a-long-bearer-token',
      ),
    })
    .execute();
  const template_id = await aTemplate(harness, service_id, { template_type: 'email', content: '((f))', subject: 's' });
  const personalisation = { f: { file: 'aGk=', confirm_email_before_download: true } };
  const email = { email_address: 'ada@example.org', template_id, personalisation };
  expect((await harness.v2('POST', '/v2/notifications/email', api_key, email)).status).toBe(201);
  const document = await app.db
    .selectFrom('documents')
    .selectAll()
    .where('service_id', '=', service_id)
    .executeTakeFirstOrThrow();
  const link = createLinkToken(app, 'verify-email', { user_id: 'u', email: 'e' });
  const letter = newId(clock.now());
  const printerToken = new URL(printerCallbackUrl(app, letter)).searchParams.get('token');
  const created_by_id = await aPlatformAdmin(harness);
  const domain = { scope: 'service', service_id, name: `${service_id}.council.example`, created_by_id };
  expect((await harness.admin('POST', '/sending-domain', domain)).status).toBe(201);
  return { service_id, api_key, document, link, printerToken, letter };
}

type Secrets = Awaited<ReturnType<typeof aServiceWithSecrets>>;
type Process = Awaited<ReturnType<typeof harness.anotherProcess>>;

/** Checks which stored values and issued tokens are valid in this process. */
async function whatWorks({ app, v2 }: Process, { service_id, api_key, document, link, printerToken }: Secrets) {
  const tokensOf = async (table: 'service_callback_api' | 'service_callbacks') => {
    const rows = await app.db.selectFrom(table).selectAll().where('service_id', '=', service_id).execute();
    return rows.map((row) => decryptToken(app, row, row.encrypted_bearer_token));
  };
  const stored = await app.db
    .selectFrom('documents')
    .selectAll()
    .where('id', '=', document.id)
    .executeTakeFirstOrThrow();
  const attempt = async (address: string) => typeof (await confirmRecipient(app, stored, address)) === 'object';
  return {
    kept: {
      api_key: (await v2('GET', '/v2/templates', api_key)).status === 200,
      callback: (await tokensOf('service_callback_api'))[0] === 'a-long-bearer-token',
      waiting: (await tokensOf('service_callbacks'))[0] === 'a-long-bearer-token',
      recipient: (await attempt('ada@example.org')) && !(await attempt('grace@example.org')),
      dkim: await signs(app, service_id),
    },
    given: {
      link: readLinkToken(app, 'verify-email', link).state === 'valid',
      printer: (() => {
        try {
          return readPrinterToken(app, printerToken) !== '';
        } catch {
          return false;
        }
      })(),
    },
  };
}

/** Whether the key of its domain can be read, and belongs to the record that was published for it. */
async function signs({ db, secrets }: Process['app'], serviceId: string): Promise<boolean> {
  const key = await db
    .selectFrom('sending_domain_keys')
    .innerJoin('sending_domains', 'sending_domains.id', 'sending_domain_keys.domain_id')
    .select(['sending_domain_keys.id', 'public_key', 'encrypted_private_key'])
    .where('service_id', '=', serviceId)
    .executeTakeFirstOrThrow();
  const pem = readPrivateKey({ secrets }, key.id, key.encrypted_private_key ?? '');
  if (pem === undefined) return false;
  return createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64') === key.public_key;
}

const all = {
  kept: { api_key: true, callback: true, waiting: true, recipient: true, dkim: true },
  given: { link: true, printer: true },
};

describe('pennypost rekey', () => {
  it('tokens of an old key work until the key is removed; stored values still work after that', async () => {
    const secrets = await aServiceWithSecrets();
    const withBoth = await harness.anotherProcess({ encryption: { keys: [newKey, oldKey] } });
    expect(await whatWorks(withBoth, secrets)).toEqual(all);
    const said: string[] = [];
    await rekey({ url, secretKeys: [newKey, oldKey], say: (line) => said.push(line) });
    expect(said.join('\n')).toMatch(/API keys: [1-9]\d* re-encrypted, 0 already current/);
    expect(await whatWorks(withBoth, secrets)).toEqual(all);
    const withNew = await harness.anotherProcess({ encryption: { keys: [newKey] } });
    expect(await whatWorks(withNew, secrets)).toEqual({ kept: all.kept, given: { link: false, printer: false } });
    await rekey({ url, secretKeys: [oldKey, newKey], say: () => {} });
  });

  it('is idempotent and can be resumed', async () => {
    await aServiceWithSecrets();
    const run = async () => {
      const said: string[] = [];
      await rekey({ url, secretKeys: [newKey, oldKey], say: (line) => said.push(line) });
      return said.join('\n');
    };
    await run();
    expect(await run()).not.toMatch(/[1-9]\d* re-encrypted/);
    await rekey({ url, secretKeys: [oldKey, newKey], say: () => {} });
  });

  it('reports values that no key decrypts and leaves them unchanged', async () => {
    const { service_id } = await aServiceWithSecrets();
    const before = await harness.app.db
      .selectFrom('api_keys')
      .selectAll()
      .where('service_id', '=', service_id)
      .execute();
    await expect(rekey({ url, secretKeys: [newKey], say: () => {} })).rejects.toThrow(
      /values could not be opened with any of the keys/,
    );
    expect(
      await harness.app.db.selectFrom('api_keys').selectAll().where('service_id', '=', service_id).execute(),
    ).toEqual(before);
  });

  it('a secret copied to another row is invalid', async () => {
    const [mine, theirs] = [await aServiceWithSecrets(), await aServiceWithSecrets()];
    const known = await harness.app.db
      .selectFrom('api_keys')
      .select('encrypted_secret')
      .where('service_id', '=', mine.service_id)
      .executeTakeFirstOrThrow();
    await harness.app.db
      .updateTable('api_keys')
      .set({ encrypted_secret: known.encrypted_secret })
      .where('service_id', '=', theirs.service_id)
      .execute();
    await sleep(50);
    const moved = `k-${theirs.service_id}-${mine.api_key.slice(-36)}`;
    expect((await harness.v2('GET', '/v2/templates', moved)).status).not.toBe(200);
    await harness.app.db.deleteFrom('api_keys').where('service_id', '=', theirs.service_id).execute();
  });

  it('rejects a database with a missing migration', async () => {
    const [first] = migrationFiles();
    await harness.app.pool.query(`update schema_migrations set name = 'x' where name = $1`, [first]);
    await expect(rekey({ url, secretKeys: [newKey], say: () => {} })).rejects.toThrow(/run `pennypost migrate` first/);
    await harness.app.pool.query(`update schema_migrations set name = $1 where name = 'x'`, [first]);
  });
});
