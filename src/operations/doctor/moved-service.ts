import { hasLiveSecret } from '../../auth/api-keys.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { selectMovedService, selectMovedTemplates, selectSenderIds } from './doctor.sql.ts';
import { type Finding, finding } from './finding.ts';

/** An API key of another server, and the templates that its applications can use there. */
interface KeyOfAnotherServer {
  service_id: string;
  secret: string;
  templates: readonly { id: string; name: string }[];
}

const guide = 'see docs/guides/moving-from-gc-notify.md';

/** Reports what applications with this key would miss if only their base URL changed. */
export async function examineMove(
  { db, secrets }: { db: Db; secrets: Platform['secrets'] },
  { service_id, secret, templates }: KeyOfAnotherServer,
): Promise<Finding[]> {
  const service = await selectMovedService(db, service_id);
  if (!service?.active) {
    return [finding('service', false, `no service ${service_id} here`, `add it with this id, ${guide}`)];
  }
  const hasKey = await hasLiveSecret({ db, secrets }, service_id, secret);
  return [
    finding('service', true, `service ${service_id} is here`),
    finding(
      'dialect',
      service.api_dialect === 'gc',
      `the service follows ${service.api_dialect}`,
      'set its dialect to gc, or clients that send tokens get other errors',
    ),
    finding('key', hasKey, hasKey ? 'the key works here' : 'the key does not work here', `import it, ${guide}`),
    ...(await checkTemplates(db, service_id, templates)),
    ...(await listSenders(db, service_id)),
  ];
}

async function checkTemplates(db: Db, serviceId: string, wanted: KeyOfAnotherServer['templates']): Promise<Finding[]> {
  const found = await selectMovedTemplates(
    db,
    wanted.map(({ id }) => id),
  );
  const byId = new Map(found.map((template) => [template.id, template]));
  const problems = wanted.flatMap(({ id, name }) => {
    const template = byId.get(id);
    const label = `template ${id} "${name}"`;
    if (!template) return [finding('template', false, `${label} is missing`, 'push it with --new --keep-ids')];
    if (template.service_id !== serviceId)
      return [finding('template', false, `${label} is in another service`, 'archive it there and send with a new id')];
    if (template.archived) return [finding('template', false, `${label} is archived`, 'restore it')];
    return [];
  });
  const ok = wanted.length - problems.length;
  return [finding('templates', true, `${ok} of ${wanted.length} can be sent with the same id`), ...problems];
}

/** GC Notify has no API for senders, so a person must compare them. */
async function listSenders(db: Db, serviceId: string): Promise<Finding[]> {
  const senders = await selectSenderIds(db, serviceId);
  const text = senders.map(({ kind, id }) => `${kind} ${id}`).join(', ') || 'none';
  const description = `here: ${text}. Compare with the ids in the settings of the other server`;
  return [{ name: 'senders', ok: true, is_warning: true, description }];
}
