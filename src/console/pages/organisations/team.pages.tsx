import { Type } from 'typebox';
import { forbidden, invalidField, notFound } from '../../../platform/failure.ts';
import { Uuid } from '../../../protocol/fields.ts';
import {
  createOrganisationInvite,
  getOrganisationInvite,
  listOrganisationInvites,
  updateOrganisationInvite,
} from '../../../users/invites/organisation-invites.ts';
import {
  joinOrganisation,
  leaveOrganisation,
  listOrganisationMembers,
} from '../../../users/members/organisation-members.ts';
import type { UserRecord } from '../../../users/user-record.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { Icon } from '../../layout/icon.tsx';
import { pageUrl } from '../../links.ts';
import type { FormState, PageRequest, Pages } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { members, organisationView, pathOf } from './organisation-view.tsx';

type OfMembers = PageRequest<typeof members>;

const makesLive = 'can_make_services_live';
const rights = Type.Array(Type.Literal(makesLive));

type Person = Pick<UserRecord, 'id' | 'platform_admin' | 'organisation_permissions'>;

const holds = (person: Person, organisationId: string) =>
  person.organisation_permissions[organisationId]?.includes(makesLive) ?? false;

/** A right that every member could give would be one that every member can take. */
function mayGive({ organisation, visitor: { user } }: OfMembers): boolean {
  return user.platform_admin || holds(user, organisation.id);
}

/** The people of an organisation: each sees its services and their usage. */
export function organisationTeamPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/organisations/:organisation_id/team', {
    who: members,
    below: 'Organisations',
    async show({ organisation, visitor }) {
      const mayChange =
        organisation.active && may(members, visitor.user, { organisation: organisation.id }, 'change') === 'yes';
      const [people, invites] = await Promise.all([
        listOrganisationMembers(app.db, organisation.id),
        listOrganisationInvites(app, organisation.id),
      ]);
      return organisationView(pages, {
        organisation,
        visitor,
        at: '/team',
        lead: 'Members see the services of the organisation, their teams and their usage.',
        actions: mayChange && (
          <ButtonLink to={`${pathOf(organisation)}/team/invite`} look="primary">
            <Icon name="plus" small />
            Invite
          </ButtonLink>
        ),
        content: (
          <TeamList
            path={pageUrl(`${pathOf(organisation)}/team`)}
            people={people.map((person) => ({
              ...person,
              makesLive: holds(person, organisation.id),
            }))}
            invites={invites.filter(({ status }) => status === 'pending')}
            mayChange={mayChange}
            now={app.clock.now()}
          />
        ),
      });
    },
  });

  pages.add('/organisations/:organisation_id/team/invite', {
    who: members,
    below: 'Organisations',
    show(request, formState) {
      const { organisation } = request;
      return {
        title: `Invite a person to ${organisation.name}`,
        lead: 'We will send a link that works for two days.',
        crumbs: [{ label: organisation.name, to: `${pathOf(organisation)}/team` }],
        content: (
          <SaveForm action="Invite" back={`${pathOf(organisation)}/team`}>
            <Field formState={formState} name="email_address" label="Email address" type="email" autocomplete="off" />
            {mayGive(request) && <RightsField formState={formState} chosen={[makesLive]} />}
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ email_address: Type.String({ format: 'email', maxLength: 255 }), rights }),
    needs: { email_address: 'Enter an email address.' },
    async act(request, { email_address, rights: permissions }) {
      const { organisation, visitor } = request;
      if (permissions.length > 0 && !mayGive(request)) throw forbidden('You cannot give a right that you do not have');
      const isSame = (other: string) => other.toLowerCase() === email_address.toLowerCase();
      const people = await listOrganisationMembers(app.db, organisation.id);
      if (people.some((person) => isSame(person.email_address))) {
        throw invalidField('email_address', 'This person is already a member.');
      }
      const invites = await listOrganisationInvites(app, organisation.id);
      if (invites.some((invite) => invite.status === 'pending' && isSame(invite.email_address))) {
        throw invalidField(
          'email_address',
          'This person is already invited. To send another invitation, cancel that one first.',
        );
      }
      const invited_by = visitor.user.id;
      await createOrganisationInvite(app, organisation.id, { email_address, invited_by, permissions });
      return { to: `${pathOf(organisation)}/team`, notice: `Invitation sent to ${email_address}.` };
    },
  });

  pages.add('/organisations/:organisation_id/team/invitations/cancel', {
    who: members,
    show: ({ organisation }) => ({ to: `${pathOf(organisation)}/team` }),
    form: Type.Object({ invite_id: Uuid }),
    async act({ organisation }, { invite_id }) {
      const { status, email_address } = await getOrganisationInvite(app, invite_id, organisation.id);
      const to = `${pathOf(organisation)}/team`;
      if (status === 'accepted')
        return { to, notice: `${email_address} has already accepted. Remove the member instead.` };
      await updateOrganisationInvite(app, { organisation_id: organisation.id, invite_id }, 'cancelled');
      return { to, notice: `Invitation to ${email_address} cancelled.` };
    },
  });

  async function findMember({ organisation, param }: OfMembers) {
    const people = await listOrganisationMembers(app.db, organisation.id);
    const person = people.find(({ id }) => id === param('member_id'));
    if (!person) throw notFound();
    return person;
  }

  pages.add('/organisations/:organisation_id/team/:member_id', {
    who: members,
    below: 'Organisations',
    async show(request, formState) {
      const { organisation } = request;
      const person = await findMember(request);
      const here = `${pathOf(organisation)}/team`;
      return {
        title: person.name,
        lead: person.email_address,
        crumbs: [{ label: organisation.name, to: here }],
        content: (
          <div class="stack">
            {mayGive(request) ? (
              <SaveForm back={here}>
                <RightsField formState={formState} chosen={person.organisation_permissions[organisation.id] ?? []} />
              </SaveForm>
            ) : (
              <p>
                {holds(person, organisation.id)
                  ? `${person.name} can make services live.`
                  : `${person.name} cannot make services live.`}{' '}
                Only platform administrators and members who can make services live can change this.
              </p>
            )}
            <p>
              <a href={pageUrl(`${here}/${person.id}/remove`)}>Remove {person.name} from the organisation</a>
            </p>
          </div>
        ),
      };
    },
    form: Type.Object({ rights }),
    async act(request, { rights: permissions }) {
      const { organisation, visitor } = request;
      const person = await findMember(request);
      if (!mayGive(request)) throw forbidden('You cannot change a right that you do not have');
      const isGiven = permissions.length > 0 && !holds(person, organisation.id);
      if (isGiven && person.id === visitor.user.id) throw forbidden('You cannot give yourself a right');
      await joinOrganisation(app, { organisation_id: organisation.id, user_id: person.id }, permissions);
      return { to: `${pathOf(organisation)}/team`, notice: `Rights of ${person.name} saved.` };
    },
  });

  pages.add('/organisations/:organisation_id/team/:member_id/remove', {
    who: members,
    below: 'Organisations',
    async show(request) {
      const { organisation } = request;
      const { name } = await findMember(request);
      return {
        title: `Remove ${name} from ${organisation.name}?`,
        crumbs: [{ label: organisation.name, to: `${pathOf(organisation)}/team` }],
        content: (
          <SaveForm action="Remove" danger back={`${pathOf(organisation)}/team`}>
            <p>
              {name} will no longer see the services of the organisation and their usage. {name} stays in the teams of
              services.
            </p>
          </SaveForm>
        ),
      };
    },
    form: Type.Object({}),
    async act(request) {
      const { organisation, visitor } = request;
      const { id, name } = await findMember(request);
      await leaveOrganisation(app, { organisation_id: organisation.id, user_id: id });
      const isSelf = id === visitor.user.id && !visitor.user.platform_admin;
      return {
        to: isSelf ? '/services' : `${pathOf(organisation)}/team`,
        notice: `${name} is no longer a member of ${organisation.name}.`,
      };
    },
  });
}

