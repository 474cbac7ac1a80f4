import { Type } from 'typebox';
import { findOperatorLink, signInWithOperatorLink } from '../../../users/sign-in/operator-links.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { signIn } from '../../sessions/visitor.ts';
import { brokenLink, oneMoreClick } from '../sign-in/account-links.tsx';

/** The page of `pennypost console-link --for`. */
export function operatorLinkPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/link/:token', {
    who: 'anyone',
    async show({ param }) {
      const user = await findOperatorLink(app, param('token'));
      if (!user) return brokenLink('30 minutes');
      return oneMoreClick('Sign in', `You are about to sign in as ${user.email_address}.`);
    },
    form: Type.Object({}),
    async act({ param, http: request, reply }) {
      const user = await signInWithOperatorLink(app, param('token'));
      if (!user) return brokenLink('30 minutes');
      await signIn(app, user, request, reply);
      return { to: '/account', notice: 'You are signed in. Choose a new password if you have lost yours.' };
    },
  });
}
