import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { asIs, t } from '../../../language/text.ts';
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

/** The right to make services live cannot be given by every member, because every member could then get it. */
function mayGive({ organisation, visitor: { user } }: OfMembers): boolean {
  return user.platform_admin || holds(user, organisation.id);
}

/** The members of an organisation, who see its services and their usage. */
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
        lead: t('Members see the services of the organisation, their teams and their usage.'),
        actions: mayChange && (
          <ButtonLink to={`${pathOf(organisation)}/team/invite`} look="primary">
            <Icon name="plus" small />
            {t('Invite')}
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
        title: t('Invite a person to {name}', { name: organisation.name }),
        lead: t('We will send a link that works for two days.'),
        crumbs: [{ label: asIs(organisation.name), to: `${pathOf(organisation)}/team` }],
        content: (
          <SaveForm action={t('Invite')} back={`${pathOf(organisation)}/team`}>
            <Field
              formState={formState}
              name="email_address"
              label={t('Email address')}
              type="email"
              autocomplete="off"
            />
            {mayGive(request) && <RightsField formState={formState} chosen={[makesLive]} />}
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ email_address: Type.String({ format: 'email', maxLength: 255 }), rights }),
    needs: { email_address: t('Enter an email address.') },
    async act(request, { email_address, rights: permissions }) {
      const { organisation, visitor } = request;
      if (permissions.length > 0 && !mayGive(request))
        throw forbidden(t('You cannot give a permission that you do not have'));
      const isSame = (other: string) => other.toLowerCase() === email_address.toLowerCase();
      const people = await listOrganisationMembers(app.db, organisation.id);
      if (people.some((person) => isSame(person.email_address))) {
        throw invalidField('email_address', t('This person is already a member.'));
      }
      const invites = await listOrganisationInvites(app, organisation.id);
      if (invites.some((invite) => invite.status === 'pending' && isSame(invite.email_address))) {
        throw invalidField(
          'email_address',
          t('This person is already invited. To send another invitation, cancel that one first.'),
        );
      }
      const invited_by = visitor.user.id;
      await createOrganisationInvite(app, organisation.id, { email_address, invited_by, permissions });
      return {
        to: `${pathOf(organisation)}/team`,
        notice: t('Invitation sent to {emailAddress}.', { emailAddress: email_address }),
      };
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
        return {
          to,
          notice: t('{emailAddress} has already accepted. Remove the member instead.', { emailAddress: email_address }),
        };
      await updateOrganisationInvite(app, { organisation_id: organisation.id, invite_id }, 'cancelled');
      return { to, notice: t('Invitation to {emailAddress} cancelled.', { emailAddress: email_address }) };
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
        title: asIs(person.name),
        lead: person.email_address,
        crumbs: [{ label: asIs(organisation.name), to: here }],
        content: (
          <div class="stack">
            {mayGive(request) ? (
              <SaveForm back={here}>
                <RightsField formState={formState} chosen={person.organisation_permissions[organisation.id] ?? []} />
              </SaveForm>
            ) : (
              <p>
                {holds(person, organisation.id)
                  ? t('{name} can make services live.', { name: person.name })
                  : t('{name} cannot make services live.', { name: person.name })}{' '}
                {t('Only platform administrators and members who can make services live can change this.')}
              </p>
            )}
            <p>
              <a href={pageUrl(`${here}/${person.id}/remove`)}>
                <T>Remove {{ name: person.name }} from the organisation</T>
              </a>
            </p>
          </div>
        ),
      };
    },
    form: Type.Object({ rights }),
    async act(request, { rights: permissions }) {
      const { organisation, visitor } = request;
      const person = await findMember(request);
      if (!mayGive(request)) throw forbidden(t('You cannot change a permission that you do not have'));
      const isGiven = permissions.length > 0 && !holds(person, organisation.id);
      if (isGiven && person.id === visitor.user.id) throw forbidden(t('You cannot give yourself a permission'));
      await joinOrganisation(app, { organisation_id: organisation.id, user_id: person.id }, permissions);
      return { to: `${pathOf(organisation)}/team`, notice: t('Permissions of {name} saved.', { name: person.name }) };
    },
  });

  pages.add('/organisations/:organisation_id/team/:member_id/remove', {
    who: members,
    below: 'Organisations',
    async show(request) {
      const { organisation } = request;
      const { name } = await findMember(request);
      return {
        title: t('Remove {name} from {name2}?', { name, name2: organisation.name }),
        crumbs: [{ label: asIs(organisation.name), to: `${pathOf(organisation)}/team` }],
        content: (
          <SaveForm action={t('Remove')} danger back={`${pathOf(organisation)}/team`}>
            <p>
              <T>
                {{ name }} will no longer see the services of the organisation and their usage. {{ name2: name }} stays
                in the teams of services.
              </T>
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
        notice: t('{name} is no longer a member of {name2}.', { name, name2: organisation.name }),
      };
    },
  });
}

/** Additional rights of a member, who can always see the services. */
function RightsField({ formState, chosen }: { formState: FormState; chosen: readonly string[] }) {
  return (
    <Choices
      formState={formState}
      name="rights"
      legend={t('What can the person do?')}
      kind="several"
      choices={[
        {
          value: makesLive,
          label: t('Make services live'),
          hint: t('Only if the organisation decides about requests itself.'),
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
        <Empty title={t('No members yet')}>
          {t('Members of an organisation see all its services, even without being in a team.')}
        </Empty>
      ) : (
        <Table
          caption={t('Members')}
          rows={people.slice(0, maxShown)}
          keyOf={({ id }) => id}
          columns={[
            {
              head: t('Member'),
              cell: ({ id, name, email_address }) => (
                <>
                  <bdi>{mayChange ? <a href={`${path}/${id}`}>{name}</a> : name}</bdi>
                  <small>{email_address}</small>
                </>
              ),
            },
            { head: t('Makes services live'), cell: ({ makesLive }) => (makesLive ? t('Yes') : t('No')) },
          ]}
        />
      )}
      {people.length > maxShown && (
        <p class="small muted">
          <T>We show the first {{ maxShown }}.</T>
        </p>
      )}
      {invites.length > 0 && (
        <section class="stack" aria-labelledby="invited">
          <h2 id="invited">{t('Invited')}</h2>
          <Table
            caption={t('Invitations')}
            rows={invites.slice(0, maxShown)}
            keyOf={({ id }) => id}
            columns={[
              { head: t('Email address'), cell: ({ email_address }) => email_address },
              { head: t('Since'), cell: ({ created_at }) => <Time at={created_at} now={now} /> },
              {
                head: t('Cancel'),
                hidden: true,
                cell: ({ id, email_address }) =>
                  mayChange && (
                    <form method="post" action={`${path}/invitations/cancel`}>
                      <input type="hidden" name="invite_id" value={id} />
                      <button class="button button--small" type="submit">
                        <T>
                          Cancel<span class="sr"> the invitation to {{ emailAddress: email_address }}</span>
                        </T>
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
