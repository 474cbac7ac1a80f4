import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import { canonicalId, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import {
  type AccountMessageSender,
  accountTemplates,
  mayRequestMessage,
} from '../account-messages/account-messages.ts';
import { isServiceMember, type ServiceMember } from '../members/permissions.sql.ts';
import { addServiceMember, canChooseSignInMethod, type ServicePermission } from '../members/permissions.ts';
import { pageUrl } from '../sign-in/link-tokens.ts';
import { getUserRecord, type UserRecord } from '../user-record.ts';
import { selectUser, updateUserRow } from '../users.sql.ts';
import { selectServiceName } from './invites.sql.ts';
import {
  insertJoinRequest,
  lockJoinRequestsOfRequester,
  selectJoinRequest,
  selectPendingJoinRequests,
  selectUsersToContact,
  updateJoinRequests,
} from './join-requests.sql.ts';

type Deps = Platform & {
  accountMessages: AccountMessageSender;
  config: { urls: Urls };
};

interface NewJoinRequest {
  requester_id: string;
  contacted_user_ids: string[];
  invite_link_host?: string | null;
  reason?: string | null;
}

/** Emails each contacted member; `decideJoinRequest` records the decision. */
export async function createJoinRequest(
  app: Deps,
  serviceId: string,
  request: NewJoinRequest,
  { isLimited } = { isLimited: true },
): Promise<string> {
  const now = app.clock.now();
  const id = newId(now);
  const service_name = await selectServiceName(app.db, serviceId);
  const requester = await selectUser(app.db, request.requester_id);
  if (service_name === undefined || !requester) throw notFound();
  if (await isServiceMember(app.db, { service_id: serviceId, user_id: requester.id })) throw alreadyMember();
  const contactIds = [...new Set(request.contacted_user_ids.map((userId) => userId.toLowerCase()))];
  const contacts = await selectUsersToContact(app.db, contactIds);
  if (contacts.length !== contactIds.length) throw invalidField('contacted_user_ids', 'No result found');
  const base = request.invite_link_host || app.config.urls.admin;
  await inTransaction(app.db, async (tx) => {
    if (isLimited && !(await mayRequestMessage(app, tx, 'join-request', requester.id))) {
      throw invalid('You have asked 20 times in the last 24 hours. Try again tomorrow.');
    }
    await insertJoinRequest(tx, {
      id,
      service_id: serviceId,
      requester_id: requester.id,
      contacted_user_ids: contactIds,
      reason: request.reason ?? null,
      created_at: timestamp(now),
    });
    for (const contact of contacts) {
      await app.accountMessages.send(tx, {
        template_id: accountTemplates.joinRequest,
        to: contact.email_address,
        personalisation: {
          approver_name: contact.name,
          requester_name: requester.name,
          requester_email_address: requester.email_address,
          service_name,
          reason_given: request.reason ? 'yes' : 'no',
          reason: request.reason ?? '',
          url: pageUrl(base, `/services/${serviceId}/join-request/${id}/approve`),
        },
        reply_to: requester.email_address,
      });
    }
    await app.accountMessages.send(tx, {
      template_id: accountTemplates.joinRequestReceipt,
      to: requester.email_address,
      personalisation: {
        requester_name: requester.name,
        service_name,
        service_admin_names: contacts.map(({ name, email_address }) => `${name} – ${email_address}`),
        url_ask_to_join_page: pageUrl(base, `/services/${serviceId}/join/ask`),
      },
    });
  });
  return id;
}

export async function getJoinRequest(app: Platform, serviceId: string, requestId: string) {
  const request = await selectJoinRequest(app.db, serviceId, requestId);
  if (!request) throw notFound();
  return request;
}

const maxPendingRequests = 100;

/** Oldest first. */
export function listPendingJoinRequests(app: Platform, serviceId: string) {
  return selectPendingJoinRequests(app.db, serviceId, maxPendingRequests);
}

interface Decision {
  status: 'approved' | 'rejected' | 'cancelled';
  status_changed_by_id: string;
  permissions?: ServicePermission[];
  folder_permissions?: string[];
  auth_type?: UserRecord['auth_type'];
}

/** An approved requester becomes a member in the same transaction. A request can be decided only once. */
export async function decideJoinRequest(app: Deps, serviceId: string, requestId: string, decision: Decision) {
  const now = app.clock.now();
  await inTransaction(app.db, async (tx) => {
    const requests = await lockJoinRequestsOfRequester(tx, serviceId, requestId);
    const request = requests.find(({ id }) => id === canonicalId(requestId));
    if (!request) throw notFound();
    const decider = await selectUser(tx, decision.status_changed_by_id);
    if (!decider) throw invalidField('status_changed_by_id', 'No result found');
    if (request.status !== 'pending') throw invalidField('status', `The request is already ${request.status}`);
    const change = { status_changed_by_id: decider.id, status_changed_at: timestamp(now) };
    await updateJoinRequests(tx, [request.id], { ...change, status: decision.status });
    if (decision.status !== 'approved') return;
    const others = requests.filter(({ id, status }) => id !== request.id && status === 'pending').map(({ id }) => id);
    await updateJoinRequests(tx, others, { ...change, status: 'cancelled' });
    await addRequester(app, tx, { service_id: serviceId, user_id: request.requester_id }, decision, decider.name);
  });
  return getJoinRequest(app, serviceId, requestId);
}

async function addRequester(
  app: Deps,
  tx: Tx,
  member: ServiceMember,
  { permissions = [], folder_permissions, auth_type }: Decision,
  approver_name: string,
): Promise<void> {
  if (await isServiceMember(tx, member)) throw alreadyMember();
  const now = app.clock.now();
  await addServiceMember(tx, { ...member, permissions, folder_permissions }, now);
  const requester = await getUserRecord(tx, member.user_id);
  const service_name = await selectServiceName(tx, member.service_id);
  if (service_name === undefined) throw notFound();
  if (auth_type && canChooseSignInMethod(requester)) {
    await updateUserRow(tx, requester.id, { auth_type, updated_at: timestamp(now) });
  }
  await app.accountMessages.send(tx, {
    template_id: accountTemplates.joinRequestApproved,
    to: requester.email_address,
    personalisation: {
      requester_name: requester.name,
      approver_name,
      service_name,
      dashboard_url: pageUrl(app.config.urls.admin, `/services/${member.service_id}`),
    },
  });
}

function alreadyMember() {
  return invalid('user-already-in-service');
}
