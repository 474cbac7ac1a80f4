import type { ComponentChildren } from 'preact';
import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { type Text, t } from '../../../language/text.ts';
import { Failure, invalidField } from '../../../platform/failure.ts';
import { hasPassword, verifyPassword } from '../../../users/sign-in/sign-in.ts';
import { maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { FormState, PageRequest, View } from '../../page.ts';
import { PasswordField } from '../../parts/field.tsx';
import { SaveForm, Submit } from '../../parts/form.tsx';

export const currentPassword = Type.String({ maxLength: 1_000 });
export const needsPassword = { current_password: t('Enter your current password.') };

/** A page that changes one setting of the account. `back` is the target of Cancel. */
export function changePage(title: Text, action: Text, fields: ComponentChildren, back = '/account'): View {
  return {
    title,
    crumbs: [{ label: t('Your account'), to: '/account' }],
    content: (
      <SaveForm back={back} action={action}>
        {fields}
      </SaveForm>
    ),
  };
}

export function CurrentPassword({ formState }: { formState: FormState }) {
  return (
    <PasswordField
      formState={formState}
      name="current_password"
      label={t('Current password')}
      autocomplete="current-password"
    />
  );
}

/** Required before a change that could be used to take over the account. Wrong passwords count as in the sign-in. */
export async function checkOwnPassword(
  app: ConsoleApp,
  userId: string,
  form: { current_password: string },
): Promise<void> {
  if (!(await hasPassword(app.db, userId))) {
    throw invalidField('current_password', t('Your account has no password. Choose one first.'));
  }
  try {
    await verifyPassword(app, userId, form.current_password);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid') {
      throw invalidField('current_password', t('That is not your current password. Try again.'));
    }
    throw error;
  }
}

export const choosePasswordPath = '/account/choose-password';

/** A page that asks for the password. People without one see how to get it, or why they need none. */
export async function withPassword(
  app: ConsoleApp,
  { visitor: { user } }: Pick<PageRequest<'signed-in'>, 'visitor'>,
  view: View,
): Promise<View> {
  if (await hasPassword(app.db, user.id)) return view;
  const { title, crumbs } = view;
  const frame = { title, ...(crumbs ? { crumbs } : {}) };
  if (!maySignInLocally(app.config, user)) {
    return {
      ...frame,
      lead: t('You sign in with single sign-on, and your account has no password.'),
      content: (
        <p class="measure">
          {t(
            'Your address and how you sign in are managed there. To change them, ask the people who run the single sign-on, or a platform administrator.',
          )}
        </p>
      ),
    };
  }
  return {
    ...frame,
    lead: t('You need a password to change this. You sign in with single sign-on, and your account has none yet.'),
    content: (
      <form class="stack measure" method="post" action={pageUrl(choosePasswordPath)}>
        <p>
          <T>
            We will send a link to {{ emailAddress: user.email_address }}. Open it to choose a password, then come back
            here.
          </T>
        </p>
        <Submit back="/account">{t('Send the link')}</Submit>
      </form>
    ),
  };
}
