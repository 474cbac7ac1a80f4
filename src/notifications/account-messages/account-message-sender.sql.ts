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
    ])
    .executeTakeFirst();
}
