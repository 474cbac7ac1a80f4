import { Type } from 'typebox';
import { isSandboxInUse } from '../../../delivery/sandbox/sandbox.ts';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { readDemo } from '../../../operations/demo.ts';
import { invalidField } from '../../../platform/failure.ts';
import { joinService } from '../../../services/members/service-members.ts';
import { createAdminWithPassword, hasPlatformAdmin } from '../../../users/create-admin.ts';
import { creatorPermissions } from '../../../users/members/permissions.ts';
import { findOperatorLink, signInWithOperatorLink } from '../../../users/sign-in/operator-links.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages, View } from '../../page.ts';
import { Field, PasswordField } from '../../parts/field.tsx';
import { ButtonLink, Submit } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { signIn } from '../../sessions/sessions.ts';
import { brokenLink, confirmLinkView } from '../sign-in/account-links.tsx';
import { passwordHint, refuseWeakPassword } from '../sign-in/new-password.ts';
import { SetUpTries } from './set-up.ts';

export function startPages(pages: Pages, app: ConsoleApp): void {
  const tries = new SetUpTries(app);

  pages.add('/start', {
    who: 'anyone',
    async show(_asked, formState) {
      if (await hasPlatformAdmin(app.db)) return alreadySetUp;
      return {
        title: t('Set up this Pennypost'),
        lead: t('Create the first account. It has full access and can invite other people.'),
        frame: 'standalone',
        scripts: ['start'],
        content: (
          <>
            <form class="stack" method="post" noValidate>
              <Field
                formState={formState}
                name="code"
                label={t('Set-up code')}
                hint={
                  <T>
                    Filled in from your link. Or run <code>pennypost console-link</code> on the server.
                  </T>
                }
                autocomplete="off"
                code
              />
              <Field formState={formState} name="name" label={t('Your name')} autocomplete="name" />
              <Field
                formState={formState}
                name="email_address"
                label={t('Email address')}
                type="email"
                autocomplete="username"
              />
              <PasswordField
                formState={formState}
                name="password"
                label={t('Password')}
                hint={passwordHint}
                autocomplete="new-password"
              />
              <Submit>{t('Create account')}</Submit>
            </form>
            <div class="lead">
              <Notice>
                {t('This page stops working once the first account exists.')}
                {isSandboxInUse(app.config) && <> {t('Nothing leaves this machine while the sandbox is on.')}</>}
              </Notice>
            </div>
          </>
        ),
      };
    },
    form: Type.Object({
      code: Type.String({ maxLength: 100 }),
      name: Type.String({ format: 'user-name', maxLength: 255 }),
      email_address: Type.String({ format: 'email', maxLength: 255 }),
      password: Type.String(),
    }),
    needs: {
      code: t('Enter the set-up code.'),
      name: t('Enter your name.'),
      email_address: t('Enter your email address.'),
      password: t('Enter a password.'),
    },
    check: (_request, { password }) => password !== undefined && refuseWeakPassword(password),
    async act({ http: request, reply }, { code, ...admin }) {
      if (await hasPlatformAdmin(app.db)) return alreadySetUp;
      if (!tries.isRight(code))
        throw invalidField(
          'code',
          t('That set-up code is wrong. Check the link, or run pennypost console-link on the server.'),
        );
      const user = await createAdminWithPassword(app, admin);
      const home = await joinDemo(app, user.id);
      await signIn(app, user, request, reply);
      return { to: home, notice: t('Your account is ready. You are signed in.') };
    },
  });
}

/** People may open the set-up link again, because it stays in the terminal. */
const alreadySetUp: View = {
  title: t('This Pennypost is set up'),
  lead: t('The first account exists. Use it, or ask for an invitation.'),
  status: 404,
  frame: 'standalone',
  content: (
    <p>
      <ButtonLink to="/sign-in" look="primary">
        {t('Sign in')}
      </ButtonLink>
    </p>
  ),
};

/** Adds the first administrator of a demo to its service. */
async function joinDemo(app: ConsoleApp, user_id: string): Promise<string> {
  const demo = app.config.demo.enabled ? readDemo(app.config.storage.dataDir) : undefined;
  if (!demo) return '';
  const permissions = [...creatorPermissions];
  await joinService(app, { service_id: demo.service_id, user_id }, { permissions, folder_permissions: [] });
  return `/services/${demo.service_id}/quick-start`;
}

/** The page of `pennypost console-link --for`. */
export function operatorLinkPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/link/:token', {
    who: 'anyone',
    async show({ param }) {
      const user = await findOperatorLink(app, param('token'));
      if (!user) return brokenLink('operator');
      return confirmLinkView(
        t('Sign in'),
        t('Select Continue to sign in on this device as {emailAddress}.', { emailAddress: user.email_address }),
      );
    },
    form: Type.Object({}),
    async act({ param, http: request, reply }) {
      const user = await signInWithOperatorLink(app, param('token'));
      if (!user) return brokenLink('operator');
      await signIn(app, user, request, reply);
      return { to: '/account', notice: t('You are signed in. Choose a new password if you have lost yours.') };
    },
  });
}
