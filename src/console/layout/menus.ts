import { type Text, t } from '../../language/text.ts';
import { may, type Who } from '../access/may.ts';
import { pageUrl } from '../links.ts';
import type { Visitor } from '../sessions/sessions.ts';

/** The menus in their order. A page names its entry by the English word; an entry without a page is not shown. */
const menus = {
  service: {
    Home: t('Home'),
    Templates: t('Templates'),
    Send: t('Send', { context: 'menu: send a message' }),
    Messages: t('Messages'),
    Received: t('Received', { context: 'menu: texts that people have sent' }),
    Team: t('Team'),
    Usage: t('Usage'),
    Integration: t('Integration'),
    Settings: t('Settings'),
  },
  developer: { 'Quick start': t('Quick start'), Sandbox: t('Sandbox') },
  operator: {
    Overview: t('Overview'),
    Services: t('Services'),
    Organisations: t('Organisations'),
    People: t('People'),
    Providers: t('Providers'),
    Domains: t('Domains'),
    Letters: t('Letters'),
    Complaints: t('Complaints'),
    Brands: t('Brands'),
    Rates: t('Rates'),
    Reports: t('Reports'),
    Audit: t('Audit'),
    System: t('System'),
  },
  account: { 'Your services': t('Your services'), 'Your account': t('Your account') },
};

export type MenuEntry = { [Menu in keyof typeof menus]: keyof (typeof menus)[Menu] }[keyof typeof menus];

/** The labels of the entries. */
export const menuNames: Record<MenuEntry, Text> = {
  ...menus.service,
  ...menus.developer,
  ...menus.operator,
  ...menus.account,
};

interface Entry {
  label: Text;
  to: string;
  isCurrent: boolean;
}

export interface ShownMenu {
  of: keyof typeof menus;
  /** The accessible name. */
  name: Text;
  heading: Text | undefined;
  entries: Entry[];
}

interface Listed {
  path: string;
  who: Who;
  menu?: MenuEntry;
  listedFor?: Who;
}

const groups = [
  { of: 'service', name: t('Service'), heading: undefined },
  { of: 'account', name: t('Account'), heading: undefined },
  { of: 'developer', name: t('Developer'), heading: t('Developer') },
  { of: 'operator', name: t('Operator'), heading: t('Operator') },
] as const;

interface MenuContext {
  visitor: Visitor;
  service?: { id: string; organisation: string | null };
  current: MenuEntry | undefined;
}

/**
 * Returns the entries that the visitor may open. An open service's menu replaces the account's menu, except on the account's own pages. In
 * a service, the operator's menu only contains the way back.
 */
export function shownMenus(pages: readonly Listed[], { visitor, service, current }: MenuContext): ShownMenu[] {
  return groups
    .filter(({ of }) => (of === 'account' ? !service || isOfAccount(current) : of !== 'service' || service))
    .map(({ of, name, heading }) => ({
      of,
      name,
      heading,
      entries: entriesOf(of).flatMap((entry): Entry[] => {
        const page = pageOfEntry(pages, entry, service !== undefined);
        if (service && of === 'operator' && entry !== 'Overview' && entry !== current) return [];
        if (!page || may(page.listedFor ?? page.who, visitor.user, service) !== 'yes') return [];
        const to = pageUrl(page.path.replace(':service_id', service?.id ?? ''));
        return [{ label: menuNames[entry], to, isCurrent: entry === current }];
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

function entriesOf(menu: keyof typeof menus): MenuEntry[] {
  return Object.keys(menus[menu]) as MenuEntry[];
}

/**
 * Whether a page outside any service, such as the sandbox or the account, keeps showing the open service, so that people can return with
 * one click.
 */
export function keepsService(entry: MenuEntry | undefined): boolean {
  return entry !== 'Your services' && !entriesOf('operator').some((one) => one === entry);
}

function isOfAccount(entry: MenuEntry | undefined): boolean {
  return entriesOf('account').some((one) => one === entry);
}

/** An entry may have two pages: one about the current service, and one outside services. */
function pageOfEntry(pages: readonly Listed[], label: MenuEntry, inService: boolean): Listed | undefined {
  const all = pages.filter(({ menu }) => menu === label);
  const isOfService = ({ path }: Listed) => path.includes(':service_id');
  return (inService ? all.find(isOfService) : undefined) ?? all.find((page) => !isOfService(page));
}
