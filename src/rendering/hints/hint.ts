import type { CountryProfile } from '../../countries/profile.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';
import type { Place } from './plain-writing.ts';

/** In the order in which hints are shown. */
export const hintRules = [
  'link-shortener',
  'vague-link-text',
  'ip-link',
  'many-links',
  'capitals',
  'no-sender',
  'long-sentence',
  'hard-to-read',
  'no-unsubscribe',
  'dear-characters',
  'save-a-part',
] as const;

export type HintRule = (typeof hintRules)[number];

/** The text, with facts about its service and its use that the rules need. */
export interface HintedText {
  channel: Channel;
  subject?: string | null;
  content: string;
  /** Whether the text is in English: some rules know no other language. */
  english: boolean;
  /** Undefined if the sender is not known: then there are no hints about the sender, and no prefix counts. */
  service?: HintedService;
  /** Whether it is sent to many recipients at once. */
  sent_to_many?: boolean;
  has_unsubscribe_link?: boolean;
  alphabet?: CountryProfile['sms']['alphabet'];
  dialect?: ApiDialect;
}

export interface HintedService {
  name: string;
  /** Whether its text messages begin with its name. */
  prefix: boolean;
  /** The sender name or number of its text messages, if known. */
  sender: string | null;
}

/** The finding of a rule: the words, their place, and figures for the message. */
export interface Found {
  found: string | null;
  place: Place | null;
  count?: number;
  other?: number;
}

export interface Hint {
  rule: HintRule;
  message: string;
  found: string | null;
  /** The field that `start` and `end` refer to. */
  field: 'subject' | 'body' | null;
  start: number | null;
  end: number | null;
  /** The count of the rule: addresses, words, characters to remove, parts, or the reading age. */
  count: number | null;
  /** The number of parts: with the costly characters replaced, or of the text itself. */
  other: number | null;
}
