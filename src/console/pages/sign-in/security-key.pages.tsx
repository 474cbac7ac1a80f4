import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { beginKeySignIn, hasKeysHere, signInWithKey } from '../../../users/sign-in/security-keys.ts';
import type { UserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { FormState, Pages, View } from '../../page.ts';
import { TouchKey } from '../../parts/form.tsx';
import { again } from './second-step.pages.tsx';
import { beginMessageStep, completeSignIn, findPendingSignIn } from './sign-in-steps.ts';

const path = '/sign-in/security-key';

/** A security key as the second step of a sign-in. */
export function securityKeyPages(pages: Pages, app: ConsoleApp): void {
  const findPending = (request: { http: Parameters<typeof findPendingSignIn>[1] }) =>
    findPendingSignIn(app, request.http, ['key']);

  pages.add(path, {
    who: 'anyone',
    async show(request, formState) {
      const found = await findPending(request);
      if (!found) return again;
      return (await hasKeysHere(app, found.user.id)) ? touchView(found.user, formState) : noKeyHere;
    },
    form: Type.Object({ response: Type.String({ maxLength: 20_000 }) }),
    needs: { response: t('Press the button, then touch your security key.') },
    async act(request, { response }) {
      const found = await findPending(request);
      if (!found) return again;
      await signInWithKey(app, found.user.id, response);
      return completeSignIn(app, request, found.pending);
    },
  });

  pages.add(`${path}/options`, {
    who: 'anyone',
    show: () => ({ to: path }),
    form: Type.Object({}),
    async act(request) {
      const found = await findPending(request);
      if (!found) return again;
      return { sent: request.reply.send(await beginKeySignIn(app, found.user.id)) };
    },
  });

  pages.add('/sign-in/other-way', {
    who: 'anyone',
    show: () => ({ to: path }),
    form: Type.Object({}),
    async act(request) {
      const found = await findPending(request);
      if (!found) return again;
      const { pending, user } = found;
      if (user.auth_type === 'webauthn_auth') return { to: path };
      return beginMessageStep(app, request, user, pending);
    },
  });
}

function touchView(user: UserRecord, formState: FormState): View {
  return {
    title: t('Use your security key'),
    lead: t('Plug in your key or hold it near, press the button, then touch the key.'),
    frame: 'standalone',
    scripts: ['security-key'],
    content: (
      <>
        <TouchKey formState={formState} task="get" options={`${path}/options`} label={t('Use the key')} />
        <OtherWays user={user} />
      </>
    ),
  };
}

function OtherWays({ user }: { user: UserRecord }) {
  if (user.auth_type === 'webauthn_auth') {
    return (
      <p class="small muted">
        <T>
          Lost your key? Use another one of yours, or ask a platform administrator to change how you sign in.{' '}
          <a href={pageUrl('/sign-in')}>Start again</a>
        </T>
      </p>
    );
  }
  return (
    <form class="row small muted" method="post" action={pageUrl('/sign-in/other-way')}>
      <span>{t('Do you not have your key with you?')}</span>
      <button class="button button--quiet button--small" type="submit">
        {user.auth_type === 'sms_auth' ? t('Send a text code') : t('Send an email link')}
      </button>
      <a href={pageUrl('/sign-in')}>{t('Start again')}</a>
    </form>
  );
}

/** For people whose keys belong to another front end, or to another host name of this server. */
const noKeyHere: View = {
  title: t('Your security key does not work here'),
  lead: t('Your key was added in another front end, or at another address of this Pennypost.'),
  frame: 'standalone',
  content: (
    <>
      <p>{t('Ask a platform administrator to change how you sign in. Then add a key in your account.')}</p>
      <p class="small">
        <a href={pageUrl('/sign-in')}>{t('Sign in as another person')}</a>
      </p>
    </>
  ),
};
