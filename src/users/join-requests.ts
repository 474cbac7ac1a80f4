import type { Config } from '../config.ts';
import { timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import { invalid, invalidField, notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { type AccountMessageSender, accountTemplates } from './account-messages.ts';
import {
  insertJoinRequest,
  selectJoinRequest,
  selectJoinRequestForUpdate,
  selectUsersToContact,
  updateJoinRequest,
} from './join-requests.sql.ts';
import { pageUrl } from './link-tokens.ts';
import { isServiceMember } from './permissions.sql.ts';
import { addServiceMember, type ServicePermission } from './permissions.ts';
import { selectServiceName } from './service-invites.sql.ts';
import { selectUser } from './users.sql.ts';

type Needs = Pick<Platform, 'db' | 'clock'> & {
  accountMessages: AccountMessageSender;
  config: Pick<Config, 'ADMIN_BASE_URL'>;
};

interface NewJoinRequest {
  requester_id: string;
  contacted_user_ids: string[];
  invite_link_host?: string | null;
  reason?: string | null;
}

/** Asks each of the contacted members by email; the answer comes through `decideJoinRequest`. */
export async function createJoinRequest(app: Needs, serviceId: string, request: NewJoinRequest): Promise<string> {
  const now = app.clock.now();
  const id = newId(now);
  const service_name = await selectServiceName(app.db, serviceId);
  const requester = await selectUser(app.db, request.requester_id);
  if (service_name === undefined || !requester) throw notFound();
  if (await isServiceMember(app.db, { service_id: serviceId, user_id: requester.id })) throw alreadyMember();
  const contactIds = [...new Set(request.contacted_user_ids.map((userId) => userId.toLowerCase()))];
  const contacts = await selectUsersToContact(app.db, contactIds);
  if (contacts.length !== contactIds.length) throw invalidField('contacted_user_ids', 'No result found');
  const base = request.invite_link_host || app.config.ADMIN_BASE_URL;
  await inTransaction(app.db, async (tx) => {
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
  });
  return id;
}

export async function getJoinRequest(app: Pick<Platform, 'db'>, serviceId: string, requestId: string) {
  const request = await selectJoinRequest(app.db, serviceId, requestId);
  if (!request) throw notFound();
  return request;
}

interface Decision {
  status: 'approved' | 'rejected' | 'cancelled';
  status_changed_by_id: string;
  permissions?: ServicePermission[];
  folder_permissions?: string[];
}

/** An approved requester becomes a member in the same commit. A request is decided once. */
export async function decideJoinRequest(app: Needs, serviceId: string, requestId: string, decision: Decision) {
  const now = app.clock.now();
  await inTransaction(app.db, async (tx) => {
    const request = await selectJoinRequestForUpdate(tx, serviceId, requestId);
    if (!request) throw notFound();
    if (!(await selectUser(tx, decision.status_changed_by_id))) {
      throw invalidField('status_changed_by_id', 'No result found');
    }
    if (request.status !== 'pending') throw invalidField('status', `The request is already ${request.status}`);
    if (decision.status === 'approved') {
      const member = { service_id: serviceId, user_id: request.requester_id };
      if (await isServiceMember(tx, member)) throw alreadyMember();
      const { permissions = [], folder_permissions } = decision;
      await addServiceMember(tx, { ...member, permissions, folder_permissions }, now);
    }
    await updateJoinRequest(tx, requestId, {
      status: decision.status,
      status_changed_by_id: decision.status_changed_by_id,
      status_changed_at: timestamp(now),
    });
  });
  return getJoinRequest(app, serviceId, requestId);
}

function alreadyMember() {
  return invalid('user-already-in-service');
}
