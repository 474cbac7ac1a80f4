import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { Failure } from '../../../platform/failure.ts';
import { sendPasswordReset } from '../../../users/sign-in/account-links.ts';
import { maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import { getUserRecord } from '../../../users/user-record.ts';
import { getUserByEmail } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Field, PasswordField } from '../../parts/field.tsx';
import { Submit } from '../../parts/form.tsx';
import { brokenLink, findLink, oneMoreClick } from './account-links.tsx';
import { passwordHint, refuseWeakPassword } from './new-password.ts';
import { beginSecondStep, completeSignIn } from './sign-in-steps.ts';

/** Longer than sending takes, so that the time does not tell whether the address has an account. */
const answersAfter_ms = 200;

export function passwordPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/forgot-password', {
    who: 'anyone',
    show: (_asked, formState) => ({
      title: 'New password',
      lead: 'We will send you a link to choose a new password.',
      frame: 'door',
      content: (
        <form class="stack" method="post" noValidate>
          <Field
            formState={formState}
            name="email_address"
            label="Email address"
            type="email"
            autocomplete="username"
          />
          <div class="row">
            <button class="button button--primary" type="submit">
              Send the link
            </button>
            <a class="small" href={pageUrl('/sign-in')}>
              Back
            </a>
          </div>
        </form>
      ),
    }),
    form: Type.Object({ email_address: Type.String({ format: 'email' }) }),
    needs: { email_address: 'Enter your email address.' },
    async act(_asked, { email_address }) {
      await Promise.all([sendIfKnown(app, email_address), sleep(answersAfter_ms)]);
      return {
        title: 'Check your inbox',
        lead: `If ${email_address} has an account, we have sent a link there. The link works for an hour.`,
        frame: 'door',
        content: (
          <p class="small muted">
            Nothing arrived? Check the address, then <a href={pageUrl('/forgot-password')}>try again</a>.
          </p>
        ),
      };
    },
  });

  pages.add('/new-password/:token', {
    who: 'anyone',
    async show(request, formState) {
      const link = await findLink(app, 'reset-password', request.param('token'));
      if (!link) return brokenLink('reset-password');
      return {
        title: 'Choose a new password',
        lead: `For ${link.email}. You will be signed out on all devices.`,
        frame: 'door',
        content: (
          <form class="stack" method="post" noValidate>
            <PasswordField
              formState={formState}
              name="password"
              label="New password"
              hint={passwordHint}
              autocomplete="new-password"
            />
            <Submit>Continue</Submit>
          </form>
        ),
      };
    },
    form: Type.Object({ password: Type.String() }),
    needs: { password: 'Enter a new password.' },
    async act(request, { password }) {
      const link = await findLink(app, 'reset-password', request.param('token'));
      if (!link) return brokenLink('reset-password');
      refuseWeakPassword(password);
      const user = await getUserByEmail(app, link.email);
      // The link has proven the address. Those who sign in with a link need no second one.
      const more = { next: '', new_password: password, activates: true } as const;
      if (user.auth_type !== 'email_auth') return beginSecondStep(app, request, user, more);
      return completeSignIn(app, request, { ...more, user_id: user.id, step: 'email' });
    },
  });
}

async function sendIfKnown(app: ConsoleApp, email: string): Promise<void> {
  try {
    const user = await getUserByEmail(app, email);
    if (maySignInLocally(app.config, user)) await sendPasswordReset(app, { email });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not-found') throw error;
  }
}

/** A new account confirms its address, then its number. */
export function confirmPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/sign-in/confirm-address', {
    who: 'anyone',
    show: () => ({
      title: 'Check your inbox',
      lead: 'Your account is not confirmed yet. Open the link we sent you. The link works for an hour.',
      frame: 'door',
      content: (
        <p class="small muted">
          Nothing arrived? <a href={pageUrl('/sign-in')}>Sign in again</a> and we will send another.
        </p>
      ),
    }),
  });

  pages.add('/verify-email/:token', {
    who: 'anyone',
    async show({ param }) {
      const link = await findLink(app, 'verify-email', param('token'));
      if (!link) return brokenLink('verify-email');
      return oneMoreClick('Confirm your address', `Select Continue to confirm that ${link.email} is yours.`);
    },
    form: Type.Object({}),
    async act(request) {
      const link = await findLink(app, 'verify-email', request.param('token'));
      const user = link && (await getUserRecord(app.db, link.user_id));
      if (!user || user.email_address !== link.email || user.state === 'inactive') return brokenLink('verify-email');
      if (user.state === 'active') return { to: '/sign-in', notice: 'Address confirmed. Sign in.' };
      const more = { next: '', activates: true } as const;
      if (user.auth_type !== 'email_auth') return beginSecondStep(app, request, user, more);
      return completeSignIn(app, request, { ...more, user_id: user.id, step: 'email' });
    },
  });
}
