import { Type } from 'typebox';
import { OneOf } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { themeCookie, themeOf, themes } from '../../layout/document.tsx';
import type { Pages } from '../../page.ts';
import { Choices } from '../../parts/field.tsx';
import { Submit } from '../../parts/form.tsx';
import { cookieOptions } from '../../sessions/cookies.ts';

const year_s = 365 * 86_400;

export function themePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/account/theme', {
    who: 'signed-in',
    below: 'Your account',
    name: 'Theme',
    show: ({ http: request }, formState) => ({
      title: 'Theme',
      crumbs: [{ label: 'Your account', to: '/account' }],
      content: (
        <form class="stack measure" method="post">
          <Choices
            formState={formState}
            name="theme"
            legend="Colours on this device"
            kind="one"
            chosen={[themeOf(request)]}
            choices={[
              { value: 'system', label: 'Same as device', hint: 'Light or dark, as set on your device' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
          <Submit>Save</Submit>
        </form>
      ),
    }),
    form: Type.Object({ theme: OneOf(themes) }),
    needs: { theme: 'Choose the colours.' },
    act({ reply }, { theme }) {
      reply.setCookie(themeCookie, theme, { ...cookieOptions(app.config), maxAge: year_s });
      return { to: '/account/theme', notice: 'Theme saved.' };
    },
  });
}
