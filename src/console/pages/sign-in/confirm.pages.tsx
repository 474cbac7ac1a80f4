import { Type } from 'typebox';
import { getUserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { brokenLink, findLink, oneMoreClick } from './account-links.tsx';
import { beginSecondStep, completeSignIn } from './sign-in-steps.ts';

/** A new account confirms its address, then its number. */
export function confirmPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/sign-in/confirm-address', {
    who: 'anyone',
    show: () => ({
      title: 'Check your inbox',
      lead: 'Your account is not confirmed yet. We sent you a link for that, which works for one hour.',
      frame: 'door',
      content: (
        <p class="small muted">
          Nothing arrived? <a href="/console/sign-in">Sign in again</a>, and we send another.
        </p>
      ),
    }),
  });

  pages.add('/verify-email/:token', {
    who: 'anyone',
    async show({ param }) {
      const link = await findLink(app, 'verify-email', param('token'));
      if (!link) return brokenLink('one hour');
      return oneMoreClick('Confirm your address', `This confirms that ${link.email} is yours.`);
    },
    form: Type.Object({}),
    async act(request) {
      const link = await findLink(app, 'verify-email', request.param('token'));
      const user = link && (await getUserRecord(app.db, link.user_id));
      if (!user || user.email_address !== link.email || user.state === 'inactive') return brokenLink('one hour');
      if (user.state === 'active') return { to: '/sign-in', notice: 'Your address is confirmed. Sign in.' };
      const more = { next: '', activates: true } as const;
      if (user.auth_type !== 'email_auth') return beginSecondStep(app, request, user, more);
      return completeSignIn(app, request, { ...more, user_id: user.id, step: 'email' });
    },
  });
}
