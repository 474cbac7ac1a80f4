import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { Failure } from '../../../platform/failure.ts';
import { getUserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { nextPage, pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Submit } from '../../parts/form.tsx';
import { Live, sendFragment } from '../../parts/live.tsx';
import { maskedNumber } from '../../parts/phone-number.ts';
import { brokenLink, confirmLinkView, findLink } from './account-links.tsx';
import { DemoMessage, findDemoMessage } from './demo-message.tsx';
import {
  checkCode,
  completeSignIn,
  findPendingSignIn,
  pageOf,
  pendingSignIn,
  readCode,
  sendStep,
} from './sign-in-steps.ts';

/** The first step has expired, or another sign-in was started since. */
export const again = { to: '/sign-in', notice: t('Sign in again. That took longer than 30 minutes.') };

/** A person who opens a link that somebody else requested would work in the other account without noticing. */
const notBegunHere = t(
  'This sign-in was not started in this browser. Continue only if you asked for the link yourself, on another device. If another person sent it to you, close this page: you would be signed in to their account.',
);

export function secondStepPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/sign-in/code', {
    who: 'anyone',
    async show({ http: request }, formState) {
      const found = await findPendingSignIn(app, request, ['text']);
      if (!found) return again;
      const { pending, user } = found;
      const demo = await findDemoMessage(app, request, pending.message_id);
      return {
        title: t('Check your phone'),
        lead: t('We sent a text message with a security code to {number}.', {
          number: maskedNumber(user.mobile_number ?? ''),
        }),
        content: (
          <>
            {demo && <DemoMessage text={demo} action={t('Open the link')} />}
            <form class="stack" method="post" noValidate>
              <Field
                formState={formState}
                name="code"
                label={t('Security code')}
                hint={t('The code has 5 digits and works for 30 minutes.')}
                inputmode="numeric"
                autocomplete="one-time-code"
                short
                code
              />
              <Submit>{t('Continue')}</Submit>
            </form>
            <SendAgain />
          </>
        ),
      };
    },
    form: Type.Object({ code: Type.String({ maxLength: 20 }) }),
    needs: { code: t('Enter the security code.') },
    async act(request, form) {
      const found = await findPendingSignIn(app, request.http, ['text']);
      if (!found) return again;
      await checkCode(app, found.user.id, { code: readCode(form.code), code_type: 'sms', purpose: { for: 'sign-in' } });
      return completeSignIn(app, request, found.pending);
    },
  });

  pages.add('/sign-in/inbox', {
    who: 'anyone',
    async show({ http: request, visitor }) {
      const found = await findPendingSignIn(app, request, ['email', 'proof']);
      if (!found) return visitor ? { to: '' } : again;
      const { pending, user } = found;
      const demo = await findDemoMessage(app, request, pending.message_id);
      return {
        title: t('Check your inbox'),
        lead: t('We sent a link to {emailAddress}. The link works for 30 minutes.', {
          emailAddress: maskedEmail(user.email_address),
        }),
        content: (
          <>
            {demo && <DemoMessage text={demo} action={t('Sign in with that link')} />}
            {pending.step === 'proof' && (
              <p class="lead">{t('We ask for this every 90 days to check that the address is still yours.')}</p>
            )}
            <Live from={pageUrl('/sign-in/inbox/state')}>
              <WaitingForLink isSignedIn={false} />
            </Live>
            <SendAgain />
          </>
        ),
        frame: 'standalone',
      };
    },
  });

  pages.add('/sign-in/inbox/state', {
    who: 'anyone',
    live: true,
    show: ({ http: request, reply, visitor }) =>
      sendFragment(request, reply, <WaitingForLink isSignedIn={visitor !== undefined} />),
  });

  pages.add('/sign-in/again', {
    who: 'anyone',
    show: () => ({ to: '/sign-in' }),
    form: Type.Object({}),
    async act({ http: request, reply }) {
      const found = await findPendingSignIn(app, request, ['text', 'email', 'proof']);
      if (!found) return again;
      const { pending } = found;
      const message_id = await sendStep(app, pending);
      pendingSignIn.set(app, reply, { ...pending, message_id: message_id ?? pending.message_id });
      const notice = message_id ? t('Sent again.') : t('We have already sent several. Use the latest one.');
      return { to: pageOf(pending.step), notice };
    },
  });

  pages.add('/email-auth/:token', {
    who: 'anyone',
    // Mail scanners open links, so only the button signs in.
    async show(request) {
      const link = await findLink(app, 'email-auth', request.param('token'));
      if (!link) return brokenLink('email-auth');
      const user = await getUserRecord(app.db, link.user_id);
      const isExpected = (await findPendingSignIn(app, request.http))?.user.id === user.id;
      const lead = t('Select Continue to sign in on this device as {emailAddress}.', {
        emailAddress: maskedEmail(user.email_address),
      });
      return confirmLinkView(t('Sign in'), lead, isExpected ? undefined : notBegunHere);
    },
    form: Type.Object({}),
    async act(request) {
      const link = await findLink(app, 'email-auth', request.param('token'));
      if (!link) return brokenLink('email-auth');
      const user = await getUserRecord(app.db, link.user_id);
      const waiting = await findPendingSignIn(app, request.http);
      const pending = waiting?.user.id === user.id ? waiting.pending : undefined;
      // The link proves a correct password only for people who sign in with a link. For others it is the third step.
      if (user.state !== 'active' || (user.auth_type !== 'email_auth' && pending?.step !== 'proof'))
        return brokenLink('email-auth');
      try {
        await checkCode(app, user.id, { code: link.secret_code, code_type: 'email', purpose: { for: 'sign-in' } });
      } catch (error) {
        if (error instanceof Failure && error.kind === 'invalid') return brokenLink('email-auth');
        throw error;
      }
      const next = nextPage(request.query('next'));
      return completeSignIn(app, request, { next, ...pending, user_id: user.id, step: pending?.step ?? 'email' });
    },
  });
}

function WaitingForLink({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <p class="small" role="status" data-live={isSignedIn ? undefined : true}>
      {isSignedIn ? (
        <T>
          You are signed in. <a href={pageUrl('')}>Continue</a>
        </T>
      ) : (
        t('Open the link on any device. Keep this page open.')
      )}
    </p>
  );
}

function SendAgain() {
  return (
    <form class="row small muted" method="post" action={pageUrl('/sign-in/again')}>
      <span>{t('Nothing arrived?')}</span>
      <button class="button button--quiet button--small" type="submit">
        {t('Send it again')}
      </button>
      <a href={pageUrl('/sign-in')}>{t('Start again')}</a>
    </form>
  );
}

/** Shows enough to recognise the address, but not to learn it. */
function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}••${address.slice(at)}`;
}
