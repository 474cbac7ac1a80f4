import type { SingleSignOnSettings } from '../../../users/sign-in/single-sign-on/settings.ts';
import type { Draft } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { PasswordField } from '../../parts/password-field.tsx';

interface WaysProps {
  settings: SingleSignOnSettings;
  /** The page that was asked for. */
  next: string;
  draft: Draft;
}

/** Single sign-on first, where there is one; the password behind it, where it is only a way back in. */
export function WaysToSignIn({ settings, next, draft }: WaysProps) {
  const { issuer, buttonLabel, localSignIn } = settings;
  if (issuer === undefined) return <PasswordForm draft={draft} isMain />;
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
          <PasswordForm draft={draft} />
        </>
      ) : (
        <details class="more" open={draft.problems.size > 0}>
          <summary>Platform administrators can sign in with a password</summary>
          <PasswordForm draft={draft} />
        </details>
      )}
    </>
  );
}

function PasswordForm({ draft, isMain }: { draft: Draft; isMain?: true }) {
  return (
    <form class="stack" method="post" noValidate>
      <Field draft={draft} name="email_address" label="Email address" type="email" autocomplete="username" />
      <PasswordField draft={draft} name="password" label="Password" autocomplete="current-password" />
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
