import { may, type Who } from '../access/may.ts';
import { pageUrl } from '../links.ts';
import type { Visitor } from '../sessions/sessions.ts';

/** The menus, in their order. A page names its entry; an entry without a page is not shown. */
const menus = {
  service: ['Home', 'Templates', 'Send', 'Messages', 'Received', 'Team', 'Usage', 'Integration', 'Settings'],
  developer: ['Quick start', 'Sandbox'],
  operator: [
    'Overview',
    'Services',
    'Organisations',
    'People',
    'Providers',
    'Letters',
    'Complaints',
    'Brands',
    'Rates',
    'Reports',
    'Audit',
    'System',
  ],
  account: ['Your services', 'Your account'],
} as const;

export type MenuEntry = (typeof menus)[keyof typeof menus][number];

interface Entry {
  label: string;
  to: string;
  isCurrent: boolean;
}

export interface ShownMenu {
  /** Its name for those who cannot see where it is. */
  name: string;
  heading: string | undefined;
  entries: Entry[];
}

interface Listed {
  path: string;
  who: Who;
  menu?: MenuEntry;
  listedFor?: Who;
}

const groups = [
  { of: 'service', name: 'Service', heading: undefined },
  { of: 'account', name: 'Account', heading: undefined },
  { of: 'developer', name: 'Developer', heading: 'Developer' },
  { of: 'operator', name: 'Operator', heading: 'Operator' },
] as const;

interface MenuContext {
  visitor: Visitor;
  service?: { id: string; organisation: string | null };
  current: MenuEntry | undefined;
}

/**
 * Entries that the visitor may open. The account's menu gives way to that of an open service, except on the account's own
 * pages. In a service the operator's menu has the way back only.
 */
export function shownMenus(pages: readonly Listed[], { visitor, service, current }: MenuContext): ShownMenu[] {
  return groups
    .filter(({ of }) => (of === 'account' ? !service || isOfAccount(current) : of !== 'service' || service))
    .map(({ of, name, heading }) => ({
      name,
      heading,
      entries: menus[of].flatMap((label): Entry[] => {
        const page = pageOfEntry(pages, label, service !== undefined);
        if (service && of === 'operator' && label !== 'Overview' && label !== current) return [];
        if (!page || may(page.listedFor ?? page.who, visitor.user, service) !== 'yes') return [];
        const to = pageUrl(page.path.replace(':service_id', service?.id ?? ''));
        return [{ label, to, isCurrent: label === current }];
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** Pages that belong to no service, such as the sandbox and the account, keep the open one: the way back is one click. */
export function keepsService(entry: MenuEntry | undefined): boolean {
  return entry !== 'Your services' && !menus.operator.some((label) => label === entry);
}

function isOfAccount(entry: MenuEntry | undefined): boolean {
  return menus.account.some((label) => label === entry);
}

/** An entry may have two pages: one that is about the service which is shown, and one for elsewhere. */
function pageOfEntry(pages: readonly Listed[], label: MenuEntry, inService: boolean): Listed | undefined {
  const all = pages.filter(({ menu }) => menu === label);
  const isOfService = ({ path }: Listed) => path.includes(':service_id');
  return (inService ? all.find(isOfService) : undefined) ?? all.find((page) => !isOfService(page));
}
