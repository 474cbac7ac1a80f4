import { may, type Who } from '../access/may.ts';
import type { Visitor } from '../sessions/visitor.ts';
import { type MenuEntry, menus } from './menu.ts';

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
 * Entries that the visitor may open, without those of another place: either the service is shown, or the account. In a
 * service the operator's menu has the way back only.
 */
export function shownMenus(pages: readonly Listed[], { visitor, service, current }: MenuContext): ShownMenu[] {
  return groups
    .filter(({ of }) => of !== (service ? 'account' : 'service'))
    .map(({ of, name, heading }) => ({
      name,
      heading,
      entries: menus[of].flatMap((label): Entry[] => {
        const page = pageOfEntry(pages, label, service !== undefined);
        if (service && of === 'operator' && label !== 'Overview' && label !== current) return [];
        if (!page || may(page.listedFor ?? page.who, visitor.user, service) !== 'yes') return [];
        const to = `/console${page.path.replace(':service_id', service?.id ?? '')}`;
        return [{ label, to, isCurrent: label === current }];
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** An entry may have two pages: one that is about the service which is shown, and one for elsewhere. */
function pageOfEntry(pages: readonly Listed[], label: MenuEntry, inService: boolean): Listed | undefined {
  const all = pages.filter(({ menu }) => menu === label);
  const isOfService = ({ path }: Listed) => path.includes(':service_id');
  return (inService ? all.find(isOfService) : undefined) ?? all.find((page) => !isOfService(page));
}
