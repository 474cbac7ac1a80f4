import { Type } from 'typebox';
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
      title: 'Returned letters',
      lead: 'Paste the references of letters that were returned. Their services will see them and get a callback.',
      actions: <ButtonLink to="/operator/days-without-printing">Days without printing</ButtonLink>,
      content: (
        <form class="stack measure" method="post" noValidate>
          <TextArea
            formState={formState}
            name="references"
            label="References"
            hint="Enter one on each line: 16 capital letters and digits, as in the file names of the print run."
            rows={10}
          />
          <Submit>Report as returned</Submit>
        </form>
      ),
    }),
    form: Type.Object({ references: Type.String({ maxLength: 2_000_000 }) }),
    needs: { references: 'Enter at least one reference.' },
    ...takesLongText,
    async act(_asked, { references: text }) {
      const references = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
      const wrong = references.find((reference) => !isReference.test(reference));
      if (wrong !== undefined) {
        throw invalidField(
          'references',
          `“${wrong.slice(0, 40)}” is not a reference. Correct it: nothing was reported.`,
        );
      }
      if (references.length > maxReferences) {
        throw invalidField('references', `Enter at most ${count(maxReferences)} references at once.`);
      }
      const recorded = await recordReturnedLetters(app, references);
      const rest = references.length - recorded;
      return {
        to: '/operator/returned-letters',
        notice:
          rest > 0
            ? `${count(recorded)} of ${count(references.length)} letters reported as returned. The others are unknown or were reported before.`
            : `${count(recorded)} of ${count(references.length)} letters reported as returned.`,
      };
    },
  });
}
