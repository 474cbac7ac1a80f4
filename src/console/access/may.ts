import { t } from '../../language/text.ts';
import { managePermissionSets, type ServicePermission, sendPermissionSets } from '../../users/members/permissions.ts';
import { isOperator } from '../../users/user-record.ts';

/** What a member of a service may do, in the console's terms. Stored in two vocabularies of permissions. */
export type Right = 'any' | 'activity' | 'send' | 'messages' | 'templates' | 'manage' | 'api';

/** Pages of one service: for members with the right, and platform administrators. */
export interface OfService {
  /** One of several rights is enough. */
  service: Right | readonly Right[];
  /** Members of the service's organisation and read-only operators may also open it. Not for pages that show messages. */
  organisation?: true;
  /** Read-only operators may view it, but the organisation may not. Not for pages that show messages or recipients. */
  readOnlyOperators?: true;
  /** Platform administrators may open it only as members with the right. */
  membersOnly?: true;
  /** Only platform administrators, for decisions of the operator about a service. */
  platformAdminsOnly?: true;
}

/** Pages of one organisation: for its members and platform administrators; read-only operators may view them. */
export interface OfOrganisation {
  membersOf: 'organisation';
}

/** Who may open a page. `operator`: platform administrators, and read-only operators, who may only view it. */
export type Who = 'anyone' | 'signed-in' | 'platform-admin' | 'operator' | OfService | OfOrganisation;

/** `change`: submits a form that changes something. */
export type PageAction = 'view' | 'change';

interface Visitor {
  platform_admin: boolean;
  read_only_operator?: boolean;
  /** Permissions by service id; only active services. */
  permissions: Record<string, string[]>;
  organisations: string[];
}

/** The service of a page, or only its organisation. */
interface AccessScope {
  id?: string;
  organisation: string | null;
}

/** `not-found`: the visitor may not even learn that the service exists. */
type Answer = 'yes' | 'sign-in' | 'forbidden' | 'not-found';

export function may(who: Who, visitor: Visitor | undefined, scope?: AccessScope, action: PageAction = 'view'): Answer {
  if (who === 'anyone') return 'yes';
  if (!visitor) return 'sign-in';
  if (who === 'signed-in') return 'yes';
  if (who === 'platform-admin') return visitor.platform_admin ? 'yes' : 'forbidden';
  const viewsAsOperator = visitor.read_only_operator && action === 'view';
  if (who === 'operator') return visitor.platform_admin || viewsAsOperator ? 'yes' : 'forbidden';
  if (!scope) return 'not-found';
  const ofOrganisation = scope.organisation !== null && visitor.organisations.includes(scope.organisation);
  if ('membersOf' in who) {
    if (visitor.platform_admin || ofOrganisation || viewsAsOperator) return 'yes';
    return isOperator(visitor) ? 'forbidden' : 'not-found';
  }
  if (visitor.platform_admin && !who.membersOnly) return 'yes';
  const { id = '' } = scope;
  const permissions = Object.hasOwn(visitor.permissions, id) ? visitor.permissions[id] : undefined;
  if (!who.platformAdminsOnly && permissions && [who.service].flat().some((right) => hasRight(right, permissions)))
    return 'yes';
  if (who.organisation && ofOrganisation) return 'yes';
  if ((who.organisation || who.readOnlyOperators) && viewsAsOperator) return 'yes';
  return permissions || ofOrganisation || isOperator(visitor) ? 'forbidden' : 'not-found';
}

/** Each list is one way to have the right: the console's own name, or all the names that other front ends store. */
const permissionSets: Record<Exclude<Right, 'any'>, readonly (readonly string[])[]> = {
  activity: [['view_activity']],
  send: sendPermissionSets,
  /** The right to open single messages, for people who see the activity and people who may have sent the message. */
  messages: [['view_activity'], ...sendPermissionSets],
  templates: [['manage_templates']],
  manage: managePermissionSets,
  api: [['manage_api_keys']],
};

export function hasRight(right: Right, permissions: readonly string[]): boolean {
  return right === 'any' || permissionSets[right].some((names) => names.every((name) => permissions.includes(name)));
}

/** The rights that one person can give to another. */
export const givenRights = ['activity', 'send', 'templates', 'manage', 'api'] as const;
export type GivenRight = (typeof givenRights)[number];

export const rightNames: Record<GivenRight, string> = {
  activity: t('See the dashboard'),
  send: t('Send messages'),
  templates: t('Add and edit templates'),
  manage: t('Manage settings, team and usage'),
  api: t('Manage the API integration'),
};

/** Rights are stored like in other front ends, so that all of them show the same rights. */
const storedPermissions: Record<GivenRight, ServicePermission[]> = {
  activity: ['view_activity'],
  send: ['send_texts', 'send_emails', 'send_letters'],
  templates: ['manage_templates'],
  manage: ['manage_users', 'manage_settings'],
  api: ['manage_api_keys'],
};

export function permissionsOf(rights: readonly GivenRight[]): ServicePermission[] {
  return rights.flatMap((right) => storedPermissions[right]);
}
