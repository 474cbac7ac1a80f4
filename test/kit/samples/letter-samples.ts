import type {
  LetterBlock,
  LetterDocument,
  LetterInline,
  LetterListItem,
  LetterPart,
} from '../../../src/rendering/letter/model.ts';
import type { DrawLetterOptions } from '../../../src/rendering/letter/pdf.ts';
import { gbGeometry } from './geometries.ts';

/** Realistic letters, for golden images and measurements. */

const text = (value: string): LetterInline => ({ kind: 'text', text: value });
const bold = (value: string): LetterInline => ({ kind: 'bold', text: value });
const line: LetterInline = { kind: 'line-break' };
const inlines = (parts: (string | LetterInline)[]) =>
  parts.map((part) => (typeof part === 'string' ? text(part) : part));

export const paragraph = (...parts: (string | LetterInline)[]): LetterBlock => ({
  kind: 'paragraph',
  inlines: inlines(parts),
});
export const heading = (title: string): LetterBlock => ({ kind: 'heading', inlines: [text(title)] });
export const item = (title: string, ...blocks: LetterBlock[]): LetterListItem => ({ inlines: [text(title)], blocks });
export const list = (ordered: boolean, ...items: (string | LetterListItem)[]): LetterBlock => ({
  kind: 'list',
  ordered,
  items: items.map((entry) => (typeof entry === 'string' ? item(entry) : entry)),
});
export const qrCode = (data: string): LetterBlock => ({ kind: 'qr-code', data, unfilled: false });
export const pageBreak: LetterBlock = { kind: 'page-break' };

const address = ['Ms Angharad Penny', '12 Post Office Lane', 'Llanfair Pwllgwyngyll', 'Ynys Môn', 'LL61 5UJ'];
const contactBlock = [
  'Borough of Example',
  'Housing Benefit Team',
  'Town Hall, 1 High Street',
  'Example',
  'EX1 2AB',
  '',
  'Telephone: 0300 123 4567',
  'housing.benefit@example.gov.uk',
];

export function part(over: Partial<LetterPart> = {}): LetterPart {
  return {
    language: 'english',
    address: address.map((value) => [text(value)]),
    contact_block: [],
    date: '14 November 2026',
    subject: [text('Your housing benefit from 1 December 2026')],
    blocks: [paragraph('Dear Ms Penny'), paragraph('We have looked at your claim again.')],
    ...over,
  };
}

export const letter = (over: Partial<LetterPart> = {}): LetterDocument => ({ parts: [part(over)] });

const withContactBlock = { contact_block: contactBlock.map((value) => (value ? [text(value)] : [])) };

const decision =
  'You asked us to look again at our decision about your housing benefit. We have now finished that work. This letter tells you what we decided, why we decided it, and what you can do if you think that it is wrong.';
const signature = paragraph('Alexandra Hopkins', line, 'Head of benefits');

export const plainLetter = letter({
  blocks: [
    paragraph('Dear Ms Penny'),
    paragraph(decision),
    heading('What happens next'),
    paragraph(
      'You do not need to do anything. We will pay ',
      bold('£84.20'),
      ' a week into the account that ends in 1234, and write to you again in March.',
    ),
    paragraph('To read more, visit ', bold('www.example.gov.uk/benefits/changes'), '.'),
    paragraph('Yours sincerely'),
    signature,
  ],
});

export const longLetter = letter({
  ...withContactBlock,
  blocks: [
    paragraph('Dear Ms Penny'),
    paragraph(decision),
    heading('What we need from you'),
    list(
      false,
      'your National Insurance number',
      item(
        'a bill, bank statement or letter that shows where you live and is not older than three months, for example for',
        list(false, 'gas or electricity', item('council tax', list(false, 'this year’s', 'last year’s')), 'water'),
      ),
      'the name of your landlord',
    ),
    heading('What to do'),
    list(
      true,
      'Gather the papers.',
      item('Copy them:', list(true, 'at home', 'at a library, where it is free')),
      'Send us the copies, not the originals.',
    ),
    ...Array.from({ length: 3 }, () => paragraph(decision)),
    heading('If your circumstances change'),
    paragraph(decision),
    paragraph(decision),
    pageBreak,
    heading('How to appeal'),
    paragraph('You have one month from the date of this letter. ', decision),
    signature,
  ],
});

