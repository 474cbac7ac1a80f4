import type { FormState, View } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { PasswordField } from '../../parts/password-field.tsx';
import { passwordHint } from '../sign-in/new-password.ts';
import type { Invitation } from './invitations.ts';

export const unusable: View = {
  title: 'This invitation does not work',
  status: 400,
  frame: 'door',
  content: (
    <p class="lead">
      It is older than two days, or the end of the link is missing. Ask the person who invited you to send another.
    </p>
  ),
};

export function cancelled({ name, invitedBy }: Invitation): View {
  return {
    title: 'The invitation was cancelled',
    status: 400,
    frame: 'door',
    content: (
      <p class="lead">
        {invitedBy} had invited you to {name}. Ask them if you think that is a mistake.
      </p>
    ),
  };
}

export function forAnotherPerson({ name, email_address }: Invitation, signedInAs: string): View {
  return {
    title: 'The invitation is for another person',
    status: 403,
    frame: 'door',
    content: (
      <>
        <p class="lead">
          {email_address} is invited to {name}. You are signed in as {signedInAs}.
        </p>
        <form class="row" method="post" action="/console/sign-out">
          <button class="button button--primary" type="submit">
            Sign out
          </button>
          <span class="small muted">Then open the link again.</span>
        </form>
      </>
    ),
  };
}

export function signInFirst({ name, invitedBy, email_address }: Invitation, path: string): View {
  return {
    title: `Join ${name}`,
    lead: `${invitedBy} invited you. Sign in as ${email_address} first.`,
    frame: 'door',
    content: (
      <p>
        <a class="button button--primary" href={`/console/sign-in?${new URLSearchParams({ next: path })}`}>
          Sign in
        </a>
      </p>
    ),
  };
}

export function join({ name, invitedBy }: Invitation): View {
  return {
    title: `Join ${name}`,
    lead: `${invitedBy} invited you.`,
    frame: 'door',
    content: (
      <form method="post">
        <button class="button button--primary" type="submit">
          Join
        </button>
      </form>
    ),
  };
}

export function newAccount({ name, invitedBy, email_address, auth_type }: Invitation, formState: FormState): View {
  return {
    title: `Join ${name}`,
    lead: `${invitedBy} invited you. Create an account for ${email_address}.`,
    frame: 'door',
    content: (
      <form class="stack" method="post" noValidate>
        <Field formState={formState} name="name" label="Your name" autocomplete="name" />
        {auth_type !== 'email_auth' && (
          <Field
            formState={formState}
            name="mobile_number"
            label="Mobile number"
            hint="We send a security code there each time you sign in."
            type="tel"
            autocomplete="tel"
          />
        )}
        <PasswordField
          formState={formState}
          name="password"
          label="Password"
          hint={passwordHint}
          autocomplete="new-password"
        />
        <div>
          <button class="button button--primary" type="submit">
            Create account
          </button>
        </div>
      </form>
    ),
  };
}
