import { Type } from 'typebox';
import { t } from '../../../../language/text.ts';
import { referencePattern } from '../../../../letters/print/print-provider.ts';
import { maxReferences, recordReturnedLetters } from '../../../../letters/returned/returned-letters.ts';
import { invalidField } from '../../../../platform/failure.ts';
import { takesLongText } from '../../../../platform/http/body/body-limits.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { TextArea } from '../../../parts/field.tsx';
import { ButtonLink, Submit } from '../../../parts/form.tsx';

const isReference = new RegExp(referencePattern);

/** What the printer reports by other means than its calls. */
export function reportReturnedPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/operator/returned-letters', {
    who: 'platform-admin',
    menu: 'Letters',
    show: (_asked, formState) => ({
      title: t('Returned letters'),
      lead: t('Paste the references of letters that were returned. Their services will see them and get a callback.'),
      actions: <ButtonLink to="/operator/days-without-printing">{t('Days without printing')}</ButtonLink>,
      content: (
        <form class="stack measure" method="post" noValidate>
          <TextArea
            formState={formState}
            name="references"
            label={t('References')}
            hint={t('Enter one on each line: 16 capital letters and digits, as in the file names of the print run.')}
            rows={10}
          />
          <Submit>{t('Report as returned')}</Submit>
        </form>
      ),
    }),
    form: Type.Object({ references: Type.String({ maxLength: 2_000_000 }) }),
    needs: { references: t('Enter at least one reference.') },
    ...takesLongText,
    async act(_asked, { references: text }) {
      const references = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
      const wrong = references.find((reference) => !isReference.test(reference));
      if (wrong !== undefined) {
        throw invalidField(
          'references',
          t('“{wrong}” is not a reference. Correct it: nothing was reported.', { wrong: wrong.slice(0, 40) }),
        );
      }
      if (references.length > maxReferences) {
        throw invalidField(
          'references',
          t('Enter at most {maxReferences} references at once.', { maxReferences: count(maxReferences) }),
        );
      }
      const recorded = await recordReturnedLetters(app, references);
      const rest = references.length - recorded;
      return {
        to: '/operator/returned-letters',
        notice:
          rest > 0
            ? t(
                '{recorded} of {length} letters reported as returned. The others are unknown or were reported before.',
                { recorded: count(recorded), length: count(references.length) },
              )
            : t('{recorded} of {length} letters reported as returned.', {
                recorded: count(recorded),
                length: count(references.length),
              }),
      };
    },
  });
}
