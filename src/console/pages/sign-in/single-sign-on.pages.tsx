import { t } from '../../../language/text.ts';
import { actAs } from '../../../platform/db/actor.ts';
import {
  createOpenIdIssuer,
  type ExpectedAnswer,
  IssuerProblem,
} from '../../../users/sign-in/single-sign-on/openid.ts';
import {
  neededClaims,
  readIdentity,
  SingleSignOnRefused,
  signInWithIdentity,
} from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import { consoleActor } from '../../access/admission.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { consoleUrl, nextPage, pageUrl } from '../../links.ts';
import type { Pages, View } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { EncryptedCookie } from '../../sessions/cookies.ts';
import { signIn } from '../../sessions/sessions.ts';

const path = '/sign-in/single-sign-on';

/** The sign-in that this browser started at the issuer. Stored in a cookie, so that any process can complete it. */
const startedSignIn = new EncryptedCookie<ExpectedAnswer & { next: string }>('singleSignOn');

/** Uses links instead of forms, because our content security policy allows forms only to our own pages. */
export function singleSignOnPages(pages: Pages, app: ConsoleApp): void {
  const settings = app.config.singleSignOn;
  const issuer = createOpenIdIssuer(app, `${consoleUrl(app.config)}${path}/callback`);

  pages.add(path, {
    who: 'anyone',
    async show(request) {
      const next = nextPage(request.query('next'));
      if (!issuer) return { to: '/sign-in' };
      try {
        const { url, expected } = await issuer.begin();
        startedSignIn.set(app, request.reply, { ...expected, next });
        return { sent: request.reply.redirect(url, 303) };
      } catch (error) {
        return refused(error);
      }
    },
  });

  pages.add(`${path}/callback`, {
    who: 'anyone',
    async show({ http: request, reply }) {
      if (!issuer) return { to: '/sign-in' };
      const expected = startedSignIn.read(app, request);
      startedSignIn.clear(app, reply);
      if (!expected)
        return refusedView(
          t('You did not start to sign in with this browser, or it took longer than 30 minutes.'),
          400,
        );
      try {
        const search = new URL(request.url, app.config.urls.api).search;
        const claims = await issuer.finish(search, expected, neededClaims(settings));
        const identity = readIdentity(settings, claims);
        // This GET request changes something, so it must set the actor for the audit log itself.
        await actAs(consoleActor(app, request), async () => {
          const user = await signInWithIdentity(app, identity, expected.state);
          await signIn(app, user, request, reply);
        });
        return { to: expected.next };
      } catch (error) {
        return refused(error);
      }
    },
  });

  function refused(error: unknown): View {
    if (error instanceof SingleSignOnRefused) {
      app.log.info(
        { event: 'single_sign_on.refused', reason: error.reason },
        'A sign-in with single sign-on was refused',
      );
      return refusedView(error.message, 403);
    }
    if (!(error instanceof IssuerProblem)) throw error;
    const { kind, message: reason } = error;
    app.log.warn({ event: 'single_sign_on.failed', kind, reason }, 'A sign-in with single sign-on failed');
    if (kind === 'unavailable')
      return refusedView(t('We could not reach the sign-in service. Try again in a moment.'), 503);
    if (kind === 'denied') return refusedView(denialText(reason), 403);
    return refusedView(t('We could not use the response of the sign-in service. Start again.'), 400);
  }
}

/** Error codes of OpenID Connect look like this; anything else is not shown. */
function denialText(reason: string): string {
  return /^[a-z_]{1,60}$/.test(reason)
    ? t('The sign-in service refused: {errorName}.', { errorName: reason.replaceAll('_', ' ') })
    : t('The sign-in service refused: unknown reason.');
}

function refusedView(sentence: string, status: number): View {
  return {
    title: t('You are not signed in'),
    lead: sentence,
    status,
    frame: 'standalone',
    content: (
      <p class="row">
        <ButtonLink to={path} look="primary">
          {t('Try again')}
        </ButtonLink>
        <a href={pageUrl('/sign-in')}>{t('Other ways to sign in')}</a>
      </p>
    ),
  };
}