export const qrLetter = letter({
  ...withContactBlock,
  blocks: [
    paragraph('Dear Ms Penny'),
    paragraph('Point the camera of your phone at this code to see the decision.'),
    qrCode('https://www.example.gov.uk/decision?claim=AB123456C'),
    paragraph('Or write to us at the address above.'),
    signature,
  ],
});

export const welshLetter: LetterDocument = {
  parts: [
    part({
      ...withContactBlock,
      language: 'welsh',
      date: '14 Tachwedd 2026',
      subject: [text('Eich budd-dal tai o 1 Rhagfyr 2026')],
      blocks: [
        paragraph('Annwyl Ms Penny'),
        paragraph(
          'Rydych wedi gofyn i ni edrych eto ar ein penderfyniad. Mae’r gŵr yn y tŷ hŷn yn gwybod am y cynllun, ac ŵyr ei wraig am ffïoedd y gwŷr. ÂÊÎÔÛŴŶ âêîôûŵŷ ẁẃẅ ỳýÿ.',
        ),
        list(false, 'eich enw a’ch cyfeiriad', 'rhif eich cyfrif banc'),
        paragraph('Yn gywir'),
        signature,
      ],
    }),
    part({
      ...withContactBlock,
      blocks: [
        paragraph('Dear Ms Penny'),
        paragraph(decision),
        list(false, 'your name and address', 'your bank account number'),
        signature,
      ],
    }),
  ],
};

const placeholder = (style: 'plain' | 'conditional' | 'no-brackets' | 'redacted', value: string): LetterInline => ({
  kind: 'placeholder',
  style,
  text: value,
});

const unfilledLetter = letter({
  ...withContactBlock,
  address: [1, 2, 3, 4, 5, 6, 7].map((n) => [placeholder('no-brackets', `address line ${n}`)]),
  subject: [text('Your claim '), placeholder('plain', '((reference))')],
  blocks: [
    paragraph('Dear ', placeholder('plain', '((name))')),
    paragraph(
      'We will pay ',
      placeholder('redacted', 'hidden'),
      ' a week. ',
      placeholder('conditional', '((late??'),
      'We are sorry that this took so long.))',
    ),
    { kind: 'qr-code', data: 'https://example.gov.uk/((reference))', unfilled: true },
    signature,
  ],
});

/** Made for these tests: shapes, a style sheet, a gradient and text, as drawing programs export them. */
export const sampleLogo = {
  name: 'Borough of Example',
  svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 280 72">
  <defs>
    <style>.green{fill:#00703c}.paper{fill:#ffffff}</style>
    <linearGradient id="sea"><stop offset="0" stop-color="#1d70b8"/><stop offset="1" stop-color="#5694ca"/></linearGradient>
  </defs>
  <circle class="green" cx="36" cy="36" r="34"/>
  <path class="paper" d="M20 50V22H40A10 10 0 0 1 40 42H28V50Z"/>
  <rect x="82" y="66" width="196" height="4" fill="url(#sea)"/>
  <text x="82" y="30" font-family="Arial" font-size="24" font-weight="bold">Borough of</text>
  <text x="82" y="58" font-family="Arial" font-size="24">Example</text>
</svg>`,
};

const print: DrawLetterOptions = { purpose: 'print', geometry: gbGeometry };

/** The letters of the images in src/rendering/golden, by file name. */
export const sampleLetters: [name: string, document: LetterDocument, options: DrawLetterOptions][] = [
  ['plain', plainLetter, print],
  ['long', longLetter, print],
  ['qr', qrLetter, print],
  ['welsh', welshLetter, { ...print, logo: sampleLogo }],
  ['preview', welshLetter, { ...print, purpose: 'preview', logo: sampleLogo }],
  ['unfilled', unfilledLetter, { ...print, purpose: 'preview' }],
];
