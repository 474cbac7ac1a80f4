import type { ComponentChildren } from 'preact';
import { Confirm } from '../../../parts/confirm.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Tabs } from '../../../parts/tabs.tsx';

export type Kind = 'email' | 'letter';

export const brandsOf = (kind: Kind) => `/operator/branding/${kind}`;
export const brandAddress = (kind: Kind, id: string) => `${brandsOf(kind)}/${id}`;

export function BrandTabs({ current }: { current: Kind }) {
  const tab = (kind: Kind, label: string) => ({
    label,
    to: `/console${brandsOf(kind)}`,
    isCurrent: kind === current,
  });
  return <Tabs name="Kinds of brands" tabs={[tab('email', 'Emails'), tab('letter', 'Letters')]} />;
}

interface Users {
  organisations: { id: string; name: string }[];
  services: { id: string; name: string; restricted: boolean }[];
}

interface BrandPageProps {
  kind: Kind;
  id: string;
  active: boolean;
  mayChange: boolean;
  users: Users;
  /** Organisations whose services can choose it. */
  offeredBy: { id: string; name: string }[];
  facts: ComponentChildren;
  preview: ComponentChildren;
}

/** One brand as it is sent, and who uses it. */
export function BrandPage({ kind, id, active, mayChange, users, offeredBy, facts, preview }: BrandPageProps) {
  const isUsed = users.organisations.length + users.services.length > 0;
  return (
    <div class="aside">
      <section class="card card--flush" aria-labelledby="as-sent">
        <div class="card-head">
          <h2 id="as-sent">{kind === 'email' ? 'An email with it' : 'A letter with it'}</h2>
        </div>
        {preview}
      </section>
      <div class="stack">
        {!active && <Notice tone="amber">This brand is archived: no service can choose it.</Notice>}
        <section class="card" aria-label="About the brand">
          {facts}
        </section>
        <UserList title="Services with it" empty="No service uses it.">
          {users.services.map(({ id: service, name, restricted }) => (
            <li key={service}>
              <a href={`/console/operator/services/${service}`}>{name}</a>
              {restricted && <span class="badge tone-amber">Trial mode</span>}
            </li>
          ))}
        </UserList>
        <UserList title="Organisations that offer it" empty="No organisation offers it to its services.">
          {offeredBy.map(({ id: organisation, name }) => (
            <li key={organisation}>
              <a href={`/console/operator/organisations/${organisation}/brands`}>{name}</a>
              {users.organisations.some((one) => one.id === organisation) && <span class="badge">Default</span>}
            </li>
          ))}
        </UserList>
        {active &&
          mayChange &&
          (isUsed ? (
            <p class="muted small">It can be archived once no service uses it and no organisation has it as default.</p>
          ) : (
            <div>
              <Confirm label="Archive" action="Archive the brand" to={`/console${brandAddress(kind, id)}/archive`}>
                No organisation can offer it any more, and its name becomes free. Messages that were sent keep it.
              </Confirm>
            </div>
          ))}
      </div>
    </div>
  );
}

function UserList({ title, empty, children }: { title: string; empty: string; children: ComponentChildren[] }) {
  return (
    <section class="card">
      <div class="card-head">
        <h2>{title}</h2>
      </div>
      {children.length === 0 ? <p class="muted">{empty}</p> : <ul class="list">{children}</ul>}
    </section>
  );
}
