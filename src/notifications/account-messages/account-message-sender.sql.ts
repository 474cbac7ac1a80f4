import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Tx } from '../../platform/db/database.ts';

/** Loads the template of an account message with the default sender of its service. */
export function selectAccountTemplate(tx: Tx, serviceId: string, templateId: string) {
  return tx
    .selectFrom('templates')
    .where('templates.id', '=', templateId)
    .where('templates.service_id', '=', serviceId)
    .select((template) => [
      'templates.version',
      'templates.template_type',
      'templates.language',
      template
        .selectFrom('service_sms_senders')
        .select('sms_sender')
        .where('service_id', '=', serviceId)
        .where('is_default', '=', true)
        .where('archived', '=', false)
        .as('sms_sender'),
      template
        .selectFrom('service_email_reply_to')
        .select('email_address')
        .where('service_id', '=', serviceId)
        .where('is_default', '=', true)
        .where('archived', '=', false)
        .limit(1)
        .as('email_reply_to'),
      jsonArrayFrom(
        template
          .selectFrom('template_variants as variant')
          .whereRef('variant.template_id', '=', 'templates.id')
          .whereRef('variant.version', '=', 'templates.version')
          .select('variant.language'),
      ).as('variants'),
    ])
    .executeTakeFirst();
}

/** Selects the language that the user with this address has chosen. */
export async function selectLanguageOf(tx: Tx, emailAddress: string): Promise<string | undefined> {
  const user = await tx
    .selectFrom('users')
    .where(sql<boolean>`lower(email_address) = lower(${emailAddress})`)
    .select('language')
    .executeTakeFirst();
  return user?.language ?? undefined;
}
