import type { Channel } from '../../protocol/channels.ts';
import type { HintRule } from './hint.ts';

interface Facts {
  found: string;
  count: number;
  other: number;
  channel: Channel;
  /** Whether values of placeholders add to the length. */
  isOpen: boolean;
}

/** What a hint says. */
export function messageOf(rule: HintRule, facts: Facts): string {
  return words[rule]({ ...facts, found: shortened(facts.found) });
}

const words: Record<HintRule, (facts: Facts) => string> = {
  'link-shortener': ({ found }) =>
    `People cannot see where ${found} leads, and networks block texts with it. Write the address in full.`,
  'vague-link-text': ({ found }) =>
    `“${found}” makes no sense on its own. Say what the link does, such as “Renew your permit”.`,
  'ip-link': ({ found }) => `A link to ${found} looks like fraud. Use a web address with a name.`,
  'many-links': ({ channel, count }) =>
    channel === 'sms'
      ? 'Texts with several links look like fraud. Keep one.'
      : `${count} web addresses in one email are hard to read. Give them link text.`,
  capitals: ({ found }) => `Capitals are hard to read and look like spam: “${found}”.`,
  'no-sender': () =>
    'This text comes from a number and does not say who you are. Begin with the name of your service, or switch the prefix on.',
  'long-sentence': ({ count }) => `One sentence has ${count} words. Split it: people understand sentences of up to 25.`,
  'hard-to-read': ({ count }) => `You need a reading age of about ${count} for this. Use shorter words and sentences.`,
  'no-unsubscribe': () => 'People must be able to stop emails that go to many. Switch the unsubscribe link on.',
  'dear-characters': ({ found, count, other }) => {
    const letters = Array.from(found, (letter) => `“${letter}”`);
    const last = letters.pop() ?? '';
    const named = letters.length === 0 ? `${last} makes` : `${letters.join(', ')} and ${last} make`;
    return `${named} this text cost ${count} parts instead of ${other}.`;
  },
  'save-a-part': ({ count, isOpen }) => {
    const about = isOpen ? 'about ' : '';
    return `Remove ${about}${count} ${count === 1 ? 'character' : 'characters'} to save a part.`;
  },
};

const maxShown = 80;

function shortened(found: string): string {
  return found.length > maxShown ? `${found.slice(0, maxShown)}…` : found;
}
