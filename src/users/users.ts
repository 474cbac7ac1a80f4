import type { EmailSettings } from '../branding/settings.ts';
import { addDays } from '../countries/calendar.ts';
import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/failure.ts';
import { firstIdAt, newId, nilId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import { archivedName } from '../protocol/archived-name.ts';
import { type AccountMessageSender, accountTemplates } from './account-messages/account-messages.ts';
import { clearReasonsBefore } from './invites/join-requests.sql.ts';
import { deleteMembershipsOfUser } from './members/permissions.sql.ts';
import { pageUrl } from './sign-in/link-tokens.ts';
import { hashPassword, isPassword, noPassword } from './sign-in/passwords.ts';
import { deleteCredentialsOfUser } from './sign-in/webauthn-credentials.sql.ts';
import { getUserRecord, listUserRecords, type UserRecord } from './user-record.ts';
import {
  activateUserRow,
  countLocked,
  deleteEventsBefore,
  insertUser,
  type PeopleQuery,
  selectActiveServiceNames,
  selectActiveUserIds,
  selectOrganisationsOfUser,
  selectPeople,
  selectServicesOfUser,
  selectUser,
  selectUserByEmail,
  selectUserForUpdate,
  selectUsersByPartOfEmail,
  updateUserRow,
} from './users.sql.ts';

export type { PeopleGroup } from './users.sql.ts';

type Editable = Partial<
  Pick<
    UserRecord,
    | 'name'
    | 'email_address'
    | 'mobile_number'
    | 'auth_type'
    | 'current_session_id'
    | 'email_access_validated_at'
    | 'take_part_in_research'
    | 'receives_new_features_email'
    | 'platform_admin'
    | 'read_only_operator'
  >
>;
type UserChange = Editable & { time_zone?: string | null; language?: string | null };
type NewUser = Editable &
  Pick<UserRecord, 'name' | 'email_address'> & { password: string } & Partial<
    Pick<UserRecord, 'id' | 'state' | 'failed_login_count' | 'logged_in_at'>
  >;

export type LockedUser = NonNullable<Awaited<ReturnType<typeof selectUserForUpdate>>>;

/** Locks the user until the transaction ends. This blocks other changes to the user, and checking or sending codes. */
export async function lockUser(tx: Tx, userId: string): Promise<LockedUser> {
  const user = await selectUserForUpdate(tx, userId);
  if (!user) throw notFound();
  return user;
}

export async function createUser(app: Platform, request: NewUser): Promise<UserRecord> {
  const { password, ...fields } = request;
  const password_hash = await hashPassword(password);
  const now = app.clock.now();
  const at = timestamp(now);
  const id = request.id ?? newId(now);
  // Text codes are the default, and creating an account with them fails without a number.
  const needsEmail = !app.country.signIn.phoneRequired && (request.mobile_number ?? null) === null;
  return inTransaction(app.db, async (tx) => {
    await insertUser(tx, {
      email_access_validated_at: at,
      ...(needsEmail ? { auth_type: 'email_auth' as const } : {}),
      ...fields,
      id,
      password_hash,
      password_changed_at: at,
      created_at: at,
    });
    return getUserRecord(tx, id);
  });
}

interface NoticeDeps {
  accountMessages: AccountMessageSender;
  config: { urls: Urls };
}

/** With `updatedById`, notifies the user of a new address or number, at both the new and the previous one. */
export async function updateUser(
  app: Platform & NoticeDeps,
  userId: string,
  change: UserChange,
  updatedById?: string,
): Promise<UserRecord> {
  return inTransaction(app.db, async (tx) => {
    const before = await lockUser(tx, userId);
    await updateUserRow(tx, userId, { ...change, updated_at: timestamp(app.clock.now()) });
    const user = await getUserRecord(tx, userId);
    if (updatedById !== undefined) await notifyOfChange(app, tx, before, user, updatedById);
    return user;
  });
}

/**
 * For a person who has proved ownership of the new address or number. Notifies the previous one, in case somebody else used the account.
 */
export async function updateOwnContact(
  app: Platform & NoticeDeps,
  userId: string,
  change: Pick<Editable, 'email_address' | 'email_access_validated_at' | 'mobile_number'>,
): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const before = await lockUser(tx, userId);
    await updateUserRow(tx, userId, { ...change, updated_at: timestamp(app.clock.now()) });
    const { name, email_address, mobile_number, language } = await getUserRecord(tx, userId);
    const personalisation = valuesForPrevious(app, { name, servicemanagername: name });
    const send = (template_id: string, to: string) =>
      app.accountMessages.send(tx, { template_id, to, personalisation, language });
    if (email_address !== before.email_address) await send(accountTemplates.previousEmailAddress, before.email_address);
    if (before.mobile_number !== null && mobile_number !== before.mobile_number) {
      await send(accountTemplates.previousMobileNumber, before.mobile_number);
    }
  });
}

/** The previous address may now belong to another person, so its notice does not contain the new address. */
function valuesForPrevious({ config }: NoticeDeps, names: { name: string; servicemanagername: string }) {
  return { ...names, support_url: pageUrl(config.urls.admin, '/support') };
}

