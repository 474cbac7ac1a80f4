import type { ComponentChildren } from 'preact';
import { asIs, t } from '../../../language/text.ts';
import type { Organisation } from '../../../organisations/organisations.ts';
import { reachable } from '../../access/find-page.ts';
import type { Pages, View } from '../../page.ts';
import { Tabs } from '../../parts/tabs.tsx';
import type { Visitor } from '../../sessions/sessions.ts';

export const members = { membersOf: 'organisation' } as const;

export function pathOf({ id }: { id: string }): string {
  return `/organisations/${id}`;
}

const tabs = [
  { label: t('Usage'), path: '' },
  { label: t('Trial services'), path: '/trial' },
  { label: t('Team'), path: '/team' },
  { label: t('Domains'), path: '/domain' },
  { label: t('Settings'), path: '/settings' },
];

interface Shown {
  organisation: Organisation;
  visitor: Visitor;
  /** Relative to the organisation. */
  at: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  content: ComponentChildren;
}

/** A page of an organisation, with links to its other pages. */
export function organisationView(pages: Pages, shown: Shown): View {
  const { organisation, visitor, at, lead, actions, content } = shown;
  const open = (path: string) =>
    reachable(pages.all, visitor.user, `${pathOf(organisation)}${path}`, { organisation: organisation.id });
  const list = reachable(pages.all, visitor.user, '/operator/organisations');
  return {
    title: asIs(organisation.name),
    about: tabs.find(({ path }) => path === at)?.label ?? asIs(organisation.name),
    lead: organisation.active ? lead : t('This organisation is archived.'),
    actions,
    crumbs: [
      list
        ? { label: t('Organisations'), to: '/operator/organisations' }
        : { label: t('Your services'), to: '/services' },
    ],
    content: (
      <div class="stack">
        <Tabs
          name={t('Organisation')}
          tabs={tabs.flatMap(({ label, path }) => {
            const to = open(path);
            return to ? [{ label, to, isCurrent: path === at }] : [];
          })}
        />
        {content}
      </div>
    ),
  };
}
