import { Type } from 'typebox';
import { asIs, t } from '../../../language/text.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { OneOf, Uuid } from '../../../protocol/fields.ts';
import { changeMember, leaveService } from '../../../services/members/service-members.ts';
import { createServiceInvite, listServiceInvites } from '../../../users/invites/service-invites.ts';
import { canChooseSignInMethod, isServiceMember, refuseUnlessMember } from '../../../users/members/permissions.ts';
import { findUserByEmail } from '../../../users/users.ts';
import { givenRights, permissionsOf, rightNames } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { Confirm, SaveForm } from '../../parts/form.tsx';
import { shownNumber } from '../../parts/phone-number.ts';
import { Summary } from '../../parts/table.tsx';
import { mayChangeContact } from './contact.pages.tsx';
import { type Folder, listFolderPaths, listMembers, methodNames, rightsOf } from './team.ts';

type OfManagers = PageRequest<{ service: 'manage' }>;

export function memberPages(pages: Pages, app: ConsoleApp): void {
  async function memberView({ service, visitor, param }: OfManagers, formState: FormState): Promise<View> {
    const folders = await listFolderPaths(app.db, service.id);
    const member = (await listMembers(app, service.id, folders)).find(({ id }) => id === param('user_id'));
    if (!member) throw notFound();
    const here = `/services/${service.id}/team/${member.id}`;
    const isVisitor = member.id === visitor.user.id;
    const contact = mayChangeContact(visitor.user, member, service.id);
    return {
      title: asIs(member.name),
      lead: isVisitor ? t('This is you.') : undefined,
      crumbs: [{ label: t('Team'), to: `/services/${service.id}/team` }],
      content: (
        <div class="stack">
          <section class="card measure" aria-label={t('Contact')}>
            <Summary
              rows={[
                {
                  label: t('Email address'),
                  value: member.email_address,
                  ...(contact ? { change: `${here}/email` } : isVisitor ? { change: '/account/email' } : {}),
                },
                {
                  label: t('Mobile number'),
                  value: shownNumber(app.country.phone, member.mobile_number),
                  ...(contact ? { change: `${here}/mobile` } : isVisitor ? { change: '/account/mobile' } : {}),
                },
                { label: t('Second sign-in step'), value: methodNames[member.auth_type] },
              ]}
            />
          </section>
          <SaveForm back={`/services/${service.id}/team`} to={pageUrl(here)}>
            <MemberFields
              formState={formState}
              folders={folders}
              chosen={{
                rights: rightsOf(member.permissions),
                folders: folders
                  .filter(({ users_with_permission }) => users_with_permission.includes(member.id))
                  .map(({ id }) => id),
                auth_type: member.auth_type,
              }}
              choosesMethod={service.permissions.includes('email_auth') && canChooseSignInMethod(member)}
            />
          </SaveForm>
          <Confirm
            label={isVisitor ? t('Leave the team') : t('Remove from the team')}
            action={isVisitor ? t('Leave') : t('Remove {name}', { name: member.name })}
            to={pageUrl(`${here}/remove`)}
          >
            {isVisitor
              ? t('You will lose access at once. We keep messages and templates.')
              : t('{name} will lose access at once. We keep messages and templates.', { name: member.name })}
          </Confirm>
        </div>
      ),
    };
  }

  pages.add('/services/:service_id/team/:user_id', {
    who: { service: 'manage' },
    below: 'Team',
    show: memberView,
    form: Type.Object(memberForm),
    async act({ service, param }, { rights, folders, auth_type }) {
      await changeMember(
        app,
        { service_id: service.id, user_id: param('user_id') },
        {
          permissions: permissionsOf(rights),
          folder_permissions: folders,
          auth_type: service.permissions.includes('email_auth') ? auth_type : undefined,
        },
      );
      return { to: `/services/${service.id}/team`, notice: t('Permissions saved.') };
    },
  });

  pages.add('/services/:service_id/team/:user_id/remove', {
    who: { service: 'manage' },
    below: 'Team',
    // The form is on the page of the member, which also shows a rejection.
    async show(request, { problems }) {
      if (problems.size > 0) return memberView(request, { typed: new Map(), problems });
      const user_id = request.param('user_id');
      await refuseUnlessMember(app, { service_id: request.service.id, user_id });
      return { to: `/services/${request.service.id}/team/${user_id}` };
    },
    form: Type.Object({}),
    async act({ service, param, visitor }) {
      const user_id = param('user_id');
      await leaveService(app, { service_id: service.id, user_id }, { keepsManager: true });
      if (user_id === visitor.user.id)
        return { to: '/services', notice: t('You have left {name}.', { name: service.name }) };
      return { to: `/services/${service.id}/team`, notice: t('Member removed.') };
    },
  });
}

