import { Type } from 'typebox';
import { T } from '../../../../language/sentence.tsx';
import { t } from '../../../../language/text.ts';
import {
  addDayWithoutPrinting,
  listDaysWithoutPrinting,
  removeDayWithoutPrinting,
} from '../../../../letters/print/days-without-printing.ts';
import { referencePattern } from '../../../../letters/print/print-provider.ts';
import { maxReferences, recordReturnedLetters } from '../../../../letters/returned/returned-letters.ts';
import { invalidField } from '../../../../platform/failure.ts';
import { acceptsLongText } from '../../../../platform/http/body/body-limits.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { weekdayAndDate } from '../../../message-labels.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { Field, TextArea } from '../../../parts/field.tsx';
import { ButtonLink, Confirm, SaveForm, Submit } from '../../../parts/form.tsx';
import { Empty } from '../../../parts/notice.tsx';
import { Table } from '../../../parts/table.tsx';
import { DayField, readDay, TypedValue } from '../../../parts/value-fields.tsx';

const isReference = new RegExp(referencePattern);

/** Returned letters that the printer does not report through the API. */
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
    ...acceptsLongText,
    async act(_asked, { references: text }) {
      const references = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
      const wrong = references.find((reference) => !isReference.test(reference));
      if (wrong !== undefined) {
        throw invalidField(
          'references',
          t('“{wrong}” is not a reference. Correct it and try again. We have not reported any letters.', {
            wrong: wrong.slice(0, 40),
          }),
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

const here = '/operator/days-without-printing';

/** Days on which the printer does not work, in addition to the country's own. */
export function daysWithoutPrintingPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who: 'platform-admin',
    below: 'Letters',
    name: t('Days without printing'),
    async show(_asked, formState) {
      const days = await listDaysWithoutPrinting(app);
      return {
        title: t('Days without printing'),
        lead: t(
          'Letters are not printed at weekends and on public holidays. Add the other days on which your printer does not work.',
        ),
        crumbs: [{ label: t('Returned letters'), to: '/operator/returned-letters' }],
        content: (
          <div class="stack stack--loose">
            {days.length === 0 ? (
              <Empty title={t('No days yet')}>
                <T>
                  Add a day below, or import a calendar with <code>pennypost holidays import</code>.
                </T>
              </Empty>
            ) : (
              <Table
                caption={t('Days without printing, the next first')}
                rows={days}
                keyOf={({ day }) => day}
                columns={[
                  { head: t('Day'), cell: ({ day }) => `${weekdayAndDate(day)} ${day.slice(0, 4)}` },
                  { head: t('Name'), cell: ({ name }) => <span dir="auto">{name}</span> },
                  {
                    head: t('Actions'),
                    hidden: true,
                    cell: ({ day, name }) => (
                      <Confirm
                        label={
                          <T>
                            Remove<span class="sr"> {{ name }}</span>
                          </T>
                        }
                        action={t('Remove this day')}
                        to={pageUrl(`${here}/remove`)}
                        fields={{ day }}
                      >
                        {t('Letters will be printed on that day, unless it is at a weekend or on a public holiday.')}
                      </Confirm>
                    ),
                  },
                ]}
              />
            )}
            <SaveForm back="/operator/returned-letters" action={t('Add the day')}>
              <DayField formState={formState} name="day" label={t('Day')} />
              <Field formState={formState} name="name" label={t('Name')} hint={t('For example “Printer closed”')} />
            </SaveForm>
          </div>
        ),
      };
    },
    form: Type.Object({ day: TypedValue, name: Type.String({ maxLength: 100 }) }),
    needs: { day: t('Enter a day.'), name: t('Enter a name.') },
    async act(_asked, { day, name }) {
      await addDayWithoutPrinting(app, { day: readDay(day, { field: 'day' }), name });
      return { to: here, notice: t('Day added.') };
    },
  });

  pages.add(`${here}/remove`, {
    who: 'platform-admin',
    show: () => ({ to: here }),
    form: Type.Object({ day: TypedValue }),
    async act(_asked, { day }) {
      await removeDayWithoutPrinting(app, readDay(day, { field: 'day' }));
      return { to: here, notice: t('Day removed.') };
    },
  });
}
