import { Type } from 'typebox';
import { referencePattern } from '../../../../letters/print/print-provider.ts';
import { maxReferences, recordReturnedLetters } from '../../../../letters/returned/returned-letters.ts';
import { invalidField } from '../../../../platform/failure.ts';
import { takesLongText } from '../../../../platform/http/body/body-limits.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { TextArea } from '../../../parts/field.tsx';
import { Submit } from '../../../parts/form.tsx';

const isReference = new RegExp(referencePattern);

/** What the printer reports by other means than its calls. */
export function reportReturnedPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/operator/returned-letters', {
    who: 'platform-admin',
    menu: 'Letters',
    show: (_asked, formState) => ({
      title: 'Returned letters',
      lead: 'Paste the references of letters that the post brought back. Their services see them, and get a callback.',
      content: (
        <form class="stack measure" method="post" noValidate>
          <TextArea
            formState={formState}
            name="references"
            label="References"
            hint="16 capital letters and digits each, as in the file names of the print run; one on each line."
            rows={10}
          />
          <Submit>Report as returned</Submit>
        </form>
      ),
    }),
    form: Type.Object({ references: Type.String({ maxLength: 2_000_000 }) }),
    needs: { references: 'Paste at least one reference.' },
    ...takesLongText,
    async act(_asked, { references: text }) {
      const references = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
      const wrong = references.find((reference) => !isReference.test(reference));
      if (wrong !== undefined) {
        throw invalidField('references', `“${wrong.slice(0, 40)}” is not a reference: nothing was reported.`);
      }
      if (references.length > maxReferences) {
        throw invalidField('references', `At most ${count(maxReferences)} references at once.`);
      }
      const recorded = await recordReturnedLetters(app, references);
      const rest = references.length - recorded;
      return {
        to: '/operator/returned-letters',
        notice: `${count(recorded)} of ${count(references.length)} letters are reported as returned.${
          rest > 0 ? ' The others are unknown or were reported before.' : ''
        }`,
      };
    },
  });
}
