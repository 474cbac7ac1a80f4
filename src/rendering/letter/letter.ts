import { dayFormat } from '../../countries/calendar.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { collapseWhitespace } from '../../protocol/whitespace.ts';
import { decodeEntities } from '../escape.ts';
import { isMissing, type Personalisation, readPersonalisation, valueToText } from '../personalisation.ts';
import {
  type CompiledText,
  compileText,
  fillText,
  markOpenPlaceholders,
  type OpenPlaceholder,
  type Slots,
} from '../placeholders.ts';
import { removeSpaceBeforePunctuation } from '../typography.ts';
import { readLetterBlocks, readLetterLine } from './markdown.ts';
import type { LetterDocument, LetterInline, LetterLanguage, LetterPart, LetterWords } from './model.ts';

export interface LetterTexts {
  contact_block: CompiledText;
  /** Printed before the English texts; null if the letter is in English only. */
  welsh: { subject: CompiledText; content: CompiledText } | null;
  subject: CompiledText;
  content: CompiledText;
  /** Undefined in English. */
  words?: LetterWords | undefined;
}

export interface LetterOptions {
  /** The lines to print. If omitted, the seven lines come from the personalisation. */
  address?: readonly string[];
  /** Which lines of the address are printed in capitals: all, unless the country's postal service requires fewer. */
  capitals?: CountryProfile['address']['capitals'];
  /** The day to print, as `YYYY-MM-DD`. */
  day: string;
  /** Prints `hidden` instead of the names of missing values. */
  redact?: boolean;
}

export function renderLetter(
  texts: LetterTexts,
  personalisation: Personalisation,
  { address, capitals = 'all', day, redact = false }: LetterOptions,
): LetterDocument {
  const addressLines =
    address?.map((line, index): LetterInline[] => {
      const isUpperCase = capitals === 'last-line' && index === address.length - 1;
      return [{ kind: 'text', text: isUpperCase ? line.toUpperCase() : line }];
    }) ?? addressSlots(personalisation);
  const contactBlock = renderContactBlock(texts.contact_block, personalisation, redact);
  const renderPart = (language: LetterLanguage, subject: CompiledText, content: CompiledText): LetterPart => ({
    language,
    address: addressLines,
    ...(capitals === 'all' ? {} : { address_as_written: true }),
    contact_block: contactBlock,
    date: letterDate(day, language),
    subject: renderLetterSubject(subject, personalisation, redact),
    blocks: renderContent(content, personalisation, redact),
  });
  const english = renderPart('english', texts.subject, texts.content);
  const { words } = texts;
  if (words) {
    const date = dayFormat({ day: 'numeric', month: 'long', year: 'numeric' }, words.tag)(day);
    return { parts: [{ ...english, words, date }] };
  }
  if (texts.welsh === null) return { parts: [english] };
  return { parts: [renderPart('welsh', texts.welsh.subject, texts.welsh.content), english] };
}

export const maxQrCodeCharacters = 500;

/** Returns the data of each QR code that is too long to scan from paper. Unfilled placeholders count as written. */
export function findLongQrCodes({ welsh, content }: LetterTexts, personalisation: Personalisation): string[] {
  const contents = welsh === null ? [content] : [welsh.content, content];
  return contents
    .flatMap((text) => renderContent(text, personalisation, false))
    .flatMap((block) => (block.kind === 'qr-code' && [...block.data].length > maxQrCodeCharacters ? [block.data] : []));
}

function renderContent(content: CompiledText, personalisation: Personalisation, redact: boolean) {
  const open: OpenPlaceholder[] = [];
  const filled = fillText(content, personalisation, {
    lists: 'markdown',
    unfilled: markOpenPlaceholders(open, redact),
  });
  return readLetterBlocks(filled, open);
}

function renderLetterSubject(subject: CompiledText, personalisation: Personalisation, redact: boolean): LetterInline[] {
  const open: OpenPlaceholder[] = [];
  const filled = fillText(subject, personalisation, { lists: 'inline', unfilled: markOpenPlaceholders(open, redact) });
  return readLetterLine(collapseWhitespace(decodeEntities(filled)), open, 'typography');
}

/** Trims lines in the template only, so that a value keeps its line breaks and spaces. */
export function compileContactBlock(contactBlock: string | null | undefined, slots: Slots): CompiledText {
  const lines = (contactBlock ?? '').split(/\r\n|\r|\n/).map((line) => line.trim());
  return compileText(lines.join('\n'), slots);
}

function renderContactBlock(
  contactBlock: CompiledText,
  personalisation: Personalisation,
  redact: boolean,
): LetterInline[][] {
  const open: OpenPlaceholder[] = [];
  const filled = fillText(contactBlock, personalisation, {
    lists: 'inline',
    unfilled: markOpenPlaceholders(open, redact),
  });
  if (filled === '') return [];
  const lines = decodeEntities(removeSpaceBeforePunctuation(filled)).split(/\r\n|\r|\n/);
  return lines.map((line) => readLetterLine(line, open, 'as-written'));
}

const addressSlotNames = [1, 2, 3, 4, 5, 6, 7].map((line) => `address line ${line}`);

/** The seventh line is also called the postcode. */
function addressSlots(personalisation: Personalisation): LetterInline[][] {
  const values = readPersonalisation(personalisation);
  return addressSlotNames.map((name, index): LetterInline[] => {
    const value = values.get(comparableKey(name)) ?? (index === 6 ? values.get('postcode') : undefined);
    return isMissing(value)
      ? [{ kind: 'placeholder', style: 'no-brackets', text: name }]
      : [{ kind: 'text', text: collapseWhitespace(valueToText(value, 'inline')) }];
  });
}

const months: Record<LetterLanguage, readonly string[]> = {
  english: [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ],
  welsh: [
    'Ionawr',
    'Chwefror',
    'Mawrth',
    'Ebrill',
    'Mai',
    'Mehefin',
    'Gorffennaf',
    'Awst',
    'Medi',
    'Hydref',
    'Tachwedd',
    'Rhagfyr',
  ],
};

/** Returns `1 January 2026` or `1 Ionawr 2026`. */
export function letterDate(printed: string, language: LetterLanguage): string {
  const [year, month, day] = printed.split('-').map(Number);
  return `${day} ${months[language][(month ?? 1) - 1]} ${year}`;
}
