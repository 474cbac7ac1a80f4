import { invalidField } from '../platform/failure.ts';
import { channels } from '../protocol/channels.ts';

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
  // Only here, not in GOV.UK Notify: keep a suppression list.
  'suppress_recipients',
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

/** A service that may send through no channel. */
export function isSuspended({ permissions }: { permissions: readonly string[] }): boolean {
  return !channels.some((channel) => permissions.includes(channel));
}
