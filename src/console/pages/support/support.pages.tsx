import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';

/** Messages to users link to it. */
export function supportPages(pages: Pages, app: ConsoleApp): void {
  const { platformName } = app.config.branding;
  pages.add('/support', {
    who: 'anyone',
    show: () => ({
      title: 'Help',
      lead: `The people who run ${platformName === 'Pennypost' ? 'this Pennypost' : platformName} can help you.`,
      content: (
        <ul class="stack stack--tight measure">
          <li>
            You cannot sign in: <a href={pageUrl('/forgot-password')}>choose a new password</a>.
          </li>
          <li>You have a new phone: a platform administrator can change your number or how you sign in.</li>
          <li>You got a message about a change that you did not make: tell a platform administrator straight away.</li>
        </ul>
      ),
    }),
  });
}
