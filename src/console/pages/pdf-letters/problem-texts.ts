import type { PrecompiledCheck } from '../../../rendering/pdf/pdf-verdict.ts';

type Message = NonNullable<PrecompiledCheck['message']>;

/** What to do about a PDF that cannot be sent. */
const texts: Record<Message, string> = {
  'unable-to-read-the-file': 'The file cannot be read as a PDF. Save it again as PDF and upload it.',
  'letter-too-long': 'The letter has more than 10 pages. Remove pages until it has 10.',
  'letter-not-a4-portrait-oriented': 'Pages must be A4, upright.',
  'content-outside-printable-area':
    'There is something outside of the printable area. It is marked red: move it inside, or make the margins wider.',
  'notify-tag-found-in-content': 'A page after the first has the tag NOTIFY, which belongs to the first page only.',
  'address-is-empty': 'There is no address in the address window of the first page.',
  'not-enough-address-lines': 'The address needs at least 3 lines.',
  'too-many-address-lines': 'The address may have at most 7 lines.',
  'invalid-address-line-1-or-2': 'Each of the first 2 lines of the address needs a letter or a digit.',
  'has-country-for-bfpo-address': 'The last line of a BFPO address must not be a country.',
  'not-a-real-uk-postcode-or-country': 'The last line of the address must be a UK postcode or a country.',
  'cant-send-international-letters': 'The address is abroad, and the service sends letters in the UK only.',
  'not-a-real-uk-postcode': 'The last line of the address must be a real UK postcode.',
  'invalid-char-in-address': 'No line of the address may start with one of these: @ ( ) = [ ] ” \\ / , < >',
  'no-fixed-abode-address': 'A letter needs a real address.',
};

export function problemInWords({ message, invalid_pages }: PrecompiledCheck): string | undefined {
  if (message === null) return undefined;
  const isOfAddress = message.includes('address') || message.includes('postcode') || message.includes('letters');
  const pages = isOfAddress ? [] : (invalid_pages ?? []);
  if (pages.length === 0) return texts[message];
  return `${texts[message]} See page ${pages.join(', ')}.`;
}
