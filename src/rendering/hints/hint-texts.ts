import { list, type Text, t } from '../../language/text.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { HintRule } from './hint.ts';

interface Facts {
  found: string;
  count: number;
  other: number;
  channel: Channel;
  /** Whether placeholder values may add to the length. */
  isOpen: boolean;
}

export function messageOf(rule: HintRule, facts: Facts): Text {
  return words[rule]({ ...facts, found: shortened(facts.found) });
}

const words: Record<HintRule, (facts: Facts) => Text> = {
  'link-shortener': ({ found }) =>
    t('People cannot see where {found} leads, and networks block texts with it. Write the address in full.', { found }),
  'vague-link-text': ({ found }) =>
    t('“{found}” makes no sense on its own. Say what the link does, such as “Renew your permit”.', { found }),
  'ip-link': ({ found }) => t('A link to {found} looks like fraud. Use a web address with a name.', { found }),
  'many-links': ({ channel, count }) =>
    channel === 'sms'
      ? t('Texts with several links look like fraud. Keep one.')
      : t('{count} web addresses in one email are hard to read. Give them link text.', { count }),
  capitals: ({ found }) => t('Capitals are hard to read and look like spam: “{found}”.', { found }),
  'no-sender': () =>
    t(
      'This text comes from a number and does not say who you are. Begin with the name of your service, or switch the prefix on.',
    ),
  'long-sentence': ({ count }) =>
    t('One sentence has {count} words. Split it: people understand sentences of up to 25.', { count }),
  'hard-to-read': ({ count }) =>
    t('You need a reading age of about {count} for this. Use shorter words and sentences.', { count }),
  'no-unsubscribe': () => t('People must be able to stop emails that go to many. Switch the unsubscribe link on.'),
  'dear-characters': ({ found, count, other }) => {
    const letters = Array.from(found, (letter) => `“${letter}”`);
    return t(
      '{letters, plural, one {{named} makes this text cost {count} parts instead of {other}.} other {{named} make this text cost {count} parts instead of {other}.}}',
      { letters: letters.length, named: list(letters), count, other },
    );
  },
  'save-a-part': ({ count, isOpen }) =>
    isOpen
      ? t(
          '{count, plural, one {Remove about # character to save a part.} other {Remove about # characters to save a part.}}',
          { count },
        )
      : t('{count, plural, one {Remove # character to save a part.} other {Remove # characters to save a part.}}', {
          count,
        }),
};

const maxShown = 80;

function shortened(found: string): string {
  return found.length > maxShown ? `${found.slice(0, maxShown)}…` : found;
}
