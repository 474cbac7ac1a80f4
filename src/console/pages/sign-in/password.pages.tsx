import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { Failure } from '../../../platform/failure.ts';
import { sendPasswordReset } from '../../../users/sign-in/account-links.ts';
import { maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import { getUserByEmail } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { PasswordField } from '../../parts/password-field.tsx';
import { brokenLink, findLink } from './account-links.tsx';
import { passwordHint, refuseWeakPassword } from './new-password.ts';
import { beginSecondStep, completeSignIn } from './sign-in-steps.ts';

/** Longer than sending takes, so that the time does not tell whether the address has an account. */
const answersAfter_ms = 200;

export function passwordPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/forgot-password', {
    who: 'anyone',
    show: (_asked, formState) => ({
      title: 'New password',
      lead: 'We send you a link to choose a new password.',
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
            <a class="small" href="/console/sign-in">
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
        lead: `If ${email_address} has an account, a link is on its way. It works for one hour.`,
        frame: 'door',
        content: (
          <p class="small muted">
            Nothing arrived? Check the address, then <a href="/console/forgot-password">try again</a>.
          </p>
        ),
      };
    },
  });

  pages.add('/new-password/:token', {
    who: 'anyone',
    async show(request, formState) {
      const link = await findLink(app, 'reset-password', request.param('token'));
      if (!link) return brokenLink('one hour');
      return {
        title: 'Choose a new password',
        lead: `For ${link.email}. You are signed out on all devices.`,
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
            <div>
              <button class="button button--primary" type="submit">
                Continue
              </button>
            </div>
          </form>
        ),
      };
    },
    form: Type.Object({ password: Type.String() }),
    needs: { password: 'Enter a new password.' },
    async act(request, { password }) {
      const link = await findLink(app, 'reset-password', request.param('token'));
      if (!link) return brokenLink('one hour');
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
