import { Type } from 'typebox';
import { t } from '../../../language/text.ts';
import { timestamp } from '../../../platform/clock.ts';
import { invalidField } from '../../../platform/failure.ts';
import { sendChangeEmailVerification, sendPasswordReset } from '../../../users/sign-in/account-links.ts';
import { hasPassword } from '../../../users/sign-in/sign-in.ts';
import { maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import { sendSmsCode } from '../../../users/sign-in/verify-codes.ts';
import { updateOwnContact, updatePassword, updateUser } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Field, PasswordField } from '../../parts/field.tsx';
import { EncryptedCookie } from '../../sessions/cookies.ts';
import { endOtherSessions, keepSession } from '../../sessions/sessions.ts';
import { brokenLink, confirmLinkView, findLink } from '../sign-in/account-links.tsx';
import { DemoMessage, findDemoMessage } from '../sign-in/demo-message.tsx';
import { passwordHint, refuseWeakPassword } from '../sign-in/new-password.ts';
import { checkCode, readCode } from '../sign-in/sign-in-steps.ts';
import {
  CurrentPassword,
  changePage,
  checkOwnPassword,
  choosePasswordPath,
  currentPassword,
  needsPassword,
  withPassword,
} from './change-page.tsx';

const pendingNumber = new EncryptedCookie<{ user_id: string; number: string; message_id: string | undefined }>(
  'change',
);