/** What a member can do besides seeing the services. */
function RightsField({ formState, chosen }: { formState: FormState; chosen: readonly string[] }) {
  return (
    <Choices
      formState={formState}
      name="rights"
      legend="What can the person do?"
      kind="several"
      choices={[
        {
          value: makesLive,
          label: 'Make services live',
          hint: 'Only if the organisation decides about requests itself.',
        },
      ]}
      chosen={chosen}
    />
  );
}

interface TeamListProps {
  path: string;
  people: readonly { id: string; name: string; email_address: string; makesLive: boolean }[];
  invites: readonly { id: string; email_address: string; created_at: string }[];
  mayChange: boolean;
  now: Date;
}

const maxShown = 200;

function TeamList({ path, people, invites, mayChange, now }: TeamListProps) {
  return (
    <>
      {people.length === 0 ? (
        <Empty title="No members yet">
          Members of an organisation see all its services, even without being in a team.
        </Empty>
      ) : (
        <Table
          caption="Members"
          rows={people.slice(0, maxShown)}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Member',
              cell: ({ id, name, email_address }) => (
                <>
                  <bdi>{mayChange ? <a href={`${path}/${id}`}>{name}</a> : name}</bdi>
                  <small>{email_address}</small>
                </>
              ),
            },
            { head: 'Makes services live', cell: ({ makesLive }) => (makesLive ? 'Yes' : 'No') },
          ]}
        />
      )}
      {people.length > maxShown && <p class="small muted">We show the first {maxShown}.</p>}
      {invites.length > 0 && (
        <section class="stack" aria-labelledby="invited">
          <h2 id="invited">Invited</h2>
          <Table
            caption="Invitations"
            rows={invites.slice(0, maxShown)}
            keyOf={({ id }) => id}
            columns={[
              { head: 'Email address', cell: ({ email_address }) => email_address },
              { head: 'Since', cell: ({ created_at }) => <Time at={created_at} now={now} /> },
              {
                head: 'Cancel',
                hidden: true,
                cell: ({ id, email_address }) =>
                  mayChange && (
                    <form method="post" action={`${path}/invitations/cancel`}>
                      <input type="hidden" name="invite_id" value={id} />
                      <button class="button button--small" type="submit">
                        Cancel<span class="sr"> the invitation to {email_address}</span>
                      </button>
                    </form>
                  ),
              },
            ]}
          />
        </section>
      )}
    </>
  );
}
