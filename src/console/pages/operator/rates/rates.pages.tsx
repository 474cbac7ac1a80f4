import { Type } from 'typebox';
import {
  createLetterRate,
  createSmsRate,
  findSmsRate,
  listFutureLetterRates,
  listLetterRates,
  listSmsRates,
} from '../../../../billing/rates.ts';
import { createRateAbroad, maxMultiplier } from '../../../../billing/rates-abroad.ts';
import { listPostage, postageLabel } from '../../../../countries/postage.ts';
import { declared, type Text, t } from '../../../../language/text.ts';
import { listRatesAbroad, type RateAbroad } from '../../../../notifications/rates-abroad.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { count, unitOf } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { Choices, Field, Select } from '../../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../../parts/form.tsx';
import { Empty } from '../../../parts/notice.tsx';
import { Table } from '../../../parts/table.tsx';
import { fullDay } from '../../../parts/time.tsx';
import {
  DayField,
  MoneyField,
  NumberField,
  readDay,
  readNumber,
  readPrice,
  TypedValue,
} from '../../../parts/value-fields.tsx';
import { fromMidnight, useViewer } from '../../../viewer.ts';

const here = '/operator/rates';
const crumbs = [{ label: t('Rates'), to: here }];
const repricing = t('If you choose a day in the past, the cost of messages sent since then changes too.');

