import { hasPassword } from '../../../users/sign-in/sign-in.ts';
import { hasSingleSignOn, maySignInLocally } from '../../../users/sign-in/single-sign-on/single-sign-on.ts';
import type { UserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { themeOf } from '../../layout/document.tsx';
import type { Pages } from '../../page.ts';
import { shownNumber } from '../../parts/phone-number.ts';
import { Summary } from '../../parts/table.tsx';

const themeNames = { system: 'Same as device', light: 'Light', dark: 'Dark' };
const ways = {
  sms_auth: 'Password and text code',
  email_auth: 'Password and email link',
  webauthn_auth: 'Password and security key',
};
const waysBesideIssuer = {
  sms_auth: 'Single sign-on, or password and text code',
  email_auth: 'Single sign-on, or password and email link',
  webauthn_auth: 'Single sign-on, or password and security key',
};

export function accountPages(pages: Pages, app: ConsoleApp): void {
  async function waysOf(user: UserRecord): Promise<string> {
    const hasIssuer = app.config.singleSignOn.issuer !== undefined && (await hasSingleSignOn(app.db, user.id));
    if (!hasIssuer) return ways[user.auth_type];
    return maySignInLocally(app.config, user) ? waysBesideIssuer[user.auth_type] : 'Single sign-on';
  }

  pages.add('/account', {
    who: 'signed-in',
    menu: 'Your account',
    show: async ({ visitor: { user }, viewer, http: request }) => ({
      title: 'Your account',
      content: (
        <section class="card measure" aria-label="Your account">
          <Summary
            rows={[
              { label: 'Name', value: user.name, change: '/account/name' },
              { label: 'Email address', value: user.email_address, change: '/account/email' },
              {
                label: 'Mobile number',
                value: shownNumber(app.country.phone, user.mobile_number),
                change: '/account/mobile',
              },
              {
                label: 'Password',
                value: (await hasPassword(app.db, user.id)) ? 'Hidden' : 'None',
                change: '/account/password',
              },
              { label: 'Signing in', value: await waysOf(user) },
              { label: 'Security keys', value: 'Keys that you sign in with', change: '/account/security-keys' },
              { label: 'Devices', value: 'Where you are signed in', change: '/account/devices' },
              { label: 'Language and time', value: viewer.zoneName, change: '/account/language-and-time' },
              { label: 'Theme', value: themeNames[themeOf(request)], change: '/account/theme' },
            ]}
          />
        </section>
      ),
    }),
  });
}
