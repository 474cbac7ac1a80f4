import { Type } from 'typebox';
import { hasPlatformAdmin } from '../../../users/create-admin.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { nextPage } from '../../next-page.ts';
import type { Pages } from '../../page.ts';
import { Notice } from '../../parts/notice.tsx';
import { endSession } from '../../sessions/sessions.ts';
import { forgetSession } from '../../sessions/visitor.ts';
import { askToConfirm, beginSecondStep, checkPassword } from './sign-in-steps.ts';
import { WaysToSignIn } from './ways-to-sign-in.tsx';

export function signInPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/sign-in', {
    who: 'anyone',
    async show(request, formState) {
      if (request.visitor) return { to: nextPage(request.query('next')) };
      const isNew = !(await hasPlatformAdmin(app));
      return {
        title: 'Sign in',
        content: (
          <>
            {isNew && (
              <div class="lead">
                <Notice>
                  This Pennypost has no administrator yet. <a href="/console/start">Set it up</a>
                </Notice>
              </div>
            )}
            <WaysToSignIn settings={app.config.singleSignOn} next={request.query('next')} formState={formState} />
            <p class="small muted">Invited? Open the link in your invitation.</p>
          </>
        ),
      };
    },
    form: Type.Object({ email_address: Type.String({ format: 'email' }), password: Type.String({ maxLength: 1_000 }) }),
    needs: { email_address: 'Enter your email address.', password: 'Enter your password.' },
    async act(request, form) {
      const user = await checkPassword(app, request.http, form);
      if (user.state === 'pending') return askToConfirm(app, user);
      return beginSecondStep(app, request, user, { next: nextPage(request.query('next')) });
    },
  });

  pages.add('/sign-out', {
    who: 'anyone',
    show: () => ({ to: '' }),
    form: Type.Object({}),
    async act({ visitor, reply }) {
      if (visitor) await endSession(app, visitor.user.id, visitor.session.id);
      forgetSession(app, reply);
      return { to: '/sign-in', notice: 'You are signed out.' };
    },
  });
}
