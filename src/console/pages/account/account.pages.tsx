import { themeOf } from '../../layout/theme.ts';
import type { Pages } from '../../page.ts';
import { Summary } from '../../parts/summary.tsx';

const themeNames = { system: 'As the device', light: 'Light', dark: 'Dark' };
const methods = { sms_auth: 'Text code', email_auth: 'Email link', webauthn_auth: 'Security key' };

export function accountPages(pages: Pages): void {
  pages.add('/account', {
    who: 'signed-in',
    menu: 'Your account',
    show: ({ visitor: { user }, request }) => ({
      title: 'Your account',
      content: (
        <section class="card measure" aria-label="Your account">
          <Summary
            rows={[
              { label: 'Name', value: user.name, change: '/account/name' },
              { label: 'Email address', value: user.email_address, change: '/account/email' },
              { label: 'Mobile number', value: user.mobile_number ?? 'None', change: '/account/mobile' },
              { label: 'Password', value: 'Hidden', change: '/account/password' },
              { label: 'Signing in', value: `Password and ${methods[user.auth_type].toLowerCase()}` },
              { label: 'Security keys', value: 'Keys that you sign in with', change: '/account/security-keys' },
              { label: 'Devices', value: 'Where you are signed in', change: '/account/devices' },
              { label: 'Theme', value: themeNames[themeOf(request)], change: '/account/theme' },
            ]}
          />
        </section>
      ),
    }),
  });
}