export function profilePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/account/name', {
    who: 'signed-in',
    below: 'Your account',
    name: t('Your name'),
    show: ({ visitor }, formState) =>
      changePage(
        t('Your name'),
        t('Save'),
        <Field
          formState={formState}
          name="name"
          label={t('Your name')}
          value={visitor.user.name}
          autocomplete="name"
        />,
      ),
    form: Type.Object({ name: Type.String({ format: 'user-name', maxLength: 255 }) }),
    needs: { name: t('Enter your name.') },
    async act({ visitor }, { name }) {
      await updateUser(app, visitor.user.id, { name });
      return { to: '/account', notice: t('Name changed.') };
    },
  });

  pages.add('/account/email', {
    who: 'signed-in',
    below: 'Your account',
    name: t('Your email address'),
    show: (request, formState) =>
      withPassword(
        app,
        request,
        changePage(
          t('Email address'),
          t('Continue'),
          <>
            <Field
              formState={formState}
              name="email_address"
              label={t('New email address')}
              hint={t('We will send a link there. Your address changes when you open it.')}
              type="email"
              autocomplete="email"
            />
            <CurrentPassword formState={formState} />
          </>,
        ),
      ),
    form: Type.Object({
      email_address: Type.String({ format: 'email', maxLength: 255 }),
      current_password: currentPassword,
    }),
    needs: { email_address: t('Enter the new email address.'), ...needsPassword },
    async act({ visitor }, form) {
      await checkOwnPassword(app, visitor.user.id, form);
      if (!(await sendChangeEmailVerification(app, visitor.user.id, form.email_address))) {
        throw invalidField(
          'email_address',
          t('We have already sent 3 links. Use the latest one, or try again in an hour.'),
        );
      }
      return {
        to: '/account',
        notice: t('Open the link we sent to {emailAddress}. The link works for an hour.', {
          emailAddress: form.email_address,
        }),
      };
    },
  });

  pages.add('/your-account/email/confirm/:token', {
    who: 'signed-in',
    below: 'Your account',
    async show({ visitor, param }) {
      const link = await findLink(app, 'change-email', param('token'));
      if (link?.user_id !== visitor.user.id) return brokenLink('change-email');
      return confirmLinkView(
        t('Change your email address'),
        t('Select Continue to sign in with {email} from now on.', { email: link.email }),
      );
    },
    form: Type.Object({}),
    async act({ visitor, param }) {
      const link = await findLink(app, 'change-email', param('token'));
      if (link?.user_id !== visitor.user.id) return brokenLink('change-email');
      const email_access_validated_at = timestamp(app.clock.now());
      await updateOwnContact(app, visitor.user.id, { email_address: link.email, email_access_validated_at });
      return { to: '/account', notice: t('Email address changed.') };
    },
  });

  pages.add('/account/mobile', {
    who: 'signed-in',
    below: 'Your account',
    name: t('Your mobile number'),
    show: (request, formState) =>
      withPassword(
        app,
        request,
        changePage(
          t('Mobile number'),
          t('Continue'),
          <>
            <Field
              formState={formState}
              name="mobile_number"
              label={t('New mobile number')}
              hint={t('We will send a security code there.')}
              type="tel"
              autocomplete="tel"
            />
            <CurrentPassword formState={formState} />
          </>,
        ),
      ),
    form: Type.Object({
      mobile_number: Type.String({ format: 'user-mobile-number' }),
      current_password: currentPassword,
    }),
    needs: { mobile_number: t('Enter the new mobile number.'), ...needsPassword },
    async act({ visitor, reply }, form) {
      await checkOwnPassword(app, visitor.user.id, form);
      const message_id = await sendSmsCode(app, visitor.user.id, { for: 'new-number', to: form.mobile_number });
      pendingNumber.set(app, reply, { user_id: visitor.user.id, number: form.mobile_number, message_id });
      return { to: '/account/mobile/confirm' };
    },
  });

  pages.add('/account/mobile/confirm', {
    who: 'signed-in',
    below: 'Your account',
    async show({ visitor, http: request }, formState) {
      const pending = pendingNumber.read(app, request);
      if (pending?.user_id !== visitor.user.id) return { to: '/account/mobile' };
      const demo = await findDemoMessage(app, request, pending.message_id);
      return changePage(
        t('Confirm your number'),
        t('Save'),
        <>
          {demo && <DemoMessage text={demo} action={t('Open the link')} />}
          <Field
            formState={formState}
            name="code"
            label={t('Security code')}
            hint={t('We sent 5 digits to {number}.', { number: pending.number })}
            inputmode="numeric"
            autocomplete="one-time-code"
            short
            code
          />
        </>,
      );
    },
    form: Type.Object({ code: Type.String({ maxLength: 20 }) }),
    needs: { code: t('Enter the security code.') },
    async act({ visitor, http: request, reply }, form) {
      const pending = pendingNumber.read(app, request);
      if (pending?.user_id !== visitor.user.id) return { to: '/account/mobile' };
      await checkCode(app, visitor.user.id, {
        code: readCode(form.code),
        code_type: 'sms',
        purpose: { for: 'new-number', to: pending.number },
      });
      await updateOwnContact(app, visitor.user.id, { mobile_number: pending.number });
      pendingNumber.clear(app, reply);
      return { to: '/account', notice: t('Mobile number changed.') };
    },
  });

  pages.add(choosePasswordPath, {
    who: 'signed-in',
    below: 'Your account',
    // The form is on the pages that ask for a password.
    show: () => ({ to: '/account/password' }),
    form: Type.Object({}),
    async act({ visitor: { user } }) {
      if ((await hasPassword(app.db, user.id)) || !maySignInLocally(app.config, user))
        return { to: '/account/password' };
      await sendPasswordReset(app, { email: user.email_address });
      return {
        to: '/account',
        notice: t('Open the link we sent to {emailAddress}. The link works for an hour.', {
          emailAddress: user.email_address,
        }),
      };
    },
  });

  pages.add('/account/password', {
    who: 'signed-in',
    below: 'Your account',
    name: t('Password'),
    show: (request, formState) =>
      withPassword(
        app,
        request,
        changePage(
          t('Password'),
          t('Save'),
          <>
            <CurrentPassword formState={formState} />
            <PasswordField
              formState={formState}
              name="password"
              label={t('New password')}
              hint={passwordHint}
              autocomplete="new-password"
            />
          </>,
        ),
      ),
    form: Type.Object({ current_password: currentPassword, password: Type.String() }),
    needs: { ...needsPassword, password: t('Enter a new password.') },
    async act({ visitor: { user, session } }, form) {
      refuseWeakPassword(form.password);
      await checkOwnPassword(app, user.id, form);
      if (form.password === form.current_password)
        throw invalidField('password', t('Enter a password that is not your current one.'));
      await keepSession(app, session.id, await updatePassword(app, user.id, form.password));
      await endOtherSessions(app, user.id, session.id);
      return { to: '/account', notice: t('Password changed. Other devices signed out.') };
    },
  });
}
