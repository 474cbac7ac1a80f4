import { collapseWhitespace } from '../../protocol/whitespace.ts';
import { countExtensionCharacters, smsAlphabet } from '../sms/gsm.ts';
import { fragmentSizes, type SmsMessage } from '../sms/sms.ts';
import { compileTemplate } from '../template.ts';
import type { Found, HintedService, HintedText } from './hint.ts';
import type { Writing } from './plain-writing.ts';

/** Rules about who a text comes from, and what it costs. */

export function findMissingSender({ text }: Writing, service: HintedService | undefined): Found | undefined {
  if (!service || service.prefix || !/^\+?[\d\s]+$/.test(service.sender ?? '')) return undefined;
  const comparable = (words: string) => collapseWhitespace(words.replaceAll('\n', ' ')).toLowerCase();
  return comparable(text).includes(comparable(service.name)) ? undefined : { found: null, place: null };
}

/** The parts that a text message costs, with and without the letters that need UCS-2. */
interface Cost {
  parts: number;
  partsWithout: number;
  /** The distinct letters that need UCS-2, in order of appearance. */
  costly: string[];
  /** How many fewer characters would save a part. */
  remove: number;
}

export function measureCost({ content, service, alphabet = 'gsm-welsh', dialect }: HintedText): Cost {
  const how = { alphabet, dialect };
  const message = render(content, service, how);
  // The author did not write the name of the service, so its letters do not count.
  const written = () => (service?.prefix ? render(content, undefined, how) : message).text;
  const costly = message.encoding === 'ucs2' ? smsAlphabet(alphabet, dialect).notable(written()).ucs2 : [];
  const plain = costly.length === 0 ? message : render(plainOf(content, costly), service, how);
  return { parts: message.fragments, partsWithout: plain.fragments, costly, remove: surplusOf(message) };
}

function render(content: string, service: HintedService | undefined, how: Pick<HintedText, 'alphabet' | 'dialect'>) {
  const template = compileTemplate({ template_type: 'sms', content, ...how });
  return template.render(null, { prefix: service?.prefix ? service.name : null });
}

/** Replaces each costly letter with one of the alphabet. */
function plainOf(content: string, costly: readonly string[]): string {
  const letters = new Set(costly);
  return Array.from(content.normalize('NFC'), (character) => (letters.has(character) ? 'a' : character)).join('');
}

function surplusOf({ text, encoding, fragments }: SmsMessage): number {
  if (fragments === 1) return 0;
  const { single, part } = fragmentSizes[encoding];
  const doubles = encoding === 'gsm7' ? countExtensionCharacters(text) : 0;
  return text.length + doubles - (fragments === 2 ? single : part * (fragments - 1));
}

export function findCostlyCharacters({ text }: Writing, { parts, partsWithout, costly }: Cost): Found | undefined {
  const [first] = costly;
  if (first === undefined || partsWithout >= parts) return undefined;
  const start = text.indexOf(first);
  const place = start === -1 ? null : { start, end: start + first.length };
  return { found: costly.join(''), place, count: parts, other: partsWithout };
}

const maxToRemove = 30;

export function findSavedPart({ remove, parts }: Cost): Found | undefined {
  if (remove < 1 || remove > maxToRemove) return undefined;
  return { found: null, place: null, count: remove, other: parts };
}
