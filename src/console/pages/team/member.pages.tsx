import { Type } from 'typebox';
import { notFound } from '../../../platform/failure.ts';
import { changeMember, leaveService } from '../../../services/members/service-members.ts';
import { canChooseSignInMethod, refuseUnlessMember } from '../../../users/members/permissions.ts';
import { permissionsOf } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { SaveForm } from '../../parts/save-form.tsx';
import { Summary } from '../../parts/summary.tsx';
import { mayChangeContact } from './contact.pages.tsx';
import { MemberFields, memberForm } from './member-fields.tsx';
import { listFolderPaths, listMembers, methodNames, rightsOf } from './team.ts';

type OfManagers = PageRequest<{ service: 'manage' }>;

export function memberPages(pages: Pages, app: ConsoleApp): void {
  async function memberView({ service, visitor, param }: OfManagers, formState: FormState): Promise<View> {
    const folders = await listFolderPaths(app, service.id);
    const member = (await listMembers(app, service.id, folders)).find(({ id }) => id === param('user_id'));
    if (!member) throw notFound();
    const here = `/services/${service.id}/team/${member.id}`;
    const isVisitor = member.id === visitor.user.id;
    const contact = mayChangeContact(visitor.user, member, service.id);
    return {
      title: member.name,
      lead: isVisitor ? 'That is you.' : undefined,
      crumbs: [{ label: 'Team', to: `/services/${service.id}/team` }],
      content: (
        <div class="stack">
          <section class="card measure" aria-label="Contact">
            <Summary
              rows={[
                {
                  label: 'Email address',
                  value: member.email_address,
                  ...(contact ? { change: `${here}/email` } : isVisitor ? { change: '/account/email' } : {}),
                },
                {
                  label: 'Mobile number',
                  value: member.mobile_number ?? 'None',
                  ...(contact ? { change: `${here}/mobile` } : isVisitor ? { change: '/account/mobile' } : {}),
                },
                { label: 'Signs in with', value: methodNames[member.auth_type] },
              ]}
            />
          </section>
          <SaveForm back={`/services/${service.id}/team`} to={`/console${here}`}>
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
            label={isVisitor ? 'Leave the team' : 'Remove from the team'}
            action={isVisitor ? 'Leave' : `Remove ${member.name}`}
            to={`/console${here}/remove`}
          >
            {isVisitor ? 'You lose access at once.' : `${member.name} loses access at once.`} Messages and templates
            stay.
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
      return { to: `/services/${service.id}/team`, notice: 'The rights are saved.' };
    },
  });

  pages.add('/services/:service_id/team/:user_id/remove', {
    who: { service: 'manage' },
    below: 'Team',
    // The form is on the page of the member; a refusal is shown there.
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
      if (user_id === visitor.user.id) return { to: '/services', notice: `You have left ${service.name}.` };
      return { to: `/services/${service.id}/team`, notice: 'The person is no longer in the team.' };
    },
  });
}
