import type { Personalisation } from '../personalisation.ts';
import { type CompiledText, fillText, keepPlaceholder } from '../placeholders.ts';
import { collapseWhitespace, removeSpaceBeforePunctuation } from '../whitespace.ts';
import { countExtensionCharacters, downgrade, needsUcs2 } from './gsm.ts';

type SmsEncoding = 'gsm7' | 'ucs2';

export type SmsMessage = {
  /** As it is sent, the prefix included. */
  text: string;
  encoding: SmsEncoding;
  character_count: number;
  /** What the limit is measured on: the prefix and its colon are not the writer's. */
  character_count_without_prefix: number;
  fragments: number;
};

export const SMS_CHARACTER_LIMIT = 918;

const FRAGMENT_SIZES = { gsm7: { single: 160, part: 153 }, ucs2: { single: 70, part: 67 } } as const;

export type SmsOptions = {
  /** The service name, when the service puts it before its messages. */
  prefix?: string | null;
};

/**
 * Without any personalisation the message is the template's own text: placeholders count as nothing, but the spaces
 * around them stay, because something will stand there.
 */
export function renderSms(
  content: CompiledText,
  personalisation: Personalisation | null | undefined,
  { prefix }: SmsOptions = {},
): SmsMessage {
  const filled = fillText(content, personalisation, hasValues(personalisation) ? FILLING : STANDING_IN);
  const name = prefix?.trim() ?? '';
  if (name === '') return measure(filled);
  return {
    ...measure(`${name}: ${filled}`),
    character_count_without_prefix: measure(filled).character_count,
  };
}

export function isTooLong(message: SmsMessage): boolean {
  return message.character_count_without_prefix > SMS_CHARACTER_LIMIT;
}

export function isEmpty(message: SmsMessage): boolean {
  return message.character_count_without_prefix === 0;
}

function hasValues(personalisation: Personalisation | null | undefined): boolean {
  for (const _ in personalisation) return true;
  return false;
}

const FILLING = { lists: 'inline', unfilled: keepPlaceholder } as const;

/** No template can hold a NUL, so it can stand where a value will. */
const STAND_IN = '\0';
const STANDING_IN = { lists: 'inline', unfilled: () => STAND_IN } as const;

const LINE_BREAK = /\r\n|[\n\r\v\f\x85\u2028\u2029]/;

function tidy(text: string): string {
  const lines = removeSpaceBeforePunctuation(text).split(LINE_BREAK).map(collapseWhitespace);
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .replaceAll(STAND_IN, '');
}

/**
 * Finds nothing in a text that can be sent as it stands, every character in one place, which is most of them. A single
 * pattern over ASCII: looking through the whole alphabet here made the common case three times as slow.
 */
const NOT_READY = /[^\n\x20-\x5A\x5F\x61-\x7A]| [ \n,.]|\n\n\n|\n |^[ \n]|[ \n]$/;

/** The encoding is decided before characters are replaced: what was no Welsh letter does not make a message Welsh. */
function measure(filled: string): SmsMessage {
  if (!NOT_READY.test(filled)) return smsMessage(filled, 'gsm7', filled.length);
  const tidied = tidy(filled);
  const encoding = needsUcs2(tidied) ? 'ucs2' : 'gsm7';
  const text = downgrade(tidied);
  return smsMessage(text, encoding, encoding === 'gsm7' ? text.length + countExtensionCharacters(text) : text.length);
}

function smsMessage(text: string, encoding: SmsEncoding, size: number): SmsMessage {
  const { single, part } = FRAGMENT_SIZES[encoding];
  return {
    text,
    encoding,
    character_count: text.length,
    character_count_without_prefix: text.length,
    fragments: size <= single ? 1 : Math.ceil(size / part),
  };
}
