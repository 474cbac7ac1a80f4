import { themeOf } from '../layout/theme.ts';
import type { Pages } from '../pages.ts';
import { Summary } from '../parts/summary.tsx';

const themeNames = { system: 'As the device', light: 'Light', dark: 'Dark' };

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
              { label: 'Name', value: user.name },
              { label: 'Email address', value: user.email_address },
              { label: 'Mobile number', value: user.mobile_number ?? 'None' },
              { label: 'Theme', value: themeNames[themeOf(request)], change: '/account/theme' },
            ]}
          />
        </section>
      ),
    }),
  });
}
