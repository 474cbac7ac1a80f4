import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';

/** Messages to users link to this page. */
export function supportPages(pages: Pages, app: ConsoleApp): void {
  const { platformName } = app.config.branding;
  pages.add('/support', {
    who: 'anyone',
    show: () => ({
      title: t('Help'),
      lead:
        platformName === 'Pennypost'
          ? t('The people who run this Pennypost can help you.')
          : t('The people who run {platformName} can help you.', { platformName }),
      content: (
        <ul class="stack stack--tight measure">
          <li>
            <T>
              You cannot sign in: <a href={pageUrl('/forgot-password')}>choose a new password</a>.
            </T>
          </li>
          <li>{t('You have a new phone: a platform administrator can change your number or how you sign in.')}</li>
          <li>
            {t('You got a message about a change that you did not make: tell a platform administrator straight away.')}
          </li>
        </ul>
      ),
    }),
  });
}
