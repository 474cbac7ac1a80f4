import { isLocked } from '../../../../users/sign-in/sign-in.ts';
import { getUserRecord } from '../../../../users/user-record.ts';
import { listOrganisationsAndServices } from '../../../../users/users.ts';
import { reachable } from '../../../access/reachable.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Pages } from '../../../page.ts';
import { Summary } from '../../../parts/summary.tsx';
import { Time } from '../../../parts/time.tsx';
import { listSessions } from '../../../sessions/sessions.ts';
import { methodNames } from '../../team/team.ts';
import { PersonBadges } from './person-badges.tsx';

/** One person: account, services, organisations, and what the operator can do. */
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
        title: person.name,
        lead: person.email_address,
        crumbs: [{ label: 'People', to: '/operator/people' }],
        actions: <PersonBadges {...person} locked={locked} />,
        content: (
          <div class="stack">
            <section class="card" aria-labelledby="account">
              <div class="card-head">
                <h2 id="account">Account</h2>
              </div>
              <Summary
                rows={[
                  { label: 'Mobile number', value: person.mobile_number ?? 'None' },
                  { label: 'Signs in with', value: methodNames[person.auth_type], ...change('sign-in') },
                  {
                    label: 'Last signed in',
                    value: person.logged_in_at ? <Time at={person.logged_in_at} now={now} /> : 'Never',
                  },
                  {
                    label: 'Devices',
                    value: sessions.length === 0 ? 'Signed in nowhere' : `Signed in on ${sessions.length}`,
                    ...(sessions.length > 0 ? change('sessions') : {}),
                  },
                  {
                    label: 'Wrong passwords and codes',
                    value: locked
                      ? `${failed_login_count}: locked out of other front ends`
                      : String(failed_login_count),
                    ...(failed_login_count > 0 ? change('unlock') : {}),
                  },
                  { label: 'Operator', value: roleOf(person), ...(state === 'active' ? change('role') : {}) },
                  { label: 'Account created', value: <Time at={person.created_at} now={now} /> },
                ]}
              />
            </section>
            <div class="cols cols--wide even">
              <Things
                id="services"
                title="Services"
                none="In no team."
                things={services.map((one) => ({ ...one, to: `/console/operator/services/${one.id}` }))}
              />
              <Things
                id="organisations"
                title="Organisations"
                none="In no organisation."
                things={organisations.map((one) => ({ ...one, to: `/console/organisations/${one.id}` }))}
              />
            </div>
            {archive && !platform_admin && (
              <p>
                <a href={archive}>Archive this account</a>
              </p>
            )}
            {archive && platform_admin && (
              <p class="muted small">To archive the account of a platform administrator, take the role away first.</p>
            )}
          </div>
        ),
      };
    },
  });
}

function roleOf({ platform_admin, read_only_operator }: { platform_admin: boolean; read_only_operator?: boolean }) {
  if (platform_admin) return 'Platform administrator';
  return read_only_operator ? 'Read-only operator' : 'No';
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
              <a href={thing.to}>{thing.name}</a>
            </li>
          ))}
        </ul>
      )}
      {things.length > maxShown && <p class="small muted">And {things.length - maxShown} more.</p>}
    </section>
  );
}
