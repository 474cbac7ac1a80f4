import type { Country } from '../../countries/country.ts';
import type { RatesAbroad } from '../../countries/phone-rules.ts';
import { inEnglish } from '../../language/text.ts';
import type { Channel } from '../../protocol/channels.ts';
import { comparableKey } from '../../protocol/comparable-key.ts';
import { type AddressRules, addressRules } from '../address-rules.ts';
import { parseEmailAddress } from '../email-address.ts';
import { checkPhonePermissions, type PhoneNumber, parsePhoneNumber, withRate } from '../phone-number.ts';
import type { PostalAddress, PostalAddressReason } from '../postal-address.ts';
import { emailAddressText, phoneNumberText, postalAddressTexts } from '../recipient-texts.ts';
import { type CellValue, type Columns, type Row, recipientColumnNames } from './columns.ts';
import { type RowProblemKind, rowProblemTexts } from './spreadsheet-problems.ts';

type Values = Record<string, CellValue>;

export type ContentProblem = Extract<RowProblemKind, 'too-long' | 'empty' | 'qr-code-too-long'>;

/** What a check needs from a template; callers do the rendering. */
export interface RowTemplate {
  channel: Channel;
  /** The names as spelled in the template. */
  placeholders: readonly string[];
  contentProblems(personalisation: Values): readonly ContentProblem[];
  /** Returns placeholders that show or hide text and whose value is neither yes nor no. */
  unclear?(personalisation: Values): readonly string[];
  /** Whether such a value is a problem of its row. Otherwise it means no. */
  refusesUnclear?: boolean;
  /** Whether the message has characters that its channel cannot carry. */
  isLossy?(personalisation: Values): boolean;
  /** Returns the number of parts of a text message. */
  countParts?(personalisation: Values): number;
}

/** A contact list is checked like a file for a template without placeholders. */
export function contactListTemplate(channel: 'sms' | 'email'): RowTemplate {
  return { channel, placeholders: [], contentProblems: () => [] };
}

export interface RecipientPermissions {
  internationalSms: boolean;
  landlines: boolean;
  internationalLetters: boolean;
  /** True for lists whose numbers were checked when they were saved, so they are not checked again. */
  uncheckedNumbers?: boolean;
  /** The rates for international texts, if the country has any. */
  ratesAbroad?: RatesAbroad | undefined;
}

interface RowProblem {
  /** The name as spelled in the file; null if the problem concerns the whole row. */
  column: string | null;
  kind: RowProblemKind;
  message: string;
}

interface Recipient {
  destination: Destination | null;
  abroad?: boolean;
  message?: string;
}

/** The destination of a message, parsed once. */
export type Destination =
  | { channel: 'sms'; number: PhoneNumber }
  | { channel: 'email'; cleaned: string; address: string }
  | { channel: 'letter'; address: PostalAddress };

export interface CheckedRow {
  /** Counted from 0; row `index + 2` of the spreadsheet. */
  index: number;
  /** As in the file. For letters, the first line of the address. */
  recipient: string | null;
  /** Null if the recipient is invalid. */
  destination: Destination | null;
  /** Whether the number is international, regardless of the service's permission. */
  abroad: boolean;
  reference: string | null;
  /** By the template's spelling. The address lines of a letter are `address_line_1` to `postcode`. */
  personalisation: Values;
  /** Placeholders that show or hide text and whose value is neither yes nor no. */
  unclear: readonly string[];
  problems: RowProblem[];
}

/** Limited, because a template may have thousands of placeholders. */
const maxProblemsOfRow = 100;

/** The names of address columns in personalisation: `address_line_1`. */
const addressKeys = recipientColumnNames.letter.map(
  (name) => [comparableKey(name), name.replaceAll(' ', '_')] as const,
);

/** If an address has several problems, pages show the first one in this order. */
const addressReasonOrder: readonly PostalAddressReason[] = [
  'invalid-address-line-1-or-2',
  'has-country-for-bfpo-address',
  'not-enough-address-lines',
  'too-many-address-lines',
  'no-town-beside-postcode',
  'not-a-real-uk-postcode-or-country',
  'cant-send-international-letters',
  'not-a-real-uk-postcode',
  'invalid-char-in-address',
  'no-fixed-abode-address',
];

