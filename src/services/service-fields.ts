import { type Static, Type } from 'typebox';
import type { Country } from '../countries/country.ts';
import { OrganisationTypes, toOrganisationType } from '../organisations/organisation-types.ts';
import { invalidField } from '../platform/failure.ts';
import { channels } from '../protocol/channels.ts';
import { apiDialects } from '../protocol/dialect.ts';
import { Datetime, maxInteger, Nullable, OneOf, Uuid } from '../protocol/fields.ts';
import { textUnits } from './settings/text-unit.ts';

const Count = Type.Integer({ minimum: 0, maximum: maxInteger });
const Text = Type.String();
const ShortText = Type.String({ maxLength: 255 });
/** An empty string removes the brand, as null does. */
const BrandId = Nullable(Type.String({ format: 'uuid-or-empty' }));
const Moment = Nullable(Type.String({ format: 'datetime' }));

/** Fields that can be set when creating or updating a service. */
export const settable = {
  name: Type.String({ maxLength: 255, format: 'service-name' }),
  active: Type.Boolean(),
  restricted: Type.Boolean({ description: 'Trial mode' }),
  created_by: Uuid,
  organisation: Nullable(Uuid),
  organisation_type: Nullable(Text),
  permissions: Type.Array(Type.String({ format: 'service-permission' })),
  email_branding: BrandId,
  letter_branding: BrandId,
  email_message_limit: Count,
  sms_message_limit: Count,
  letter_message_limit: Count,
  international_sms_message_limit: Count,
  email_annual_limit: Nullable(Count),
  sms_annual_limit: Nullable(Count),
  letter_annual_limit: Nullable(Count),
  sms_limit_unit: OneOf(textUnits),
  rate_limit: Count,
  api_dialect: OneOf(apiDialects),
  smtp_files: Nullable(OneOf(['refuse', 'drop', 'link'])),
  prefix_sms: Type.Boolean(),
  contact_link: Nullable(ShortText),
  custom_email_sender_name: Nullable(Type.String({ maxLength: 255, format: 'name' })),
  confirmed_email_sender_name: Nullable(Type.Boolean()),
  confirmed_unique: Type.Boolean(),
  has_active_go_live_request: Type.Boolean(),
  count_as_live: Type.Boolean(),
  go_live_user: Nullable(Uuid),
  go_live_at: Moment,
  volume_sms: Nullable(Count),
  volume_email: Nullable(Count),
  volume_letter: Nullable(Count),
  consent_to_research: Nullable(Type.Boolean()),
  notes: Nullable(Text),
  billing_contact_names: Nullable(Text),
  billing_contact_email_addresses: Nullable(Text),
  purchase_order_number: Nullable(ShortText),
  billing_reference: Nullable(ShortText),
};

/** The allowed types of organisations depend on the country. */
export function SettableFields(country: Country) {
  return Type.Partial(Type.Object({ ...settable, organisation_type: Nullable(OrganisationTypes(country)) }));
}
export type SettableFields = Static<ReturnType<typeof SettableFields>>;

/** Keeps only settable fields; all others in the body are ignored. */
export function pickSettable(country: Country, body: object): SettableFields {
  const fields: SettableFields = Object.fromEntries(
    Object.entries(body).filter(([field]) => Object.hasOwn(settable, field)),
  );
  const { organisation_type } = fields;
  return organisation_type === undefined
    ? fields
    : { ...fields, organisation_type: toOrganisationType(country, organisation_type) };
}

const ChannelCounts = Type.Object({
  requested: Type.Integer(),
  delivered: Type.Integer(),
  failed: Type.Integer(),
});

const CountsOfMonth = Type.Object({
  ...ChannelCounts.properties,
  sending: Type.Integer({ description: 'Neither delivered nor failed' }),
});

export const StatisticsOfMonth = Type.Object({ email: CountsOfMonth, sms: CountsOfMonth, letter: CountsOfMonth });

export const Statistics = Type.Object(
  { email: ChannelCounts, sms: ChannelCounts, letter: ChannelCounts },
  { title: 'ServiceStatistics' },
);

/** A service in API responses. */
const serviceRecord = {
  ...settable,
  id: Uuid,
  name: Text,
  permissions: Type.Array(Text),
  email_branding: Nullable(Uuid),
  letter_branding: Nullable(Uuid),
  go_live_at: Nullable(Datetime),
  email_sender_local_part: Text,
  sms_limit_unit_from: Nullable(
    Type.String({ description: 'The first day of this unit. Null if the service has always had it.' }),
  ),
  service_callback_api: Type.Array(Type.Object({ callback_id: Uuid, callback_type: Text })),
  created_at: Datetime,
  updated_at: Nullable(Datetime),
  version: Type.Integer(),
};

export function serviceRecordOf(country: Country) {
  return { ...serviceRecord, organisation_type: Nullable(OrganisationTypes(country)) };
}

export function ServiceRecord(country: Country) {
  return Type.Object({ ...serviceRecordOf(country), statistics: Type.Optional(Statistics) }, { title: 'Service' });
}

/** Permissions of a service; the first three are its channels. */
const allServicePermissions = [
  'email',
  'sms',
  'letter',
  'international_sms',
  'inbound_sms',
  'email_auth',
  'edit_folder_permissions',
  'international_letters',
  'sms_to_uk_landlines',
  // Not in GOV.UK Notify: keep a suppression list.
  'suppress_recipients',
  // Not in GOV.UK Notify: templates in several languages, and texts with all characters.
  'template_languages',
  'keep_characters',
  // Not in GOV.UK Notify: software may send over SMTP.
  'smtp',
] as const;

export const defaultServicePermissions = ['sms', 'email', 'letter', 'international_sms', 'international_letters'];

export function refusalOfServicePermission(permission: string): string | undefined {
  const exists = (allServicePermissions as readonly string[]).includes(permission);
  return exists ? undefined : `Invalid Service Permission: '${permission}'`;
}

export function refuseRepeatedPermissions(permissions: string[]): void {
  const repeated = [...new Set(permissions.filter((permission, index) => permissions.indexOf(permission) !== index))];
  if (repeated.length === 0) return;
  const list = repeated.map((permission) => `'${permission}'`).join(', ');
  throw invalidField('permissions', `Duplicate Service Permission: [${list}]`);
}

/** Whether the service may send through no channel. */
export function isSuspended({ permissions }: { permissions: readonly string[] }): boolean {
  return !channels.some((channel) => permissions.includes(channel));
}
