import { findOrganisationIdByEmailAddress } from '../../../organisations/organisations.ts';
import type { UserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';

/** Whether the operator lets this person add a service. */
export async function mayAddService(
  { config, db }: Pick<ConsoleApp, 'config' | 'db'>,
  { platform_admin, email_address }: Pick<UserRecord, 'platform_admin' | 'email_address'>,
): Promise<boolean> {
  const { serviceCreators } = config.console;
  if (serviceCreators === 'everyone' || platform_admin) return true;
  if (serviceCreators === 'platform-admins') return false;
  return (await findOrganisationIdByEmailAddress(db, email_address)) !== undefined;
}
