import { Type } from 'typebox';
import {
  createLetterRate,
  createSmsRate,
  findSmsRate,
  listComingLetterRates,
  listLetterRates,
  listSmsRates,
} from '../../../../billing/rates.ts';
import { createRateAbroad, maxMultiplier } from '../../../../billing/rates-abroad.ts';
import { listPostage, postageLabel } from '../../../../countries/postage.ts';
import { listRatesAbroad, type RateAbroad } from '../../../../notifications/rates-abroad.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { count } from '../../../money.ts';
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
const crumbs = [{ label: 'Rates', to: here }];
const repricing = 'If you choose a day in the past, the cost of messages sent since then changes too.';

/** What messages cost, and from when on. */
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
        listComingLetterRates(app),
        phone.hasRatesAbroad ? listRatesAbroad(app.db) : undefined,
      ]);
      const now = app.clock.now().toISOString();
      const stateOf = (start: string) =>
        start > now ? 'From then on' : current && start.startsWith(current.valid_from) ? 'Current' : 'Previous';
      return {
        title: 'Rates',
        lead: 'Usage and reports are priced with these rates. Emails are free.',
        actions: visitor.user.platform_admin && (
          <>
            <ButtonLink to={`${here}/new-text`}>New text rate</ButtonLink>
            {abroad && <ButtonLink to={`${here}/new-abroad`}>New rate abroad</ButtonLink>}
            <ButtonLink to={`${here}/new-letter`}>New letter rate</ButtonLink>
          </>
        ),
        content: (
          <div class="stack stack--loose">
            <section class="stack stack--tight">
              <h2>One part of a text</h2>
              {texts.length === 0 ? (
                <Empty title="No prices yet">Add a rate. Until then, the console shows texts without their cost.</Empty>
              ) : (
                <Table
                  caption="Rates of texts, newest first"
                  rows={texts}
                  keyOf={({ valid_from }) => valid_from}
                  columns={[
                    { head: 'From', cell: ({ valid_from }) => fullDay(app.country.calendar, valid_from) },
                    { head: 'State', cell: ({ valid_from }) => stateOf(valid_from) },
                    { head: 'Price', cell: ({ rate }) => money.price(rate), numeric: true },
                  ]}
                />
              )}
            </section>
            {abroad && <RatesAbroad rates={abroad} now={now} />}
            {coming.length > 0 && (
              <section class="stack stack--tight">
                <h2>Letters, from a later day on</h2>
                <LetterRates caption="Coming rates of letters" rates={coming} />
              </section>
            )}
            <section class="stack stack--tight">
              <h2>Letters, now</h2>
              {letters.length === 0 ? (
                <Empty title="No prices yet">
                  Add a rate. Until then, the console shows letters without their cost.
                </Empty>
              ) : (
                <LetterRates caption="Rates of letters by sheets" rates={letters} />
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
      title: 'New text rate',
      lead: repricing,
      crumbs,
      content: (
        <SaveForm back={here} action="Add the rate">
          <MoneyField
            formState={formState}
            name="rate"
            label={`Price of one part, in ${money.unit}`}
            hint={`For example ${money.plain(0.0227)} (${money.unit})`}
            inputmode="text"
          />
          <DayField formState={formState} name="valid_from" label="From" hint={fromMidnight(app.country)} />
        </SaveForm>
      ),
    }),
    form: Type.Object({ rate: TypedValue, valid_from: TypedValue }),
    needs: { rate: 'Enter a price.', valid_from: 'Enter a day.' },
    async act(_asked, { rate, valid_from }) {
      await createSmsRate(app, {
        rate: readPrice(rate, { field: 'rate', money }),
        valid_from: readDay(valid_from, { field: 'valid_from' }),
      });
      return { to: here, notice: 'Rate added.' };
    },
  });

  if (phone.hasRatesAbroad) {
    pages.add(`${here}/new-abroad`, {
      who: 'platform-admin',
      below: 'Rates',
      show: (_request, formState) => ({
        title: 'New rate abroad',
        lead: 'Texts that were sent before keep their cost.',
        crumbs,
        content: (
          <SaveForm back={here} action="Add the rate">
            <Field
              formState={formState}
              name="prefix"
              label="Country calling code"
              hint="For example 49. Where several countries share a code, add the region: 1:JM"
              short
            />
            <NumberField
              formState={formState}
              name="multiplier"
              label={`Price of one part, in parts of a text ${app.country.words.inCountry}`}
            />
            <Choices
              kind="several"
              formState={formState}
              name="networks"
              legend="Networks there"
              choices={[
                { value: 'no-receipts', label: 'Delivery receipts cannot be believed' },
                { value: 'numeric-sender', label: 'Only numbers can be senders' },
              ]}
            />
            <DayField formState={formState} name="valid_from" label="From" hint={fromMidnight(app.country)} />
          </SaveForm>
        ),
      }),
      form: Type.Object({
        prefix: TypedValue,
        multiplier: TypedValue,
        networks: Type.Array(OneOf(['no-receipts', 'numeric-sender'])),
        valid_from: TypedValue,
      }),
      needs: { prefix: 'Enter a code.', multiplier: 'Enter a number.', valid_from: 'Enter a day.' },
      async act(_asked, { prefix, multiplier, networks, valid_from }) {
        await createRateAbroad(app, {
          prefix,
          multiplier: readNumber(multiplier, { field: 'multiplier', min: 1, max: maxMultiplier, plain: true }),
          receipts: !networks.includes('no-receipts'),
          numeric_sender: networks.includes('numeric-sender'),
          valid_from: readDay(valid_from, { field: 'valid_from' }),
        });
        return { to: here, notice: 'Rate added.' };
      },
    });
  }

  pages.add(`${here}/new-letter`, {
    who: 'platform-admin',
    below: 'Rates',
    show: (_asked, formState) => ({
      title: 'New letter rate',
      lead: repricing,
      crumbs,
      content: (
        <SaveForm back={here} action="Add the rate">
          <Select
            formState={formState}
            name="post_class"
            label="Postage"
            choices={postage.classes.map(({ id, label }) => ({ value: id, label }))}
            value={postage.default}
            short
          />
          <NumberField formState={formState} name="sheet_count" label="Sheets of a letter" />
          <MoneyField
            formState={formState}
            name="rate"
            label={`Price of a letter, in ${money.unit}`}
            hint={`For example ${money.plain(0.68)} (${money.unit})`}
          />
          <DayField formState={formState} name="start_date" label="From" hint={fromMidnight(app.country)} />
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
      post_class: 'Choose a postage.',
      sheet_count: 'Enter a number of sheets.',
      rate: 'Enter a price.',
      start_date: 'Enter a day.',
    },
    async act(_asked, { post_class, ...form }) {
      await createLetterRate(app, {
        post_class,
        sheet_count: readNumber(form.sheet_count, {
          field: 'sheet_count',
          min: 1,
          max: 100,
          plain: true,
          problem: 'Enter a number from 1 to 100.',
        }),
        start_date: readDay(form.start_date, { field: 'start_date' }),
        rate: readPrice(form.rate, { field: 'rate', money }),
      });
      return { to: here, notice: 'Rate added.' };
    },
  });
}

function RatesAbroad({ rates, now }: { rates: RateAbroad[]; now: string }) {
  const { calendar, words } = useViewer().country;
  return (
    <section class="stack stack--tight">
      <h2>Texts to other countries</h2>
      {rates.length === 0 ? (
        <Empty title="No prices yet">
          Add a rate, or import a file with the command “pennypost rates import”. Until then, texts to other countries
          are shown without their cost.
        </Empty>
      ) : (
        <Table
          caption={`Rates abroad, in texts ${words.inCountry}`}
          rows={rates}
          keyOf={({ prefix, valid_from }) => `${prefix} ${valid_from}`}
          columns={[
            { head: 'Calling code', cell: ({ prefix }) => `+${prefix}` },
            {
              head: 'From',
              cell: ({ valid_from }) => `${fullDay(calendar, valid_from)}${valid_from > now ? ' (coming)' : ''}`,
            },
            { head: 'Receipts', cell: ({ receipts }) => (receipts ? 'Yes' : 'No') },
            { head: 'Senders', cell: ({ numeric_sender }) => (numeric_sender ? 'Numbers only' : 'Any') },
            {
              head: 'Parts',
              cell: ({ multiplier }) => (multiplier === null ? 'No price' : count(multiplier)),
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

/** One line for each postage and day, one column for each number of sheets. */
function LetterRates({ caption, rates }: { caption: string; rates: readonly LetterRate[] }) {
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
        { head: 'Postage', cell: ([, [rate]]) => postageLabel(postage, rate?.post_class ?? '') },
        { head: 'From', cell: ([, [rate]]) => fullDay(calendar, rate?.start_date ?? '') },
        ...sheets.map((count) => ({
          head: count === 1 ? '1 sheet' : `${count} sheets`,
          numeric: true as const,
          cell: ([, line]: [string, LetterRate[]]) => {
            const found = line.find(({ sheet_count }) => sheet_count === count);
            return found ? money.price(Number(found.rate)) : 'None';
          },
        })),
      ]}
    />
  );
}
