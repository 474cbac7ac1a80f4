import { t } from '../../../language/text.ts';
import { hasPassword } from '../../../users/sign-in/sign-in.ts';
import { hasSingleSignOn, maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import type { UserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { themeOf } from '../../layout/document.tsx';
import type { Pages } from '../../page.ts';
import { shownNumber } from '../../parts/phone-number.ts';
import { Summary } from '../../parts/table.tsx';

const themeNames = { system: t('Same as device'), light: t('Light'), dark: t('Dark') };
const methods = {
  sms_auth: t('Password and text code'),
  email_auth: t('Password and email link'),
  webauthn_auth: t('Password and security key'),
};
const methodsWithSingleSignOn = {
  sms_auth: t('Single sign-on, or password and text code'),
  email_auth: t('Single sign-on, or password and email link'),
  webauthn_auth: t('Single sign-on, or password and security key'),
};

export function accountPages(pages: Pages, app: ConsoleApp): void {
  async function methodsOf(user: UserRecord): Promise<string> {
    const hasIssuer = app.config.singleSignOn.issuer !== undefined && (await hasSingleSignOn(app.db, user.id));
    if (!hasIssuer) return methods[user.auth_type];
    return maySignInLocally(app.config, user) ? methodsWithSingleSignOn[user.auth_type] : t('Single sign-on');
  }

  pages.add('/account', {
    who: 'signed-in',
    menu: 'Your account',
    show: async ({ visitor: { user }, viewer, http: request }) => ({
      title: t('Your account'),
      content: (
        <section class="card measure" aria-label={t('Your account')}>
          <Summary
            rows={[
              { label: t('Name'), value: user.name, change: '/account/name' },
              { label: t('Email address'), value: user.email_address, change: '/account/email' },
              {
                label: t('Mobile number'),
                value: shownNumber(app.country.phone, user.mobile_number),
                change: '/account/mobile',
              },
              {
                label: t('Password'),
                value: (await hasPassword(app.db, user.id)) ? t('Hidden') : t('None'),
                change: '/account/password',
              },
              { label: t('Signing in'), value: await methodsOf(user) },
              { label: t('Security keys'), value: t('Keys that you sign in with'), change: '/account/security-keys' },
              { label: t('Devices'), value: t('Where you are signed in'), change: '/account/devices' },
              { label: t('Language and time'), value: viewer.zoneName, change: '/account/language-and-time' },
              { label: t('Theme'), value: themeNames[themeOf(request)], change: '/account/theme' },
            ]}
          />
        </section>
      ),
    }),
  });
}
