import type { Country } from '../../../countries/country.ts';
import { declared, type Text, t } from '../../../language/text.ts';
import type { CheckedLetter } from '../../../letters/checked-letters.ts';
import type { PrecompiledCheck } from '../../../rendering/pdf/pdf-verdict.ts';
import { sheetSize, wrongPaper } from '../../letter-paper.ts';
import { pageUrl } from '../../links.ts';
import { postageChoices } from '../../message-labels.ts';
import type { FormState } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { ButtonLink, Submit } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';

interface CheckedLetterProps {
  country: Country;
  serviceId: string;
  letter: CheckedLetter;
  formState: FormState;
}

/** The pages of an uploaded letter with its problems. Only a letter without problems can be sent. */
export function CheckedLetterView({
  country,
  serviceId,
  letter: { id, check, filename },
  formState,
}: CheckedLetterProps) {
  const problem = describeProblem(country, check);
  const path = pageUrl(`/services/${serviceId}/pdf-letters/${id}`);
  const wrong = check.invalid_pages ?? [];
  return (
    <div class="aside">
      <div class="stack">
        {Array.from({ length: Math.min(check.page_count ?? 0, 10) }, (_, index) => index + 1).map((page) => (
          <figure key={page} class="stack stack--tight">
            <figcaption class="small muted center">
              {wrong.includes(page)
                ? t('Page {page} of {pages}, with a problem', { page, pages: check.page_count ?? '' })
                : t('Page {page} of {pages}', { page, pages: check.page_count ?? '' })}
            </figcaption>
            <img
              class="sheet"
              src={`${path}/pages/${page}`}
              alt={t('Page {page} of the letter', { page })}
              loading={page === 1 ? undefined : 'lazy'}
              {...sheetSize(country)}
            />
          </figure>
        ))}
      </div>
      <div class="stack">
        {problem !== undefined ? (
          <>
            <Notice tone="red">{problem}</Notice>
            <p>
              <ButtonLink to={`/services/${serviceId}/pdf-letters`}>{t('Choose another file')}</ButtonLink>
            </p>
          </>
        ) : (
          <>
            <section class="card stack stack--tight" aria-labelledby="address">
              <h2 id="address">{t('Address as read')}</h2>
              <p dir="auto">
                {check.recipient_address
                  ?.split('\n')
                  .flatMap((line, index) => (index === 0 ? [line] : [<br key={line} />, line]))}
              </p>
            </section>
            <form class="stack" method="post" noValidate>
              <Choices
                formState={formState}
                name="postage"
                legend={t('Postage')}
                hint={t('Letters to other countries have the postage of their country.')}
                kind="one"
                chosen={[country.postage.default]}
                choices={postageChoices(country)}
              />
              <Field
                formState={formState}
                name="reference"
                label={t('Reference')}
                hint={t('A reference of your own, such as a case number.')}
                value={filename}
                autocomplete="off"
              />
              <Submit>{t('Send')}</Submit>
            </form>
          </>
        )}
      </div>
    </div>
  );
}

type Message = NonNullable<PrecompiledCheck['message']>;

/** Advice about a PDF that cannot be sent. */
const problemTexts = (country: Country): Record<Message, Text> => ({
  'unable-to-read-the-file': t('This file cannot be read as a PDF. Save it as a PDF and upload it again.'),
  'letter-too-long': t('The letter has more than 10 pages. Remove pages until it has 10.'),
  'letter-not-a4-portrait-oriented': wrongPaper(
    country,
    t('Some pages are not A4 portrait. Change their size and upload the PDF again.'),
  ),
  'content-outside-printable-area': t(
    'Some content is outside the printable area, which is marked in red. Move it inside, or make the margins wider.',
  ),
  'notify-tag-found-in-content': t(
    'A page after the first has the tag {tag}. Remove the tag from all pages but the first.',
    { tag: country.letter.tag },
  ),
  'address-is-empty': t('The address window of the first page is empty. Move the address into it.'),
  'not-enough-address-lines': t('The address needs at least {min} lines.', { min: country.address.lines.min }),
  'too-many-address-lines': t('The address can have at most {max} lines.', { max: country.address.lines.max }),
  'invalid-address-line-1-or-2': t('Each of the first 2 lines of the address needs a letter or a digit.'),
  'has-country-for-bfpo-address': t('The last line of a BFPO address must not be a country.'),
  'not-a-real-uk-postcode-or-country': declared(country.words.letterLastLine),
  'no-town-beside-postcode': t('{problem}.', { problem: declared(country.words.noTown) }),
  'cant-send-international-letters': declared(country.words.letterAbroad),
  'not-a-real-uk-postcode': declared(country.words.letterPostcode),
  'invalid-char-in-address': t('No line of the address can start with one of these: @ ( ) = [ ] ” \\ / , < >'),
  'no-fixed-abode-address': t('Enter a real address: letters cannot go to “no fixed abode”.'),
});

function describeProblem(country: Country, { message, invalid_pages }: PrecompiledCheck): Text | undefined {
  if (message === null) return undefined;
  const isAboutAddress = message.includes('address') || message.includes('postcode') || message.includes('letters');
  const pages = isAboutAddress ? [] : (invalid_pages ?? []);
  const text = problemTexts(country)[message];
  if (pages.length === 0) return text;
  return t('{problem} See page {pages}.', { problem: text, pages: pages.join(', ') });
}
