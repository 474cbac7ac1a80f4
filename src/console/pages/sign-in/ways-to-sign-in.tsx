import type { SingleSignOnSettings } from '../../../users/sign-in/single-sign-on/settings.ts';
import type { FormState } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { PasswordField } from '../../parts/password-field.tsx';

interface WaysProps {
  settings: SingleSignOnSettings;
  /** The page that was asked for. */
  next: string;
  formState: FormState;
}

/** Single sign-on first, where there is one; the password behind it, where it is only a way back in. */
export function WaysToSignIn({ settings, next, formState }: WaysProps) {
  const { issuer, buttonLabel, localSignIn } = settings;
  if (issuer === undefined) return <PasswordForm formState={formState} isMain />;
  const query = next === '' ? '' : `?${new URLSearchParams({ next })}`;
  return (
    <>
      <p class="row">
        <a class="button button--primary" href={`/console/sign-in/single-sign-on${query}`}>
          {buttonLabel}
        </a>
      </p>
      {localSignIn === 'everyone' ? (
        <>
          <h2>Or with your password</h2>
          <PasswordForm formState={formState} />
        </>
      ) : (
        <details class="more" open={formState.problems.size > 0}>
          <summary>Platform administrators can sign in with a password</summary>
          <PasswordForm formState={formState} />
        </details>
      )}
    </>
  );
}

function PasswordForm({ formState, isMain }: { formState: FormState; isMain?: true }) {
  return (
    <form class="stack" method="post" noValidate>
      <Field formState={formState} name="email_address" label="Email address" type="email" autocomplete="username" />
      <PasswordField formState={formState} name="password" label="Password" autocomplete="current-password" />
      <div class="row">
        <button class={isMain ? 'button button--primary' : 'button'} type="submit">
          Sign in
        </button>
        <a class="small" href="/console/forgot-password">
          Forgotten your password?
        </a>
      </div>
    </form>
  );
}
