import { Type } from 'typebox';
import { t } from '../../../language/text.ts';
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
    name: t('Theme'),
    show: ({ http: request }, formState) => ({
      title: t('Theme'),
      crumbs: [{ label: t('Your account'), to: '/account' }],
      content: (
        <form class="stack measure" method="post">
          <Choices
            formState={formState}
            name="theme"
            legend={t('Colours on this device')}
            kind="one"
            chosen={[themeOf(request)]}
            choices={[
              { value: 'system', label: t('Same as device'), hint: t('Light or dark, as set on your device') },
              { value: 'light', label: t('Light') },
              { value: 'dark', label: t('Dark') },
            ]}
          />
          <Submit>{t('Save')}</Submit>
        </form>
      ),
    }),
    form: Type.Object({ theme: OneOf(themes) }),
    needs: { theme: t('Choose the colours.') },
    act({ reply }, { theme }) {
      reply.setCookie(themeCookie, theme, { ...cookieOptions(app.config), maxAge: year_s });
      return { to: '/account/theme', notice: t('Theme saved.') };
    },
  });
}
