import { Type } from 'typebox';
import { invalidField } from '../../../platform/failure.ts';
import { createServiceInvite, listServiceInvites } from '../../../users/invites/service-invites.ts';
import { isServiceMember } from '../../../users/members/permissions.ts';
import { findUserByEmail } from '../../../users/users.ts';
import { permissionsOf } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { SaveForm } from '../../parts/save-form.tsx';
import { MemberFields, memberForm } from './member-fields.tsx';
import { listFolderPaths } from './team.ts';

export function invitePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/team/invite', {
    who: { service: 'manage' },
    below: 'Team',
    async show({ service }, formState) {
      const folders = await listFolderPaths(app, service.id);
      const choosesMethod = service.permissions.includes('email_auth');
      return {
        title: 'Invite a colleague',
        lead: 'We send a link that works for two days.',
        crumbs: [{ label: 'Team', to: `/services/${service.id}/team` }],
        content: (
          <SaveForm action="Invite" back={`/services/${service.id}/team`}>
            <Field formState={formState} name="email_address" label="Email address" type="email" autocomplete="off" />
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
    needs: { email_address: 'Enter the address of your colleague.' },
    async act({ service, visitor }, { email_address, rights, folders, auth_type = 'sms_auth' }) {
      await refuseIfKnown(service.id, visitor.user, email_address);
      await createServiceInvite(app, service.id, {
        email_address,
        from_user: visitor.user.id,
        permissions: permissionsOf(rights).join(','),
        folder_permissions: folders,
        auth_type: service.permissions.includes('email_auth') ? auth_type : 'sms_auth',
      });
      return { to: `/services/${service.id}/team`, notice: `An invitation is on its way to ${email_address}.` };
    },
  });

  async function refuseIfKnown(
    serviceId: string,
    visitor: { id: string; email_address: string },
    email_address: string,
  ): Promise<void> {
    const isSame = (other: string) => other.toLowerCase() === email_address.toLowerCase();
    if (isSame(visitor.email_address)) throw invalidField('email_address', 'That is your own address.');
    const known = await findUserByEmail(app, email_address);
    if (known && (await isServiceMember(app.db, { service_id: serviceId, user_id: known.id }))) {
      throw invalidField('email_address', `${known.name} is in the team already.`);
    }
    const invites = await listServiceInvites(app, serviceId);
    if (invites.some((invite) => invite.status === 'pending' && isSame(invite.email_address))) {
      throw invalidField(
        'email_address',
        'This person is invited already. To send another invitation, cancel that one first.',
      );
    }
  }
}