/** The prices of messages, and from when they apply. */
export function ratePages(pages: Pages, app: ConsoleApp): void {
  const { money, postage, phone } = app.country;

  pages.add(here, {
    who: 'operator',
    menu: 'Rates',
    async show({ visitor }) {
      const [texts, current, letters, coming, abroad] = await Promise.all([
        listSmsRates(app),
        findSmsRate(app),
        listLetterRates(app),
        listFutureLetterRates(app),
        phone.hasRatesAbroad ? listRatesAbroad(app.db) : undefined,
      ]);
      const now = app.clock.now().toISOString();
      const stateOf = (start: string) =>
        start > now
          ? t('From then on')
          : current && start.startsWith(current.valid_from)
            ? t('Current')
            : t('Previous');
      return {
        title: t('Rates'),
        lead: t('Usage and reports are priced with these rates. Emails are free.'),
        actions: visitor.user.platform_admin && (
          <>
            <ButtonLink to={`${here}/new-text`}>{t('New text rate')}</ButtonLink>
            {abroad && <ButtonLink to={`${here}/new-abroad`}>{t('New rate abroad')}</ButtonLink>}
            <ButtonLink to={`${here}/new-letter`}>{t('New letter rate')}</ButtonLink>
          </>
        ),
        content: (
          <div class="stack stack--loose">
            <section class="stack stack--tight">
              <h2>{t('One part of a text')}</h2>
              {texts.length === 0 ? (
                <Empty title={t('No prices yet')}>
                  {t('Add a rate. Until then, the console shows texts without their cost.')}
                </Empty>
              ) : (
                <Table
                  caption={t('Text rates, newest first')}
                  rows={texts}
                  keyOf={({ valid_from }) => valid_from}
                  columns={[
                    {
                      head: t('From', { context: 'a date' }),
                      cell: ({ valid_from }) => fullDay(app.country.calendar, valid_from),
                    },
                    { head: t('State'), cell: ({ valid_from }) => stateOf(valid_from) },
                    { head: t('Price'), cell: ({ rate }) => money.price(rate), numeric: true },
                  ]}
                />
              )}
            </section>
            {abroad && <RatesAbroad rates={abroad} now={now} />}
            {coming.length > 0 && (
              <section class="stack stack--tight">
                <h2>{t('Letters, future rates')}</h2>
                <LetterRates caption={t('Future letter rates')} rates={coming} />
              </section>
            )}
            <section class="stack stack--tight">
              <h2>{t('Letters, now')}</h2>
              {letters.length === 0 ? (
                <Empty title={t('No prices yet')}>
                  {t('Add a rate. Until then, the console shows letters without their cost.')}
                </Empty>
              ) : (
                <LetterRates caption={t('Letter rates by number of sheets')} rates={letters} />
              )}
            </section>
          </div>
        ),
      };
    },
  });

  pages.add(`${here}/new-text`, {
    who: 'platform-admin',
    below: 'Rates',
    show: (_asked, formState) => ({
      title: t('New text rate'),
      lead: repricing,
      crumbs,
      content: (
        <SaveForm back={here} action={t('Add the rate')}>
          <MoneyField
            formState={formState}
            name="rate"
            label={t('Price of one part, in {unit}', { unit: unitOf(money) })}
            hint={t('For example {example} ({unit})', { example: money.plain(0.0227), unit: unitOf(money) })}
            inputmode="text"
          />
          <DayField
            formState={formState}
            name="valid_from"
            label={t('From', { context: 'a date' })}
            hint={fromMidnight(app.country)}
          />
        </SaveForm>
      ),
    }),
    form: Type.Object({ rate: TypedValue, valid_from: TypedValue }),
    needs: { rate: t('Enter a price.'), valid_from: t('Enter a day.') },
    async act(_asked, { rate, valid_from }) {
      await createSmsRate(app, {
        rate: readPrice(rate, { field: 'rate', money }),
        valid_from: readDay(valid_from, { field: 'valid_from' }),
      });
      return { to: here, notice: t('Rate added.') };
    },
  });

  if (phone.hasRatesAbroad) {
    pages.add(`${here}/new-abroad`, {
      who: 'platform-admin',
      below: 'Rates',
      show: (_request, formState) => ({
        title: t('New rate abroad'),
        lead:
          app.country.phone.multiplierAbroad === undefined
            ? t(
                'Texts that were sent before keep their cost. Once there is a rate, texts to countries without one are refused.',
              )
            : t('Texts that were sent before keep their cost.'),
        crumbs,
        content: (
          <SaveForm back={here} action={t('Add the rate')}>
            <Field
              formState={formState}
              name="prefix"
              label={t('Country calling code')}
              hint={t('For example 49. Where several countries share a code, add the region: 1:JM')}
              short
            />
            <NumberField
              formState={formState}
              name="multiplier"
              label={t('Price of one part, as a multiple of a part {inCountry}', {
                inCountry: declared(app.country.words.inCountry),
              })}
            />
            <Choices
              kind="several"
              formState={formState}
              name="networks"
              legend={t('Networks in that country')}
              choices={[
                { value: 'no-receipts', label: t('Delivery receipts are not reliable') },
                { value: 'numeric-sender', label: t('Only numbers can be senders') },
              ]}
            />
            <DayField
              formState={formState}
              name="valid_from"
              label={t('From', { context: 'a date' })}
              hint={fromMidnight(app.country)}
            />
          </SaveForm>
        ),
      }),
      form: Type.Object({
        prefix: TypedValue,
        multiplier: TypedValue,
        networks: Type.Array(OneOf(['no-receipts', 'numeric-sender'])),
        valid_from: TypedValue,
      }),
      needs: { prefix: t('Enter a code.'), multiplier: t('Enter a number.'), valid_from: t('Enter a day.') },
      async act(_asked, { prefix, multiplier, networks, valid_from }) {
        await createRateAbroad(app, {
          prefix,
          multiplier: readNumber(multiplier, { field: 'multiplier', min: 1, max: maxMultiplier, plain: true }),
          receipts: !networks.includes('no-receipts'),
          numeric_sender: networks.includes('numeric-sender'),
          valid_from: readDay(valid_from, { field: 'valid_from' }),
        });
        return { to: here, notice: t('Rate added.') };
      },
    });
  }

  pages.add(`${here}/new-letter`, {
    who: 'platform-admin',
    below: 'Rates',
    show: (_asked, formState) => ({
      title: t('New letter rate'),
      lead: repricing,
      crumbs,
      content: (
        <SaveForm back={here} action={t('Add the rate')}>
          <Select
            formState={formState}
            name="post_class"
            label={t('Postage')}
            choices={postage.classes.map(({ id, label }) => ({ value: id, label: declared(label) }))}
            value={postage.default}
            short
          />
          <NumberField formState={formState} name="sheet_count" label={t('Sheets of a letter')} />
          <MoneyField
            formState={formState}
            name="rate"
            label={t('Price of a letter, in {unit}', { unit: unitOf(money) })}
            hint={t('For example {example} ({unit})', { example: money.plain(0.68), unit: unitOf(money) })}
          />
          <DayField
            formState={formState}
            name="start_date"
            label={t('From', { context: 'a date' })}
            hint={fromMidnight(app.country)}
          />
        </SaveForm>
      ),
    }),
    form: Type.Object({
      post_class: OneOf(listPostage(postage)),
      sheet_count: TypedValue,
      rate: TypedValue,
      start_date: TypedValue,
    }),
    needs: {
      post_class: t('Choose a postage.'),
      sheet_count: t('Enter a number of sheets.'),
      rate: t('Enter a price.'),
      start_date: t('Enter a day.'),
    },
    async act(_asked, { post_class, ...form }) {
      await createLetterRate(app, {
        post_class,
        sheet_count: readNumber(form.sheet_count, {
          field: 'sheet_count',
          min: 1,
          max: 100,
          plain: true,
          problem: t('Enter a number from 1 to 100.'),
        }),
        start_date: readDay(form.start_date, { field: 'start_date' }),
        rate: readPrice(form.rate, { field: 'rate', money }),
      });
      return { to: here, notice: t('Rate added.') };
    },
  });
}

