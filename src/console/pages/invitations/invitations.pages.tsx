import { Type } from 'typebox';
import { invalid } from '../../../platform/failure.ts';
import { maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import { createUser, findUserByEmail } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages, Redirection, View } from '../../page.ts';
import { refuseWeakPassword } from '../sign-in/new-password.ts';
import { beginSecondStep, completeSignIn } from '../sign-in/sign-in-steps.ts';
import { acceptInvitation, findInvitation, type Invitation } from './invitations.ts';
import { cancelled, forAnotherPerson, join, newAccount, signInFirst, unusable } from './views.tsx';

/** A new account needs all of them, except the number where it signs in by email; joining needs none. */
const NewAccount = Type.Object({
  name: Type.Optional(Type.String({ format: 'user-name', maxLength: 255 })),
  mobile_number: Type.Optional(Type.String({ format: 'user-mobile-number' })),
  password: Type.Optional(Type.String()),
});

const paths = { service: '/invitation', organisation: '/organisation-invitation' } as const;

export function invitationPages(pages: Pages, app: ConsoleApp): void {
  for (const to of ['service', 'organisation'] as const) {
    pages.add(`${paths[to]}/:token`, {
      who: 'anyone',
      async show(request, formState) {
        const { invitation, refusal } = await open(request);
        if (!invitation) return refusal;
        return request.visitor ? join(invitation) : newAccount(invitation, formState);
      },
      form: NewAccount,
      async act(request, form) {
        const { invitation, refusal } = await open(request);
        if (!invitation) return refusal;
        if (!request.visitor) return register(request, invitation, form);
        await acceptInvitation(app, invitation, request.visitor.user.id);
        return { to: invitation.home, notice: `You have joined ${invitation.name}.` };
      },
    });

    type Opened = { invitation: Invitation; refusal?: never } | { invitation?: never; refusal: View | Redirection };

    /** The invitation, if this visitor can accept it now. */
    async function open({ visitor, param }: PageRequest<'anyone'>): Promise<Opened> {
      const token = param('token');
      const invitation = await findInvitation(app, to, token);
      if (!invitation) return { refusal: unusable };
      if (invitation.status === 'cancelled') return { refusal: cancelled(invitation) };
      if (invitation.status === 'accepted') return { refusal: { to: invitation.home } };
      if (visitor) {
        const isInvited = visitor.user.email_address.toLowerCase() === invitation.email_address.toLowerCase();
        return isInvited ? { invitation } : { refusal: forAnotherPerson(invitation, visitor.user.email_address) };
      }
      const known = await findUserByEmail(app, invitation.email_address);
      // A new account is created by the first sign-in at the issuer.
      const mustSignIn = known || !maySignInLocally(app.config, { platform_admin: false });
      return mustSignIn ? { refusal: signInFirst(invitation, `/console${paths[to]}/${token}`) } : { invitation };
    }
  }

  /** The link has proven the address. Who signs in with text codes also has to prove the number. */
  async function register(
    request: PageRequest<'anyone'>,
    { to, id, email_address, auth_type, home }: Invitation,
    { name, mobile_number, password }: { name?: string; mobile_number?: string; password?: string },
  ): Promise<View | Redirection> {
    const method = auth_type === 'email_auth' ? 'email_auth' : 'sms_auth';
    const missing = {
      ...(name ? {} : { name: 'Enter your name.' }),
      ...(mobile_number || method === 'email_auth' ? {} : { mobile_number: 'Enter your mobile number.' }),
      ...(password ? {} : { password: 'Enter a password.' }),
    };
    if (!name || !password || Object.keys(missing).length > 0) throw invalid(missing);
    refuseWeakPassword(password);
    const user = await createUser(app, {
      name,
      email_address,
      password,
      mobile_number: mobile_number ?? null,
      auth_type: method,
      state: 'pending',
    });
    const more = { next: home, activates: true, invitation: { to, id } } as const;
    if (method === 'sms_auth') return beginSecondStep(app, request, user, more);
    return completeSignIn(app, request, { ...more, user_id: user.id, step: 'email' });
  }
}
