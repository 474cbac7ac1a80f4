import { t } from '../../../language/text.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { pageUrl } from '../../links.ts';
import { channelLabels, shownChannels } from '../../message-labels.ts';
import type { Pages } from '../../page.ts';
import { Table } from '../../parts/table.tsx';

const path = '/help/formatting';

/** Formatting help for all channels. The editor shows only the part about its own. */
export function formattingHelpPages(pages: Pages): void {
  pages.add(path, {
    who: 'signed-in',
    show: () => ({
      title: t('Formatting help'),
      lead: t('What you can write in a template, and what people get.'),
      content: (
        <div class="stack measure">
          {shownChannels.map((channel) => (
            <section key={channel} class="stack stack--tight" aria-labelledby={channel}>
              <h2 id={channel}>{channelLabels[channel].names}</h2>
              <Rules channel={channel} />
            </section>
          ))}
        </div>
      ),
    }),
  });
}

const drawerId = 'formatting-help';

export function OpenFormattingHelp() {
  return (
    <div>
      <button class="button button--small" type="button" popovertarget={drawerId}>
        {t('Formatting help')}
      </button>
    </div>
  );
}

/** Opens beside the text; works without script. */
export function FormattingDrawer({ channel }: { channel: Channel }) {
  return (
    <div class="drawer" id={drawerId} popover="auto" role="dialog" aria-labelledby={`${drawerId}-title`}>
      <div class="stack">
        <div class="row">
          <h2 id={`${drawerId}-title`}>{t('Formatting help')}</h2>
          <button
            class="button button--small row--end"
            type="button"
            popovertarget={drawerId}
            popovertargetaction="hide"
          >
            {t('Close')}
          </button>
        </div>
        <Rules channel={channel} />
        <p class="small">
          <a href={pageUrl(path)} target="_blank" rel="noopener">
            {t('Open the help in a new tab')}
          </a>
        </p>
      </div>
    </div>
  );
}

interface Rule {
  write: string;
  get: string;
  for: readonly Channel[];
}

const withLayout = ['email', 'letter'] as const;

const rules: readonly Rule[] = [
  { write: '((name))', get: t('Something that changes for each person'), for: shownChannels },
  { write: '((late??Your book is late.))', get: t('Text that only some people get'), for: shownChannels },
  { write: '# What happens next', get: t('A heading'), for: withLayout },
  { write: '## Before you come', get: t('A smaller heading'), for: ['email'] },
  { write: '* Bring your letter\n* Come on time', get: t('A list with bullet points'), for: withLayout },
  { write: '1. Sign in\n2. Choose a day', get: t('A list with numbers'), for: withLayout },
  { write: '^ Tell us if you cannot come.', get: t('A paragraph that stands out'), for: ['email'] },
  { write: '[Book a visit](https://example.org)', get: t('A link with its own text'), for: ['email'] },
  { write: 'https://example.org', get: t('A link'), for: ['email'] },
  { write: '---', get: t('A line across the message'), for: ['email'] },
  { write: '---', get: t('A new page'), for: ['letter'] },
  { write: t('QR: https://example.org'), get: t('A QR code, on a line of its own'), for: ['letter'] },
];

function Rules({ channel }: { channel: Channel }) {
  return (
    <>
      <Table
        caption={t('Formatting of {plural}', { plural: channelLabels[channel].plural })}
        columns={[
          { head: t('You write'), cell: ({ write }) => <code class="lines">{write}</code> },
          { head: t('People get'), cell: ({ get }) => get },
        ]}
        rows={rules.filter((rule) => rule.for.includes(channel))}
        keyOf={({ write }) => write}
      />
      <p class="small muted">
        {t(
          'Placeholders do not work inside optional text. Leave an empty line between paragraphs, headings and lists.',
        )}
      </p>
    </>
  );
}
