import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
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
import { brokenLink, confirmLinkView, findLink } from './account-links.tsx';
import { passwordHint, refuseWeakPassword } from './new-password.ts';
import { beginSecondStep, completeSignIn } from './sign-in-steps.ts';

/** Longer than sending takes, so that the response time does not reveal whether the address has an account. */
const answersAfter_ms = 200;

export function passwordPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/forgot-password', {
    who: 'anyone',
    show: (_asked, formState) => ({
      title: t('New password'),
      lead: t('We will send you a link to choose a new password.'),
      frame: 'standalone',
      content: (
        <form class="stack" method="post" noValidate>
          <Field
            formState={formState}
            name="email_address"
            label={t('Email address')}
            type="email"
            autocomplete="username"
          />
          <div class="row">
            <button class="button button--primary" type="submit">
              {t('Send the link')}
            </button>
            <a class="small" href={pageUrl('/sign-in')}>
              {t('Back')}
            </a>
          </div>
        </form>
      ),
    }),
    form: Type.Object({ email_address: Type.String({ format: 'email' }) }),
    needs: { email_address: t('Enter your email address.') },
    async act(_asked, { email_address }) {
      await Promise.all([sendIfKnown(app, email_address), sleep(answersAfter_ms)]);
      return {
        title: t('Check your inbox'),
        lead: t('If {emailAddress} has an account, we have sent a link there. The link works for an hour.', {
          emailAddress: email_address,
        }),
        frame: 'standalone',
        content: (
          <p class="small muted">
            <T>
              Nothing arrived? Check the address, then <a href={pageUrl('/forgot-password')}>try again</a>.
            </T>
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
        title: t('Choose a new password'),
        lead: t('For {email}. You will be signed out on all devices.', { email: link.email }),
        frame: 'standalone',
        content: (
          <form class="stack" method="post" noValidate>
            <PasswordField
              formState={formState}
              name="password"
              label={t('New password')}
              hint={passwordHint}
              autocomplete="new-password"
            />
            <Submit>{t('Continue')}</Submit>
          </form>
        ),
      };
    },
    form: Type.Object({ password: Type.String() }),
    needs: { password: t('Enter a new password.') },
    async act(request, { password }) {
      const link = await findLink(app, 'reset-password', request.param('token'));
      if (!link) return brokenLink('reset-password');
      refuseWeakPassword(password);
      const user = await getUserByEmail(app, link.email);
      // Opening the link has proved the address. People who sign in with a link need no second one.
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
      title: t('Check your inbox'),
      lead: t('Your account is not confirmed yet. Open the link we sent you. The link works for an hour.'),
      frame: 'standalone',
      content: (
        <p class="small muted">
          <T>
            Nothing arrived? <a href={pageUrl('/sign-in')}>Sign in again</a> and we will send another.
          </T>
        </p>
      ),
    }),
  });

  pages.add('/verify-email/:token', {
    who: 'anyone',
    async show({ param }) {
      const link = await findLink(app, 'verify-email', param('token'));
      if (!link) return brokenLink('verify-email');
      return confirmLinkView(
        t('Confirm your address'),
        t('Select Continue to confirm that {email} is yours.', { email: link.email }),
      );
    },
    form: Type.Object({}),
    async act(request) {
      const link = await findLink(app, 'verify-email', request.param('token'));
      const user = link && (await getUserRecord(app.db, link.user_id));
      if (!user || user.email_address !== link.email || user.state === 'inactive') return brokenLink('verify-email');
      if (user.state === 'active') return { to: '/sign-in', notice: t('Address confirmed. Sign in.') };
      const more = { next: '', activates: true } as const;
      if (user.auth_type !== 'email_auth') return beginSecondStep(app, request, user, more);
      return completeSignIn(app, request, { ...more, user_id: user.id, step: 'email' });
    },
  });
}
