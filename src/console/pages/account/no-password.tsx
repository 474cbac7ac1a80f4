import { hasPassword } from '../../../users/sign-in/sign-in.ts';
import { maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, View } from '../../page.ts';

export const choosePasswordPath = '/account/choose-password';

/** A page that asks for the password; people without one learn how to get it, or why they need none. */
export async function withPassword(
  app: ConsoleApp,
  { visitor: { user } }: Pick<PageRequest<'signed-in'>, 'visitor'>,
  view: View,
): Promise<View> {
  if (await hasPassword(app, user.id)) return view;
  const { title, crumbs } = view;
  const frame = { title, ...(crumbs ? { crumbs } : {}) };
  if (!maySignInLocally(app.config, user)) {
    return {
      ...frame,
      lead: 'You sign in with single sign-on, and your account has no password.',
      content: (
        <p class="measure">
          Your address and how you sign in are managed there. To change them, ask the people who run the single sign-on,
          or a platform administrator.
        </p>
      ),
    };
  }
  return {
    ...frame,
    lead: 'This asks for your password. You sign in with single sign-on, and your account has none yet.',
    content: (
      <form class="stack measure" method="post" action={`/console${choosePasswordPath}`}>
        <p>We send a link to {user.email_address}. With it you choose a password; then come back here.</p>
        <div class="row">
          <button class="button button--primary" type="submit">
            Send the link
          </button>
          <a class="button button--quiet" href="/console/account">
            Cancel
          </a>
        </div>
      </form>
    ),
  };
}
