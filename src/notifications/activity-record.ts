import { type Static, Type } from 'typebox';
import { Datetime, Nullable, OneOf, Uuid } from '../platform/http/fields.ts';
import { type CompiledTemplates, getTemplateForDelivery } from '../templates/compiled-templates.ts';
import { renderPreview } from '../templates/template-preview.ts';
import { postages } from './notification.ts';
import { completedAt } from './public-notification.ts';
import type { StoredNotification } from './stored-notifications.sql.ts';

const Types = OneOf(['sms', 'email', 'letter']);

/** A notification as the administrative front end shows it. */
export const ActivityRecord = Type.Object(
  {
    id: Uuid,
    service: Uuid,
    notification_type: Types,
    status: Type.String(),
    to: Type.String(),
    template: Type.Object({
      id: Uuid,
      version: Type.Integer(),
      name: Type.String(),
      template_type: Types,
      subject: Nullable(Type.String()),
      content: Type.String(),
      redact_personalisation: Type.Boolean(),
      is_precompiled_letter: Type.Boolean(),
    }),
    template_version: Type.Integer(),
    subject: Nullable(Type.String()),
    body: Type.String(),
    personalisation: Type.Record(Type.String(), Type.Any()),
    job: Type.Null(),
    job_row_number: Type.Null(),
    api_key: Nullable(Uuid),
    key_name: Nullable(Type.String()),
    key_type: OneOf(['normal', 'team', 'test']),
    created_by: Nullable(Type.Object({ id: Uuid, name: Type.String(), email_address: Type.String() })),
    created_by_name: Nullable(Type.String()),
    created_by_email_address: Nullable(Type.String()),
    client_reference: Nullable(Type.String()),
    reference: Nullable(Type.String({ description: 'The provider’s' })),
    sent_by: Nullable(Type.String({ description: 'The provider' })),
    reply_to_text: Nullable(Type.String()),
    postage: Nullable(OneOf(postages)),
    international: Type.Boolean(),
    rate_multiplier: Type.Number(),
    billable_units: Type.Integer(),
    scheduled_for: Nullable(Datetime),
    created_at: Datetime,
    sent_at: Nullable(Datetime),
    updated_at: Nullable(Datetime),
    completed_at: Nullable(Datetime),
  },
  { title: 'Message' },
);

export type ActivityRecord = Static<typeof ActivityRecord>;

/** What a template asks to keep hidden is not shown: neither the values nor the message they were filled into. */
export async function activityRecord(
  app: { compiledTemplates: CompiledTemplates },
  stored: StoredNotification,
): Promise<ActivityRecord> {
  const { row, compiled } = await getTemplateForDelivery(app, stored);
  const personalisation = stored.redact_personalisation ? hidden(stored.personalisation) : stored.personalisation;
  return {
    ...stored,
    service: stored.service_id,
    to: stored.recipient,
    template: {
      id: row.id,
      version: row.version,
      name: row.name,
      template_type: row.template_type,
      subject: row.subject,
      content: row.content,
      redact_personalisation: stored.redact_personalisation,
      is_precompiled_letter: row.hidden && row.template_type === 'letter',
    },
    ...renderPreview(compiled, personalisation),
    personalisation,
    job: null,
    job_row_number: null,
    api_key: stored.api_key_id,
    created_by: stored.created_by_id
      ? {
          id: stored.created_by_id,
          name: stored.created_by_name ?? '',
          email_address: stored.created_by_email_address ?? '',
        }
      : null,
    reference: stored.provider_reference,
    sent_by: stored.provider,
    completed_at: completedAt(stored.status, stored.updated_at),
  };
}

function hidden(personalisation: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(personalisation).map((name) => [name, '[hidden]']));
}