async function notifyOfChange(
  app: NoticeDeps,
  tx: Tx,
  before: Pick<UserRecord, 'email_address' | 'mobile_number'>,
  user: UserRecord,
  updatedById: string,
): Promise<void> {
  const actor = await selectUser(tx, updatedById);
  if (!actor) throw notFound();
  const names = { name: user.name, servicemanagername: actor.name };
  const personalisation = { ...names, 'email address': user.email_address };
  const forPrevious = valuesForPrevious(app, names);
  const send = (template_id: string, to: string, values: Record<string, string>) =>
    app.accountMessages.send(tx, { template_id, to, personalisation: values, language: user.language });
  if (user.email_address !== before.email_address) {
    await send(accountTemplates.emailAddressChanged, user.email_address, personalisation);
    await send(accountTemplates.previousEmailAddress, before.email_address, forPrevious);
  }
  if (user.mobile_number !== before.mobile_number) {
    if (user.mobile_number === null) throw invalid("Recipient can't be empty");
    await send(accountTemplates.mobileNumberChanged, user.mobile_number, personalisation);
    if (before.mobile_number !== null) {
      await send(accountTemplates.previousMobileNumber, before.mobile_number, forPrevious);
    }
  }
}

/** Disables sign-in, frees the address for another account and deletes all memberships. */
export async function archiveUser(app: Platform & { config: { email: EmailSettings } }, userId: string): Promise<void> {
  const now = app.clock.now();
  await inTransaction(app.db, async (tx) => {
    const { id } = await lockUser(tx, userId);
    await deleteMembershipsOfUser(tx, userId);
    await deleteCredentialsOfUser(tx, userId);
    await updateUserRow(tx, userId, {
      name: 'Archived user',
      email_address: archivedName(`${id}@${app.config.email.domain}`, now),
      mobile_number: null,
      auth_type: 'email_auth',
      password_hash: noPassword,
      platform_admin: false,
      read_only_operator: false,
      // A new session id signs out every browser.
      current_session_id: nilId,
      state: 'inactive',
      updated_at: timestamp(now),
    });
  });
}

export async function activateUser(app: Platform, userId: string): Promise<UserRecord> {
  const activated = await activateUserRow(app.db, userId, timestamp(app.clock.now()));
  const user = await getUserRecord(app.db, userId);
  if (!activated) throw invalid('User already active');
  return user;
}

export async function updatePassword(app: Platform, userId: string, password: string): Promise<UserRecord> {
  const password_hash = await hashPassword(password);
  const now = timestamp(app.clock.now());
  return inTransaction(app.db, async (tx) => {
    await updateUserRow(tx, userId, { password_hash, password_changed_at: now, updated_at: now });
    return getUserRecord(tx, userId);
  });
}

/**
 * The first step of a sign-in. An address without an account takes as long as an account with a wrong password, so that
 * response times do not reveal which addresses have accounts.
 */
export async function getUserByEmail(app: Platform, email: string): Promise<UserRecord> {
  const user = await selectUserByEmail(app.db, email);
  if (user) return getUserRecord(app.db, user.id);
  await isPassword('', undefined);
  throw notFound();
}

export function findUserByEmail(app: Platform, email: string) {
  return selectUserByEmail(app.db, email);
}

export function findUsersByEmail(app: Platform, part: string) {
  return selectUsersByPartOfEmail(app.db, part);
}

export async function listOrganisationsAndServices(app: Platform, userId: string) {
  const [organisations, services] = await Promise.all([
    selectOrganisationsOfUser(app.db, userId),
    selectServicesOfUser(app.db, userId),
  ]);
  return { organisations, services };
}

interface UsersListRequest {
  created_start?: string | null;
  created_end?: string | null;
  logged_in_start?: string | null;
  logged_in_end?: string | null;
  take_part_in_research?: boolean | null;
}

/** Lists active users with the names of their services, for an operator's report. */
export async function listActiveUsers(app: Platform, request: UsersListRequest) {
  const ids = await selectActiveUserIds(app.db, {
    created_from: request.created_start ?? undefined,
    created_before: dayAfter(request.created_end),
    logged_in_from: request.logged_in_start ?? undefined,
    logged_in_before: dayAfter(request.logged_in_end),
    take_part_in_research: request.take_part_in_research ?? undefined,
  });
  const [users, names] = await Promise.all([listUserRecords(app.db, ids), selectActiveServiceNames(app.db)]);
  return users.map((user) => ({ ...user, services: user.services.map((id) => ({ id, name: names.get(id) ?? '' })) }));
}

/** Makes the end date inclusive. */
function dayAfter(day: string | null | undefined): string | undefined {
  return day ? addDays(day, 1) : undefined;
}

/** Sorted by name. Archived people are listed only if the query asks for them. */
export function searchPeople(db: Db, query: PeopleQuery) {
  return selectPeople(db, query);
}

/** Counts people who are locked out after too many failures. */
export function countLockedPeople(db: Db): Promise<number> {
  return countLocked(db);
}

const batch = 2_000;

/** Deletes old events and the reasons given in requests to join a service. */
export async function deleteOldUserRecords(db: Db, before: Date): Promise<void> {
  while ((await deleteEventsBefore(db, timestamp(before), batch)) === batch);
  while ((await clearReasonsBefore(db, firstIdAt(before), batch)) === batch);
}