/** Returns a function that checks rows against one template. */
export function rowChecker(country: Country, columns: Columns, template: RowTemplate, allowed: RecipientPermissions) {
  const { channel, placeholders } = template;
  const letter = channel === 'letter';
  const rules = addressRules(country);
  const addressColumns = addressKeys.flatMap(([key, name]) => {
    const index = columns.byKey.get(key);
    return index === undefined ? [] : [{ name, index }];
  });
  const addressOf = new Map(addressColumns.map(({ name, index }) => [name, index]));
  const addressNames = new Set(letter ? addressKeys.map(([key]) => key) : []);
  /** The name and column of each value in the personalisation; -1 if the file lacks the column. */
  const sources: readonly (readonly [string, number])[] = [
    ...placeholders
      .filter((name) => !addressNames.has(comparableKey(name)))
      .map((name) => [name, columns.byKey.get(comparableKey(name)) ?? -1] as const),
    ...(letter ? addressColumns.map(({ name, index }) => [name, index] as const) : []),
  ];
  /** Copied for each row: setting existing entries is faster than building an object, and keeps `__proto__` a normal key. */
  const noValues: Values = Object.fromEntries(sources.map(([name]) => [name, null]));
  const recipientColumn = letter ? undefined : columns.columns.findIndex(({ recipient }) => recipient);
  const referenceColumn = columns.byKey.get('reference');
  const own = new Set(placeholders.map(comparableKey));
  const checked = columns.columns.flatMap(({ key, recipient, name }, index) =>
    own.has(key) && !recipient ? [{ name, index }] : [],
  );
  /** The file as a whole does not need these columns: only messages with this text do. */
  const absent = sources.flatMap(([name, column]) => (column === -1 && !columns.missing.includes(name) ? [name] : []));

  return (index: number, row: Row): CheckedRow => {
    const problems: RowProblem[] = [];
    const personalisation = { ...noValues };
    for (const [name, column] of sources) personalisation[name] = row.values[column] ?? null;
    const { destination, abroad = false } = letter ? readAddress(row, problems) : readRecipient(row, problems);
    for (const { name, index: column } of checked) {
      if ((row.values[column] ?? null) === null) problems.push(problem('missing-data', name));
      if (problems.length >= maxProblemsOfRow) break;
    }
    for (const name of absent) problems.push(problem('missing-data', name));
    const unclear = template.unclear?.(personalisation) ?? [];
    if (template.refusesUnclear) {
      for (const name of unclear) problems.push(problem('not-yes-or-no', columnOf(name)));
    }
    for (const kind of template.contentProblems(personalisation)) problems.push(problem(kind, null));
    return {
      index,
      recipient: recipientOf(row, destination),
      destination,
      abroad,
      reference: asText(referenceColumn === undefined ? null : row.values[referenceColumn]),
      personalisation,
      unclear,
      problems,
    };
  };

  /** The name as spelled in the file. */
  function columnOf(name: string): string {
    return columns.columns[columns.byKey.get(comparableKey(name)) ?? -1]?.name ?? name;
  }

  function readRecipient(row: Row, problems: RowProblem[]): Recipient {
    if (recipientColumn === undefined || recipientColumn === -1) return { destination: null };
    const name = columns.columns[recipientColumn]?.name ?? null;
    const value = row.values[recipientColumn] ?? null;
    if (typeof value !== 'string') {
      if (columns.duplicates.length === 0) problems.push(problem('missing-data', name));
      return { destination: null };
    }
    const recipient = channel === 'sms' ? readNumber(country, value, allowed) : readEmail(value);
    const isChecked = channel !== 'sms' || !allowed.uncheckedNumbers;
    if (recipient.message && isChecked) problems.push(problem('bad-recipient', name, recipient.message));
    return recipient;
  }

  function readAddress(row: Row, problems: RowProblem[]): Recipient {
    const last = addressOf.has('address_line_7') ? 'address_line_7' : 'postcode';
    const names = [1, 2, 3, 4, 5, 6].map((number) => `address_line_${number}`).concat(last);
    const lines = names.map((name) => asText(row.values[addressOf.get(name) ?? -1]) ?? '');
    const address = rules.parse(lines);
    const reason = findAddressReason(rules, address, allowed.internationalLetters);
    if (!reason) return { destination: { channel: 'letter', address } };
    problems.push(problem('bad-recipient', null, postalAddressTexts(country)[reason]));
    return { destination: null };
  }

  function recipientOf(row: Row, destination: Destination | null): string | null {
    if (destination?.channel === 'letter') return destination.address.lines[0] ?? null;
    const columnsInOrder = letter ? addressColumns.map(({ index: column }) => column) : [recipientColumn ?? -1];
    return columnsInOrder.map((column) => asText(row.values[column])).find((text) => text !== null) ?? null;
  }
}

function readNumber(
  { phone, words }: Country,
  value: string,
  { internationalSms, landlines, ratesAbroad }: RecipientPermissions,
): Recipient {
  const parsed = parsePhoneNumber(phone, value);
  if (!parsed.ok) return { destination: null, message: phoneNumberText(words, parsed.reason) };
  const number = ratesAbroad ? withRate(phone, parsed.number, ratesAbroad) : parsed.number;
  if (!number) return { destination: null, message: phoneNumberText(words, 'unsupported_country_code') };
  const { abroad } = number;
  const reason = checkPhonePermissions(number, { international: internationalSms, landline: landlines });
  if (reason) return { destination: null, abroad, message: phoneNumberText(words, reason) };
  return { destination: { channel: 'sms', number }, abroad };
}

function readEmail(value: string): Recipient {
  const parsed = parseEmailAddress(value);
  if (!parsed.ok) return { destination: null, message: emailAddressText };
  return { destination: { channel: 'email', cleaned: parsed.cleaned, address: parsed.address } };
}

function findAddressReason(
  rules: AddressRules,
  address: PostalAddress,
  international: boolean,
): PostalAddressReason | undefined {
  const reasons = new Set<PostalAddressReason>(rules.reasons(address, { international }));
  // A missing line has no letters either.
  if (address.lines.length < 2) reasons.add('invalid-address-line-1-or-2');
  return addressReasonOrder.find((reason) => reasons.has(reason));
}

function problem(kind: RowProblemKind, column: string | null, message: string = rowProblemTexts[kind]): RowProblem {
  return { column, kind, message: inEnglish(message) };
}

function asText(value: CellValue | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : value.join(', ');
}
