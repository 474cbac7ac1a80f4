import { countExtensionCharacters, downgrade, needsUcs2 } from './gsm.ts';
import { type Personalisation, readPersonalisation } from './personalisation.ts';
import { type CompiledText, fillText, keepPlaceholder } from './placeholders.ts';
import { collapseWhitespace, removeSpaceBeforePunctuation } from './whitespace.ts';

export type SmsEncoding = 'gsm7' | 'ucs2';

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
  const values = readPersonalisation(personalisation);
  const filled = values.size === 0 ? fillText(content, values, STANDING_IN) : fillText(content, values, FILLING);
  const name = prefix?.trim() ?? '';
  if (name === '') return measure(tidy(filled));
  const message = measure(tidy(`${name}: ${filled}`));
  message.character_count_without_prefix = downgrade(tidy(filled)).length;
  return message;
}

export function isTooLong(message: SmsMessage): boolean {
  return message.character_count_without_prefix > SMS_CHARACTER_LIMIT;
}

export function isEmpty(message: SmsMessage): boolean {
  return message.character_count_without_prefix === 0;
}

const FILLING = { lists: 'inline', unfilled: keepPlaceholder } as const;

/** No template can hold a NUL, so it can stand where a value will. */
const STAND_IN = '\0';
const STANDING_IN = { lists: 'inline', unfilled: () => STAND_IN } as const;

/** Finds nothing in a text that is ready to send as it is, which is most of them. */
const UNTIDY =
  /[\0\t\v\f\r\x85\xA0\u1680\u180E\u2000-\u200D\u2028\u2029\u202F\u205F\u2060\u3000\uFEFF]|[ \n] | [\n,.]|\n\n\n|^[ \n]|[ \n]$/;
const LINE_BREAK = /\r\n|[\n\r\v\f\x85\u2028\u2029]/;

function tidy(text: string): string {
  if (!UNTIDY.test(text)) return text;
  const lines = removeSpaceBeforePunctuation(text).split(LINE_BREAK).map(collapseWhitespace);
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .replaceAll(STAND_IN, '');
}

/** The encoding is decided before characters are replaced: what was no Welsh letter does not make a message Welsh. */
function measure(tidied: string): SmsMessage {
  const encoding = needsUcs2(tidied) ? 'ucs2' : 'gsm7';
  const text = downgrade(tidied);
  const size = encoding === 'gsm7' ? text.length + countExtensionCharacters(text) : text.length;
  const { single, part } = FRAGMENT_SIZES[encoding];
  return {
    text,
    encoding,
    character_count: text.length,
    character_count_without_prefix: text.length,
    fragments: size <= single ? 1 : Math.ceil(size / part),
  };
}
