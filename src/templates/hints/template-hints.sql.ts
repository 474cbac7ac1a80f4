import type { Timestamp } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';

/** Selects what hints need to know about the service, with the chosen sender of texts or else the default one. */
export function selectHintedService(db: Db, serviceId: string, chosenSender: string | null) {
  return db
    .selectFrom('services')
    .select(['services.name', 'services.prefix_sms', 'services.api_dialect', 'services.permissions'])
    .select((service) =>
      service
        .selectFrom('service_sms_senders as sender')
        .select('sender.sms_sender')
        .whereRef('sender.service_id', '=', 'services.id')
        .where('sender.archived', '=', false)
        .where((of) =>
          of.or([
            of('sender.is_default', '=', true),
            ...(chosenSender === null ? [] : [of('sender.id', '=', chosenSender)]),
          ]),
        )
        .orderBy('sender.is_default')
        .limit(1)
        .as('sender'),
    )
    .where('services.id', '=', serviceId)
    .$narrowType<{ api_dialect: ApiDialect }>()
    .executeTakeFirst();
}

/** Older files are not searched, because services have thousands. */
const newestFiles = 500;

/** Whether one of the newest files of the service was sent with the template. */
export async function isUsedForFiles(db: Db, { id, service }: { id: string; service: string }): Promise<boolean> {
  const found = await db
    .selectFrom((from) =>
      from
        .selectFrom('jobs')
        .select('template_id')
        .where('service_id', '=', service)
        .orderBy('processing_started', 'desc')
        .orderBy('created_at', 'desc')
        .limit(newestFiles)
        .as('newest'),
    )
    .select('template_id')
    .where('template_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function selectHiddenRules(db: Db, templateId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('template_hidden_hints')
    .select('rule')
    .where('template_id', '=', templateId)
    .execute();
  return rows.map(({ rule }) => rule);
}

export async function insertHiddenHint(
  tx: Tx,
  hint: { template_id: string; service_id: string; rule: string; hidden_by_id: string; hidden_at: Timestamp },
): Promise<void> {
  await tx
    .insertInto('template_hidden_hints')
    .values(hint)
    .onConflict((conflict) => conflict.columns(['template_id', 'rule']).doNothing())
    .execute();
}

export async function deleteHiddenHints(tx: Tx, templateId: string): Promise<void> {
  await tx.deleteFrom('template_hidden_hints').where('template_id', '=', templateId).execute();
}
