import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createApiKey } from '../auth/api-keys.ts';
import { type Config, secretFile } from '../config.ts';
import type { Platform } from '../platform/platform.ts';
import { createService } from '../services/service-create.ts';
import { findServicesByName } from '../services/services.ts';
import { createTemplate } from '../templates/templates.ts';
import { platformUserId } from '../users/account-messages.ts';

/** A live service with one template per channel and a key: something to send with in the first minute. */
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

type Needs = Platform & { config: Pick<Config, 'DATA_DIR' | 'FROM_NUMBER'> };

/** Made once per database; its key is kept beside the other secrets so that every start can show it. */
export async function ensureDemo(app: Needs): Promise<Demo> {
  const file = secretFile(app.config.DATA_DIR, 'demo.json');
  const [existing] = await findServicesByName(app.db, name);
  const known = readDemo(file);
  if (existing && known?.service_id === existing.id) return known;
  const demo = await createDemo(app, existing?.id);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  return demo;
}

function readDemo(file: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

async function createDemo(app: Needs, existingServiceId: string | undefined): Promise<Demo> {
  const created_by = platformUserId;
  const service_id =
    existingServiceId ??
    (await createService(app, { name, user_id: created_by, restricted: false, count_as_live: false })).id;
  const ids = new Map<string, string>();
  for (const template of templates) {
    ids.set(template.template_type, (await createTemplate(app, service_id, { ...template, created_by })).id);
  }
  const keyName = existingServiceId ? `demo-${app.clock.now().getTime()}` : 'demo';
  const secret = await createApiKey(app, service_id, { name: keyName, key_type: 'normal', created_by });
  const id = (type: string) => ids.get(type) ?? '';
  return {
    service_id,
    api_key: `${keyName}-${service_id}-${secret}`,
    templates: { sms: id('sms'), email: id('email'), letter: id('letter') },
  };
}
