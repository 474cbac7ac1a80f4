import type { CountryProfile } from '../../countries/profile.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';
import type { Place } from './plain-writing.ts';

/** In the order in which hints are told. */
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

/** What is written, and what the rules must know about its service and its use. */
export interface HintedText {
  channel: Channel;
  subject?: string | null;
  content: string;
  /** Whether the text is in English: some rules know no other language. */
  english: boolean;
  /** Undefined if it is not known who sends: then nothing is said about the sender, and no prefix counts. */
  service?: HintedService;
  /** Whether it goes to many recipients at a time. */
  sent_to_many?: boolean;
  has_unsubscribe_link?: boolean;
  alphabet?: CountryProfile['sms']['alphabet'];
  dialect?: ApiDialect;
}

export interface HintedService {
  name: string;
  /** Whether texts begin with its name. */
  prefix: boolean;
  /** The name or number that texts come from, if it is known. */
  sender: string | null;
}

/** What a rule has found: words of the text, where they are, and figures for its message. */
export interface Found {
  found: string | null;
  place: Place | null;
  count?: number;
  other?: number;
}

/** A piece of advice. */
export interface Hint {
  rule: HintRule;
  message: string;
  found: string | null;
  /** What `start` and `end` are places of. */
  field: 'subject' | 'body' | null;
  start: number | null;
  end: number | null;
  /** What was counted: addresses, words, characters to remove, parts, or years of age. */
  count: number | null;
  /** The parts without dear characters, or those of the text. */
  other: number | null;
}
