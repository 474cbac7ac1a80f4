import type { CheckedLetter } from '../../../letters/checked-letters.ts';
import type { FormState } from '../../page.ts';
import { Choices } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { problemInWords } from './problem-texts.ts';

interface CheckedLetterProps {
  serviceId: string;
  letter: CheckedLetter;
  formState: FormState;
}

/** The pages of an uploaded letter, with what is wrong; only a letter without problems can be sent. */
export function CheckedLetterView({ serviceId, letter: { id, check, filename }, formState }: CheckedLetterProps) {
  const problem = problemInWords(check);
  const path = `/console/services/${serviceId}/pdf-letters/${id}`;
  const wrong = check.invalid_pages ?? [];
  return (
    <div class="aside">
      <div class="stack">
        {Array.from({ length: Math.min(check.page_count ?? 0, 10) }, (_, index) => index + 1).map((page) => (
          <figure key={page} class="stack stack--tight">
            <figcaption class="small muted center">
              Page {page} of {check.page_count}
              {wrong.includes(page) && ', with a problem'}
            </figcaption>
            <img
              class="sheet"
              src={`${path}/pages/${page}`}
              alt={`Page ${page} of the letter`}
              loading={page === 1 ? undefined : 'lazy'}
              width="595"
              height="842"
            />
          </figure>
        ))}
      </div>
      <div class="stack">
        {problem !== undefined ? (
          <>
            <Notice tone="red">{problem}</Notice>
            <p>
              <a class="button" href={`/console/services/${serviceId}/pdf-letters`}>
                Choose another file
              </a>
            </p>
          </>
        ) : (
          <>
            <section class="card stack stack--tight" aria-labelledby="address">
              <h2 id="address">Address as read</h2>
              <p>
                {check.recipient_address
                  ?.split('\n')
                  .flatMap((line, index) => (index === 0 ? [line] : [<br key={line} />, line]))}
              </p>
            </section>
            <form class="stack" method="post" noValidate>
              <Choices
                formState={formState}
                name="postage"
                legend="Postage"
                hint="Letters abroad have the postage of their country."
                kind="one"
                chosen={['second']}
                choices={[
                  { value: 'first', label: 'First class' },
                  { value: 'second', label: 'Second class' },
                  { value: 'economy', label: 'Economy' },
                ]}
              />
              <Field
                formState={formState}
                name="reference"
                label="Reference"
                hint="To find the letter again."
                value={filename}
                autocomplete="off"
              />
              <div>
                <button class="button button--primary" type="submit">
                  Send
                </button>
              </div>
            </form>
          </>
        )}
      </div>
    </div>
  );
}