const methods = ['sms_auth', 'email_auth'] as const;

const memberForm = {
  rights: Type.Array(OneOf(givenRights)),
  folders: Type.Array(Uuid),
  auth_type: Type.Optional(OneOf(methods)),
};

interface MemberFieldsProps {
  formState: FormState;
  folders: readonly Folder[];
  chosen: { rights: readonly string[]; folders: readonly string[]; auth_type: string };
  /** Whether the service chooses how this person signs in. */
  choosesMethod: boolean;
}

/** The rights and folders of a member, and how they sign in. Also used for invitations. */
function MemberFields({ formState, folders, chosen, choosesMethod }: MemberFieldsProps) {
  return (
    <>
      <Choices
        formState={formState}
        name="rights"
        legend={t('Rights')}
        hint={t('Every member sees templates and messages.')}
        kind="several"
        choices={givenRights.map((value) => ({ value, label: rightNames[value] }))}
        chosen={chosen.rights}
      />
      {folders.length > 0 && (
        <Choices
          formState={formState}
          name="folders"
          legend={t('Folders of templates')}
          hint={t('Everybody sees templates that are not in a folder.')}
          kind="several"
          choices={folders.map(({ id, path }) => ({ value: id, label: <bdi>{path}</bdi> }))}
          chosen={chosen.folders}
        />
      )}
      {choosesMethod && (
        <Choices
          formState={formState}
          name="auth_type"
          legend={t('Second sign-in step')}
          kind="one"
          choices={methods.map((value) => ({ value, label: methodNames[value] }))}
          chosen={[chosen.auth_type]}
        />
      )}
    </>
  );
}

export function invitePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/team/invite', {
    who: { service: 'manage' },
    below: 'Team',
    name: t('Invite a colleague'),
    async show({ service }, formState) {
      const folders = await listFolderPaths(app.db, service.id);
      const choosesMethod = service.permissions.includes('email_auth');
      return {
        title: t('Invite a colleague'),
        lead: t('We will send a link that works for two days.'),
        crumbs: [{ label: t('Team'), to: `/services/${service.id}/team` }],
        content: (
          <SaveForm action={t('Invite')} back={`/services/${service.id}/team`}>
            <Field
              formState={formState}
              name="email_address"
              label={t('Email address')}
              type="email"
              autocomplete="off"
            />
            <MemberFields
              formState={formState}
              folders={folders}
              chosen={{ rights: [], folders: folders.map(({ id }) => id), auth_type: 'sms_auth' }}
              choosesMethod={choosesMethod}
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ email_address: Type.String({ format: 'email', maxLength: 255 }), ...memberForm }),
    needs: { email_address: t('Enter an email address.') },
    async act({ service, visitor }, { email_address, rights, folders, auth_type = 'sms_auth' }) {
      await refuseIfKnown(service.id, visitor.user, email_address);
      await createServiceInvite(app, service.id, {
        email_address,
        from_user: visitor.user.id,
        permissions: permissionsOf(rights).join(','),
        folder_permissions: folders,
        auth_type: service.permissions.includes('email_auth') ? auth_type : 'sms_auth',
      });
      return {
        to: `/services/${service.id}/team`,
        notice: t('Invitation sent to {emailAddress}.', { emailAddress: email_address }),
      };
    },
  });

  async function refuseIfKnown(
    serviceId: string,
    visitor: { id: string; email_address: string },
    email_address: string,
  ): Promise<void> {
    const isSame = (other: string) => other.toLowerCase() === email_address.toLowerCase();
    if (isSame(visitor.email_address))
      throw invalidField('email_address', t('Enter the address of another person. This one is yours.'));
    const known = await findUserByEmail(app, email_address);
    if (known && (await isServiceMember(app.db, { service_id: serviceId, user_id: known.id }))) {
      throw invalidField('email_address', t('{name} is already in the team.', { name: known.name }));
    }
    const invites = await listServiceInvites(app, serviceId);
    if (invites.some((invite) => invite.status === 'pending' && isSame(invite.email_address))) {
      throw invalidField(
        'email_address',
        t('This person is already invited. To send another invitation, cancel that one first.'),
      );
    }
  }
}
