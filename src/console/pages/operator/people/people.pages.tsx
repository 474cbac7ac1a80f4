import { asIs, type Text, t, within } from '../../../../language/text.ts';
import { isLocked } from '../../../../users/sign-in/sign-in.ts';
import { getUserRecord } from '../../../../users/user-record.ts';
import { listOrganisationsAndServices, type PeopleGroup, searchPeople } from '../../../../users/users.ts';
import { reachable } from '../../../access/find-page.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { addListPage } from '../../../list-page.tsx';
import type { Pages } from '../../../page.ts';
import { shownNumber } from '../../../parts/phone-number.ts';
import { Summary, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { listSessions } from '../../../sessions/sessions.ts';
import { methodNames } from '../../team/team.ts';

const path = '/operator/people';
const groupNames: Record<PeopleGroup, Text> = {
  operators: t('Operators'),
  locked: t('Locked out'),
  pending: t('Not confirmed'),
  archived: t('Archived'),
};

/** Everybody with an account. */
export function peoplePages(pages: Pages, app: ConsoleApp): void {
  addListPage(pages, app, {
    path,
    menu: 'People',
    lead: (count, group) =>
      group
        ? t('{count, plural, one {# person: {group}.} other {# people: {group}.}}', {
            count,
            group: within(groupNames[group]),
          })
        : t('{count, plural, one {# person.} other {# people.}}', { count }),
    searchLabel: t('Name, email address or id'),
    groups: { name: t('Group'), parameter: 'show', names: groupNames },
    async read(selection) {
      const { people, total } = await searchPeople(app.db, selection);
      return { rows: people, total };
    },
    empty: { title: t('Nobody found'), text: t('Search for another part of the name or email address.') },
    list: (people, now) => (
      <Table
        caption={t('People')}
        rows={people}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t('Person'),
            cell: ({ id, name, email_address }) => (
              <>
                <a href={pageUrl(`${path}/${id}`)} dir="auto">
                  {name}
                </a>
                <small>{email_address}</small>
              </>
            ),
          },
          { head: t('State'), cell: (person) => <PersonBadges {...person} /> },
          {
            head: t('Signed in'),
            cell: ({ logged_in_at }) =>
              logged_in_at ? <Time at={logged_in_at} now={now} /> : <span class="muted">{t('Never')}</span>,
          },
        ]}
      />
    ),
  });
}

/** One person: account, services, organisations, and actions of the operator. */
export function personPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/operator/people/:person_id', {
    who: 'operator',
    below: 'People',
    async show({ param, visitor }) {
      const person = await getUserRecord(app.db, param('person_id'));
      const { id, failed_login_count, platform_admin, state } = person;
      const [{ services, organisations }, sessions] = await Promise.all([
        listOrganisationsAndServices(app, id),
        listSessions(app, id),
      ]);
      const now = app.clock.now();
      const locked = isLocked(person);
      const change = (path: string) => {
        const to = `/operator/people/${id}/${path}`;
        return state !== 'inactive' && reachable(pages.all, visitor.user, to) ? { change: to } : {};
      };
      const archive =
        state === 'inactive' ? undefined : reachable(pages.all, visitor.user, `/operator/people/${id}/archive`);
      return {
        title: asIs(person.name),
        lead: person.email_address,
        crumbs: [{ label: t('People'), to: '/operator/people' }],
        actions: <PersonBadges {...person} locked={locked} />,
        content: (
          <div class="stack">
            <section class="card" aria-labelledby="account">
              <div class="card-head">
                <h2 id="account">{t('Account')}</h2>
              </div>
              <Summary
                rows={[
                  { label: t('Mobile number'), value: shownNumber(app.country.phone, person.mobile_number) },
                  { label: t('Signs in with'), value: methodNames[person.auth_type], ...change('sign-in') },
                  {
                    label: t('Last signed in'),
                    value: person.logged_in_at ? <Time at={person.logged_in_at} now={now} /> : t('Never'),
                  },
                  {
                    label: t('Devices'),
                    value: devicesOf(sessions.length),
                    ...(sessions.length > 0 ? change('sessions') : {}),
                  },
                  {
                    label: t('Wrong passwords and codes'),
                    value: locked
                      ? t('{count, number}: locked out of other front ends', { count: failed_login_count })
                      : String(failed_login_count),
                    ...(failed_login_count > 0 ? change('unlock') : {}),
                  },
                  { label: t('Operator'), value: roleOf(person), ...(state === 'active' ? change('role') : {}) },
                  { label: t('Account created'), value: <Time at={person.created_at} now={now} /> },
                ]}
              />
            </section>
            <div class="cols cols--wide even">
              <Things
                id="services"
                title={t('Services')}
                none={t('Not in any team.')}
                things={services.map((one) => ({ ...one, to: pageUrl(`/operator/services/${one.id}`) }))}
              />
              <Things
                id="organisations"
                title={t('Organisations')}
                none={t('Not in any organisation.')}
                things={organisations.map((one) => ({ ...one, to: pageUrl(`/organisations/${one.id}`) }))}
              />
            </div>
            {archive && !platform_admin && (
              <p>
                <a href={archive}>{t('Archive this account')}</a>
              </p>
            )}
            {archive && platform_admin && (
              <p class="muted small">
                {t('This person is a platform administrator. Take the role away before you archive the account.')}
              </p>
            )}
          </div>
        ),
      };
    },
  });
}

function devicesOf(amount: number): string {
  if (amount === 0) return t('Not signed in anywhere');
  return amount === 1 ? t('Signed in on 1 device') : t('Signed in on {amount} devices', { amount });
}

function roleOf({ platform_admin, read_only_operator }: { platform_admin: boolean; read_only_operator?: boolean }) {
  if (platform_admin) return t('Platform administrator');
  return read_only_operator ? t('Read-only operator') : t('No');
}

const maxShown = 100;

interface ThingsProps {
  id: string;
  title: string;
  none: string;
  things: readonly { id: string; name: string; to: string }[];
}

function Things({ id, title, none, things }: ThingsProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
      </div>
      {things.length === 0 ? (
        <p class="muted">{none}</p>
      ) : (
        <ul class="list">
          {things.slice(0, maxShown).map((thing) => (
            <li key={thing.id}>
              <a href={thing.to} dir="auto">
                {thing.name}
              </a>
            </li>
          ))}
        </ul>
      )}
      {things.length > maxShown && (
        <p class="small muted">
          {t('{count, plural, other {# more are not shown.}}', { count: things.length - maxShown })}
        </p>
      )}
    </section>
  );
}

interface PersonState {
  state: 'active' | 'pending' | 'inactive';
  platform_admin: boolean;
  read_only_operator?: boolean;
  locked: boolean;
}

/** Badges for unusual properties of an account. */
function PersonBadges({ state, platform_admin, read_only_operator, locked }: PersonState) {
  const badges: [isShown: boolean, tone: string, text: string][] = [
    [platform_admin, 'tone-blue', t('Platform administrator')],
    [read_only_operator === true && !platform_admin, 'tone-blue', t('Read-only operator')],
    [locked, 'tone-red', t('Locked out')],
    [state === 'pending', 'tone-amber', t('Not confirmed')],
    [state === 'inactive', '', t('Archived')],
  ];
  const shown = badges.filter(([isShown]) => isShown);
  if (shown.length === 0) return <span class="muted">{t('Active')}</span>;
  return (
    <span class="row row--tight">
      {shown.map(([, tone, text]) => (
        <span key={text} class={`badge ${tone}`}>
          {text}
        </span>
      ))}
    </span>
  );
}
