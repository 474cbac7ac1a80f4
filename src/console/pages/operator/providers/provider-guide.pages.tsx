import { readFile } from 'node:fs/promises';
import { t } from '../../../../language/text.ts';
import { notFound } from '../../../../platform/failure.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Pages } from '../../../page.ts';
import { DocumentText } from '../../../parts/document-text.tsx';
import { providersPath } from './provider-parts.tsx';
import { printerGuide } from './provider-set-up.tsx';

const folder = 'docs/guides/providers/';
const files = new URL(`../../../../../${folder}`, import.meta.url);

/** The guides of the documentation: what to do at a provider, and what its reports mean. */
export function providerGuidePages(pages: Pages, app: ConsoleApp): void {
  const guides = [printerGuide, ...app.providers.map(({ guide }) => guide)];

  pages.add(`${providersPath}/guides/:guide`, {
    who: 'operator',
    below: 'Providers',
    async show({ param }) {
      const guide = guides.find((known) => known === param('guide'));
      if (guide === undefined) throw notFound();
      const [heading = '', ...lines] = (await readFile(new URL(`${guide}.md`, files), 'utf8')).split('\n');
      return {
        title: t('Guide: {heading}', { heading: heading.replace('# ', '') }),
        crumbs: [{ label: t('Providers'), to: providersPath }],
        content: (
          <div class="stack" lang="en">
            <DocumentText text={lines.join('\n')} folder={folder} caption={t('A table of the guide')} />
          </div>
        ),
      };
    },
  });
}
