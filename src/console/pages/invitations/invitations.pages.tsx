import { type Static, Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { invalidField } from '../../../platform/failure.ts';
import { maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import { createUser, findUserByEmail } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { checkAll } from '../../forms.ts';
import { pageUrl } from '../../links.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { Field, PasswordField } from '../../parts/field.tsx';
import { ButtonLink, Submit } from '../../parts/form.tsx';
import { passwordHint, refuseWeakPassword } from '../sign-in/new-password.ts';
import { beginSecondStep, completeSignIn } from '../sign-in/sign-in-steps.ts';
import { acceptInvitation, findInvitation, type Invitation } from './invitations.ts';

/**
 * A new account needs all fields, except the number if it signs in by email or the country does not require one. Joining with an existing
 * account needs none.
 */
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
        return request.visitor ? joinView(invitation) : newAccountView(app, invitation, formState);
      },
      form: NewAccount,
      async check(request, form) {
        const { invitation } = await open(request);
        if (invitation && !request.visitor) await readAccount(app, invitation, form);
      },
      async act(request, form) {
        const { invitation, refusal } = await open(request);
        if (!invitation) return refusal;
        if (!request.visitor) return register(request, invitation, await readAccount(app, invitation, form));
        await acceptInvitation(app, invitation, request.visitor.user.id);
        return { to: invitation.home, notice: t('You have joined {name}.', { name: invitation.name }) };
      },
    });

    type Opened = { invitation: Invitation; refusal?: never } | { invitation?: never; refusal: View | Redirection };

    /** Returns the invitation if this visitor can accept it now. */
    async function open({ visitor, param }: PageRequest<'anyone'>): Promise<Opened> {
      const token = param('token');
      const invitation = await findInvitation(app, to, token);
      if (!invitation) return { refusal: unusableView };
      if (invitation.status === 'cancelled') return { refusal: cancelledView(invitation) };
      if (invitation.status === 'accepted') return { refusal: { to: invitation.home } };
      if (visitor) {
        const isInvited = visitor.user.email_address.toLowerCase() === invitation.email_address.toLowerCase();
        return isInvited ? { invitation } : { refusal: otherPersonView(invitation, visitor.user.email_address) };
      }
      const known = await findUserByEmail(app, invitation.email_address);
      // The first sign-in at the issuer creates a new account.
      const mustSignIn = known || !maySignInLocally(app.config, { platform_admin: false });
      return mustSignIn ? { refusal: signInFirstView(invitation, pageUrl(`${paths[to]}/${token}`)) } : { invitation };
    }
  }

  /** Opening the link proves the address. A person who signs in with text codes also has to prove the number. */
  async function register(
    request: PageRequest<'anyone'>,
    { to, id, email_address, auth_type, home }: Invitation,
    account: Awaited<ReturnType<typeof readAccount>>,
  ): Promise<View | Redirection> {
    const method = auth_type === 'email_auth' || account.mobile_number === null ? 'email_auth' : 'sms_auth';
    const user = await createUser(app, { ...account, email_address, auth_type: method, state: 'pending' });
    const more = { next: home, activates: true, invitation: { to, id } } as const;
    if (method === 'sms_auth') return beginSecondStep(app, request, user, more);
    return completeSignIn(app, request, { ...more, user_id: user.id, step: 'email' });
  }
}

/** Throws about all missing fields and about a weak password. */
async function readAccount(
  { country }: ConsoleApp,
  { auth_type }: Invitation,
  form: Partial<Static<typeof NewAccount>>,
) {
  const needsNumber = auth_type !== 'email_auth' && country.signIn.phoneRequired;
  const [name, mobile_number, password] = await checkAll(
    () => form.name ?? refuse('name', t('Enter your name.')),
    () => form.mobile_number ?? (needsNumber ? refuse('mobile_number', t('Enter your mobile number.')) : null),
    () => {
      const typed = form.password ?? refuse('password', t('Enter a password.'));
      refuseWeakPassword(typed);
      return typed;
    },
  );
  return { name, mobile_number, password };
}

function refuse(field: string, sentence: string): never {
  throw invalidField(field, sentence);
}

const unusableView: View = {
  title: t('This invitation does not work'),
  status: 400,
  frame: 'standalone',
  content: (
    <p class="lead">
      {t(
        'The invitation is older than two days, or the end of the link is missing. Ask the person who invited you to send another.',
      )}
    </p>
  ),
};

function cancelledView({ name, invitedBy }: Invitation): View {
  return {
    title: t('The invitation was cancelled'),
    status: 400,
    frame: 'standalone',
    content: (
      <p class="lead">
        <T>
          {{ invitedBy }} had invited you to {{ name }}. Ask them if you think this is a mistake.
        </T>
      </p>
    ),
  };
}

function otherPersonView({ name, email_address }: Invitation, signedInAs: string): View {
  return {
    title: t('The invitation is for another person'),
    status: 403,
    frame: 'standalone',
    content: (
      <>
        <p class="lead">
          <T>
            {{ emailAddress: email_address }} is invited to {{ name }}. You are signed in as {{ signedInAs }}.
          </T>
        </p>
        <form class="row" method="post" action={pageUrl('/sign-out')}>
          <button class="button button--primary" type="submit">
            {t('Sign out')}
          </button>
          <span class="small muted">{t('Then open the link again.')}</span>
        </form>
      </>
    ),
  };
}

function signInFirstView({ name, invitedBy, email_address }: Invitation, path: string): View {
  return {
    title: t('Join {name}', { name }),
    lead: t('{invitedBy} invited you. Sign in as {emailAddress} first.', { invitedBy, emailAddress: email_address }),
    frame: 'standalone',
    content: (
      <p>
        <ButtonLink to={`/sign-in?${new URLSearchParams({ next: path })}`} look="primary">
          {t('Sign in')}
        </ButtonLink>
      </p>
    ),
  };
}

function joinView({ name, invitedBy }: Invitation): View {
  return {
    title: t('Join {name}', { name }),
    lead: t('{invitedBy} invited you.', { invitedBy }),
    frame: 'standalone',
    content: (
      <form method="post">
        <Submit>{t('Join')}</Submit>
      </form>
    ),
  };
}

function newAccountView(
  { country }: ConsoleApp,
  { name, invitedBy, email_address, auth_type }: Invitation,
  formState: FormState,
): View {
  const { phoneRequired } = country.signIn;
  return {
    title: t('Join {name}', { name }),
    lead: t('{invitedBy} invited you. Create an account for {emailAddress}.', {
      invitedBy,
      emailAddress: email_address,
    }),
    frame: 'standalone',
    content: (
      <form class="stack" method="post" noValidate>
        <Field formState={formState} name="name" label={t('Your name')} autocomplete="name" />
        {auth_type !== 'email_auth' && (
          <Field
            formState={formState}
            name="mobile_number"
            label={phoneRequired ? t('Mobile number') : t('Mobile number (optional)')}
            hint={
              phoneRequired
                ? t('We will send a security code there each time you sign in.')
                : t(
                    'We will send a security code there each time you sign in. Without a number, we will send a link by email.',
                  )
            }
            type="tel"
            autocomplete="tel"
          />
        )}
        <PasswordField
          formState={formState}
          name="password"
          label={t('Password')}
          hint={passwordHint}
          autocomplete="new-password"
        />
        <Submit>{t('Create account')}</Submit>
      </form>
    ),
  };
}
