import type { ApiDialect } from '../../protocol/dialect.ts';
import { collapseWhitespace } from '../../protocol/whitespace.ts';
import type { Personalisation } from '../personalisation.ts';
import { type CompiledText, type Filling, fillText, keepPlaceholder, missingNames } from '../placeholders.ts';
import { removeSpaceBeforePunctuation } from '../typography.ts';
import { countExtensionCharacters, type SmsAlphabet, smsAlphabet } from './gsm.ts';

type SmsEncoding = 'gsm7' | 'ucs2';

export interface SmsMessage {
  /** The text as sent, including the prefix. */
  text: string;
  encoding: SmsEncoding;
  character_count: number;
  /** The length that the limit applies to, without the prefix and its colon. */
  character_count_without_prefix: number;
  fragments: number;
}

const maxSmsCharacters = 918;
/** The limit in the dialect of GC Notify, which includes the prefix and counts some characters twice. */
const maxGcUnits = 612;

export function maxSmsLength(dialect: ApiDialect): number {
  return dialect === 'gc' ? maxGcUnits : maxSmsCharacters;
}

export const fragmentSizes = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const;

export interface SmsOptions {
  /** The service name, if the service prefixes its messages with it. */
  prefix?: string | null;
}

const protocolAlphabet = smsAlphabet('gsm-welsh');

/**
 * Renders a message. Without personalisation, placeholders count as empty, but the spaces around them are kept, because a value will be
 * there.
 */
export function renderSms(
  content: CompiledText,
  personalisation: Personalisation | null | undefined,
  options: SmsOptions = {},
  alphabet = protocolAlphabet,
): SmsMessage {
  return render(content, personalisation, options, hasValues(personalisation) ? filling : withSentinels, alphabet);
}

/** A message whose values may not all be known. */
export interface SmsPreview extends SmsMessage {
  /** Values are missing: their placeholders are in the text, but count as empty. */
  is_minimum: boolean;
}

export function previewSms(
  content: CompiledText,
  personalisation: Personalisation,
  options: SmsOptions = {},
  alphabet = protocolAlphabet,
): SmsPreview {
  return {
    ...render(content, personalisation, options, withSentinels, alphabet),
    text: render(content, personalisation, options, filling, alphabet).text,
    is_minimum: missingNames(content.slots, personalisation).length > 0,
  };
}

function render(
  content: CompiledText,
  personalisation: Personalisation | null | undefined,
  { prefix }: SmsOptions,
  style: Filling,
  alphabet: SmsAlphabet,
): SmsMessage {
  const filled = fillText(content, personalisation, style);
  const name = prefix?.trim() ?? '';
  if (name === '') return measure(filled, alphabet);
  return {
    ...measure(`${name}: ${filled}`, alphabet),
    character_count_without_prefix: measure(filled, alphabet).character_count,
  };
}

const plainText = /^[\n\x20-\x7e]*$/;

/** Returns the distinct characters of the filled text that are sent as question marks. */
export function findLostCharacters(
  content: CompiledText,
  personalisation: Personalisation,
  alphabet: SmsAlphabet,
): string[] {
  const filled = fillText(content, personalisation, filling);
  return plainText.test(filled) ? [] : alphabet.notable(filled).lost;
}

export function isTooLong(message: SmsMessage, dialect: ApiDialect = 'govuk'): boolean {
  if (dialect === 'govuk') return message.character_count_without_prefix > maxSmsCharacters;
  const { text, encoding } = message;
  return text.length + (encoding === 'gsm7' ? countExtensionCharacters(text) : 0) > maxGcUnits;
}

export function isEmpty(message: SmsMessage): boolean {
  return message.character_count_without_prefix === 0;
}

function hasValues(personalisation: Personalisation | null | undefined): boolean {
  for (const _ in personalisation) return true;
  return false;
}

const filling = { lists: 'inline', unfilled: keepPlaceholder } as const;

/** Represents a value: no template can contain a NUL. */
const sentinel = '\0';
const withSentinels = { lists: 'inline', unfilled: () => sentinel } as const;

const lineBreak = /\r\n|[\n\r\v\f\x85\u2028\u2029]/;

function tidy(text: string): string {
  const lines = removeSpaceBeforePunctuation(text).split(lineBreak).map(collapseWhitespace);
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .replaceAll(sentinel, '');
}

/**
 * Does not match text that can be sent unchanged with one unit per character, which is most text. A single ASCII pattern: checking the
 * whole alphabet here made the common case three times slower.
 */
const notReady = /[^\n\x20-\x5A\x5F\x61-\x7A]| [ \n,.]|\n\n\n|\n |^[ \n]|[ \n]$/;

/** The encoding is chosen before characters are replaced: only original Welsh letters make a message UCS-2. */
function measure(filled: string, alphabet: SmsAlphabet): SmsMessage {
  if (!notReady.test(filled)) return smsMessage(filled, 'gsm7', filled.length);
  const tidied = tidy(filled);
  const encoding = alphabet.needsUcs2(tidied) ? 'ucs2' : 'gsm7';
  const text = alphabet.downgrade(tidied);
  return smsMessage(text, encoding, encoding === 'gsm7' ? text.length + countExtensionCharacters(text) : text.length);
}

function smsMessage(text: string, encoding: SmsEncoding, size: number): SmsMessage {
  return {
    text,
    encoding,
    character_count: text.length,
    character_count_without_prefix: text.length,
    fragments: countFragments(text, encoding, size),
  };
}

function countFragments(text: string, encoding: SmsEncoding, size: number): number {
  const { single, part } = fragmentSizes[encoding];
  if (size <= single) return 1;
  return encoding === 'ucs2' && surrogate.test(text) ? countWholeCharacters(text, part) : Math.ceil(size / part);
}

const surrogate = /[\uD800-\uDFFF]/;

/**
 * Counts each surrogate pair as one character. Phones show a part that begins with half of a pair as garbage, so the pair moves to the next
 * part.
 */
function countWholeCharacters(text: string, part: number): number {
  let fragments = 1;
  let used = 0;
  for (const { length } of text) {
    if (used + length > part) {
      fragments++;
      used = 0;
    }
    used += length;
  }
  return fragments;
}