function RatesAbroad({ rates, now }: { rates: RateAbroad[]; now: string }) {
  const { calendar, words } = useViewer().country;
  return (
    <section class="stack stack--tight">
      <h2>{t('Texts to other countries')}</h2>
      {rates.length === 0 ? (
        <Empty title={t('No prices yet')}>
          {t(
            'Add a rate, or import a file with the command “pennypost rates import”. Until then, texts to other countries are shown without their cost.',
          )}
        </Empty>
      ) : (
        <Table
          caption={t('Rates abroad, in texts {inCountry}', { inCountry: declared(words.inCountry) })}
          rows={rates}
          keyOf={({ prefix, valid_from }) => `${prefix} ${valid_from}`}
          columns={[
            { head: t('Calling code'), cell: ({ prefix }) => `+${prefix}` },
            {
              head: t('From', { context: 'a date' }),
              cell: ({ valid_from }) => `${fullDay(calendar, valid_from)}${valid_from > now ? ' (coming)' : ''}`,
            },
            { head: t('Receipts'), cell: ({ receipts }) => (receipts ? t('Yes') : t('No')) },
            { head: t('Senders'), cell: ({ numeric_sender }) => (numeric_sender ? t('Numbers only') : t('Any')) },
            {
              head: t('Parts'),
              cell: ({ multiplier }) => (multiplier === null ? t('No price') : count(multiplier)),
              numeric: true,
            },
          ]}
        />
      )}
    </section>
  );
}

interface LetterRate {
  post_class: string;
  sheet_count: number;
  rate: string;
  start_date: string;
}

/** One row for each postage class and start date, one column for each number of sheets. */
function LetterRates({ caption, rates }: { caption: Text; rates: readonly LetterRate[] }) {
  const { calendar, money, postage } = useViewer().country;
  const sheets = [...new Set(rates.map(({ sheet_count }) => sheet_count))].sort((one, other) => one - other);
  const lines = new Map<string, LetterRate[]>();
  for (const rate of rates) {
    const line = `${rate.post_class} ${rate.start_date}`;
    lines.set(line, [...(lines.get(line) ?? []), rate]);
  }
  return (
    <Table
      caption={caption}
      rows={[...lines]}
      keyOf={([line]) => line}
      columns={[
        { head: t('Postage'), cell: ([, [rate]]) => declared(postageLabel(postage, rate?.post_class ?? '')) },
        { head: t('From', { context: 'a date' }), cell: ([, [rate]]) => fullDay(calendar, rate?.start_date ?? '') },
        ...sheets.map((count) => ({
          head: count === 1 ? t('1 sheet') : t('{count} sheets', { count }),
          numeric: true as const,
          cell: ([, line]: [string, LetterRate[]]) => {
            const found = line.find(({ sheet_count }) => sheet_count === count);
            return found ? money.price(Number(found.rate)) : t('None');
          },
        })),
      ]}
    />
  );
}
