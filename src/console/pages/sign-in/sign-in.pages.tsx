import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { hasPlatformAdmin } from '../../../users/create-admin.ts';
import type { SingleSignOnSettings } from '../../../users/sign-in/single-sign-on/settings.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { nextPage, pageUrl } from '../../links.ts';
import type { FormState, Pages } from '../../page.ts';
import { Field, PasswordField } from '../../parts/field.tsx';
import { ButtonLink } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { endSession, forgetSession } from '../../sessions/sessions.ts';
import { askToConfirm, beginSecondStep, checkPassword } from './sign-in-steps.ts';

export function signInPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/sign-in', {
    who: 'anyone',
    async show(request, formState) {
      if (request.visitor) return { to: nextPage(request.query('next')) };
      const isNew = !(await hasPlatformAdmin(app.db));
      return {
        title: t('Sign in'),
        content: (
          <>
            {isNew && (
              <div class="lead">
                <Notice>
                  <T>
                    This Pennypost has no administrator yet. <a href={pageUrl('/start')}>Set it up</a>
                  </T>
                </Notice>
              </div>
            )}
            <WaysToSignIn settings={app.config.singleSignOn} next={request.query('next')} formState={formState} />
            <p class="small muted">{t('Invited? Open the link in your invitation.')}</p>
          </>
        ),
      };
    },
    form: Type.Object({ email_address: Type.String({ format: 'email' }), password: Type.String({ maxLength: 1_000 }) }),
    needs: { email_address: t('Enter your email address.'), password: t('Enter your password.') },
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
      return { to: '/sign-in', notice: t('You are signed out.') };
    },
  });
}

interface WaysProps {
  settings: SingleSignOnSettings;
  /** The requested page. */
  next: string;
  formState: FormState;
}

/** Single sign-on first, if configured; the password form is collapsed if it is only a fallback. */
function WaysToSignIn({ settings, next, formState }: WaysProps) {
  const { issuer, buttonLabel, localSignIn } = settings;
  if (issuer === undefined) return <PasswordForm formState={formState} isMain />;
  const query = next === '' ? '' : `?${new URLSearchParams({ next })}`;
  return (
    <>
      <p class="row">
        <ButtonLink to={`/sign-in/single-sign-on${query}`} look="primary">
          {buttonLabel}
        </ButtonLink>
      </p>
      {localSignIn === 'everyone' ? (
        <>
          <h2>{t('Or with your password')}</h2>
          <PasswordForm formState={formState} />
        </>
      ) : (
        <details class="more" open={formState.problems.size > 0}>
          <summary>{t('Platform administrators can sign in with a password')}</summary>
          <PasswordForm formState={formState} />
        </details>
      )}
    </>
  );
}

function PasswordForm({ formState, isMain }: { formState: FormState; isMain?: true }) {
  return (
    <form class="stack" method="post" noValidate>
      <Field
        formState={formState}
        name="email_address"
        label={t('Email address')}
        type="email"
        autocomplete="username"
      />
      <PasswordField formState={formState} name="password" label={t('Password')} autocomplete="current-password" />
      <div class="row">
        <button class={isMain ? 'button button--primary' : 'button'} type="submit">
          {t('Sign in')}
        </button>
        <a class="small" href={pageUrl('/forgot-password')}>
          {t('Forgotten your password?')}
        </a>
      </div>
    </form>
  );
}
