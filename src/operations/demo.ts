import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createApiKey, revokeApiKey } from '../auth/api-keys.ts';
import type { PhoneRules } from '../countries/phone-rules.ts';
import { type Carriers, isAllSandbox } from '../delivery/sandbox/sandbox.ts';
import { recordStatusChanges } from '../notifications/status.ts';
import { stopPlanMessages } from '../plans/plan-messages.ts';
import { inTransaction } from '../platform/db/database.ts';
import { Failure, OperatorError } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import { secretFile } from '../platform/secrets/generated-secrets.ts';
import type { StorageSettings } from '../platform/settings.ts';
import type { KeyType } from '../protocol/key-types.ts';
import type { PublicApiSettings } from '../protocol/settings.ts';
import {
  assignInboundNumber,
  createInboundNumber,
  listInboundNumbers,
} from '../services/inbound-numbers/inbound-numbers.ts';
import { createService } from '../services/service-create.ts';
import { defaultServicePermissions } from '../services/service-fields.ts';
import type { Allowances } from '../services/services.ts';
import type { TextSenderSettings } from '../services/settings.ts';
import { createTemplate } from '../templates/templates.ts';
import { platformUserId } from '../users/platform-user.ts';
import { type DemoKey, selectDemoKeys, selectDemoService, selectUnsentOfKey } from './demo.sql.ts';

/** A live service with a key and one template per channel, for sending a first message. */
export interface Demo {
  service_id: string;
  api_key: string;
  templates: { sms: string; email: string; letter: string };
}

const name = 'Demonstration';

const templates = [
  { template_type: 'sms', name: 'Appointment', content: 'Hello ((name)), see you on ((day)).', subject: null },
  {
    template_type: 'email',
    name: 'Welcome',
    subject: 'Welcome, ((name))',
    content: '# Hello ((name))\n\nThank you for joining us.\n\n* read the guide\n* send something',
  },
  {
    template_type: 'letter',
    name: 'Reminder',
    subject: 'A reminder',
    content: 'Dear ((name))\n\nPlease call us by ((day)).',
  },
] as const;

type Deps = Platform & {
  allowances: Allowances;
  config: Carriers & { api: PublicApiSettings; storage: StorageSettings; sms: TextSenderSettings };
};

/**
 * Created once per database; its key is stored with the other secrets. The key is live only if all channels use the
 * sandbox. With a real provider it is a test key, so that the demo never reaches a real recipient.
 */
export async function ensureDemo(app: Deps): Promise<Demo> {
  const type = isAllSandbox(app.config) ? 'normal' : 'test';
  if (type === 'test') await retireDemo(app);
  const existing = await selectDemoService(app.db, name, platformUserId);
  const stored = readDemo(app.config.storage.dataDir);
  const keys = await selectDemoKeys(app.db, platformUserId, type);
  if (existing && stored?.service_id === existing.id && keys.some((key) => keyBeginsWith(stored.api_key, key))) {
    return stored;
  }
  const service_id = existing?.id ?? (await createDemoService(app));
  if (!existing && type === 'normal') await receiveReplies(app, service_id);
  const demo = {
    service_id,
    api_key: await createDemoKey(app, service_id, { type, isFirst: !existing }),
    templates: stored?.service_id === service_id ? stored.templates : await createDemoTemplates(app, service_id),
  };
  const file = secretFile(app.config.storage.dataDir, fileName);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  return demo;
}

/**
 * Revokes the demo's live key and fails its unsent messages: a provider configured since then must not send messages meant for the sandbox.
 */
export async function retireDemo(app: Platform): Promise<void> {
  for (const key of await selectDemoKeys(app.db, platformUserId, 'normal')) {
    await revokeApiKey(app, key.service_id, key.id);
    await stopPlanMessages(app.db, app.clock.now(), key);
    const given_up = await giveUpUnsent(app, key);
    app.log.info(
      { event: 'demo.retired', service_id: key.service_id, given_up },
      'The live key of the demo was revoked',
    );
  }
}

const changedAtOnce = 1_000;

async function giveUpUnsent(app: Platform, key: DemoKey): Promise<number> {
  for (let total = 0; ; ) {
    const count = await inTransaction(app.db, async (tx) => {
      const ids = await selectUnsentOfKey(tx, key, changedAtOnce);
      const changes = ids.map((id) => ({ id, status: 'technical-failure', event: 'givenUp' }) as const);
      await recordStatusChanges(app.country, tx, changes, app.clock.now());
      return ids.length;
    });
    total += count;
    if (count < changedAtOnce) return total;
  }
}

const fileName = 'demo.json';

/** Reads the demo stored by the latest start. */
export function readDemo(dataDir: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(secretFile(dataDir, fileName), 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

function keyBeginsWith(apiKey: string, { name: keyName, service_id }: DemoKey): boolean {
  return apiKey.startsWith(`${keyName}-${service_id}-`);
}

async function createDemoKey(app: Deps, serviceId: string, { type, isFirst }: { type: KeyType; isFirst: boolean }) {
  const keyName = isFirst ? 'demo' : `demo-${app.clock.now().getTime()}`;
  const request = { name: keyName, key_type: type, created_by: platformUserId };
  return `${keyName}-${serviceId}-${await createApiKey(app, serviceId, request)}`;
}

async function createDemoTemplates(app: Deps, serviceId: string): Promise<Demo['templates']> {
  const ids = { sms: '', email: '', letter: '' };
  for (const template of templates) {
    const { id } = await createTemplate(app, serviceId, { ...template, created_by: platformUserId });
    ids[template.template_type] = id;
  }
  return ids;
}

async function createDemoService(app: Deps): Promise<string> {
  try {
    const permissions = [...defaultServicePermissions, 'inbound_sms'];
    const request = { name, user_id: platformUserId, restricted: false, count_as_live: false, permissions };
    return (await createService(app, request)).id;
  } catch (error) {
    if (!(error instanceof Failure) || typeof error.detail === 'string' || !('name' in error.detail)) throw error;
    throw new OperatorError(`Another service is called ${name}: rename it, or set DEMO=false.`);
  }
}

/** Numbers that Ofcom reserves for drama. Every country parses them, because they include their country code. */
const numbersFor = ({ isBritish }: PhoneRules) =>
  Array.from({ length: 100 }, (_, index) => `${isBritish ? '0' : '+44'}7700900${900 + index}`);

/** Gives the service a number, so that people can reply to its texts in the sandbox. */
async function receiveReplies(app: Deps, serviceId: string): Promise<void> {
  const taken = new Set((await listInboundNumbers(app.db)).map(({ number }) => number));
  const number = numbersFor(app.country.phone).find((one) => !taken.has(one));
  if (number === undefined) return;
  const { id } = await createInboundNumber(app, { number, provider: 'sandbox' });
  await assignInboundNumber(app, serviceId, { inbound_number_id: id, is_default: true });
}
