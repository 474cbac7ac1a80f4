import fc from 'fast-check';
import type { VNode } from 'preact';
import { renderToString as renderPart } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { createCountry } from '../../countries/country.ts';
import { gb } from '../../countries/gb.ts';
import { english } from '../../language/language.ts';
import { asIs, type Text } from '../../language/text.ts';
import { escapeHtml } from '../../rendering/escape.ts';
import { Crumbs } from '../layout/shell.tsx';
import { ViewerContext, viewerIn } from '../viewer.ts';
import { Chart } from './chart.tsx';
import { Choices, Field, Select, TextArea } from './field.tsx';
import { ButtonLink, Confirm, SaveForm, Submit, TouchKey } from './form.tsx';
import { ListSearch } from './list-search.tsx';
import { MailFrame } from './mail-frame.tsx';
import { Empty, ErrorSummary, Notice } from './notice.tsx';
import { ArrowLink, OffsetPager, OlderPager, Pager } from './pager.tsx';
import { PlaceChoice } from './place-choice.tsx';
import { Stamp, Status } from './status.tsx';
import { Summary, Table } from './table.tsx';
import { Segments, Tabs } from './tabs.tsx';
import { Copy, Diff, LongText, TemplateText } from './text.tsx';
import { Time } from './time.tsx';
import { DayField, MoneyField, NumberField } from './value-fields.tsx';
import { nextDay, nightWarning, readWhen, refuseBadTime, When } from './when.tsx';

const viewer = { ...viewerIn(createCountry(gb)), language: english };
const renderToString = (part: VNode) =>
  renderPart(<ViewerContext.Provider value={viewer}>{part}</ViewerContext.Provider>);

const draftOf = (text: string) => ({ typed: new Map([['name', text]]), problems: new Map([['name', text]]) });

/** Every part, with the text in every position that can have one. */
const parts: Record<string, (text: Text) => VNode> = {
  'list search': (text) => <ListSearch name={text} label={text} path={text} find={text} found={text} />,
  'offset pager': (text) => <OffsetPager page={2} total={151} to={(page) => `/${page}?${text}`} />,
  'save form': (text) => (
    <SaveForm action={text} danger back={text} to={text}>
      {text}
    </SaveForm>
  ),
  field: (text) => <Field formState={draftOf(text)} name="name" label={text} hint={text} value={text} beside={text} />,
  select: (text) => (
    <Select formState={draftOf(text)} name="name" label={text} hint={text} choices={[{ value: text, label: text }]} />
  ),
  'mail frame': (text) => <MailFrame src={text} html={`<p>${escapeHtml(text)}</p>`} title={text} />,
  'place choice, few': (text) => (
    <PlaceChoice
      formState={draftOf(text)}
      name="name"
      label={text}
      places={[{ value: text, label: text }]}
      chosen={text}
      find={text}
    />
  ),
  'place choice, many': (text) => (
    <PlaceChoice
      formState={draftOf(text)}
      name="name"
      label={text}
      places={Array.from({ length: 30 }, (_, index) => ({ value: `${index} ${text}`, label: text }))}
      chosen={text}
      find={text}
    />
  ),
  diff: (text) => (
    <Diff
      label={text}
      changes={[
        { kind: 'same', text },
        { kind: 'added', text },
        { kind: 'removed', text },
      ]}
    />
  ),
  'long text': (text) => <LongText text={text} />,
  'template text': (text) => <TemplateText text={`((name)) ${text}`} />,
  'text area': (text) => (
    <TextArea formState={draftOf(text)} name="name" label={text} hint={text} rows={3} value={text} />
  ),
  when: (text) => (
    <When
      formState={{ typed: new Map([['scheduled_for', text]]), problems: new Map([['scheduled_for', text]]) }}
      now={new Date('2026-10-24T22:30:00Z')}
      within={{ max_ms: 1, hint: () => text, tooLate: text }}
    />
  ),
  'touch key': (text) => (
    <TouchKey
      formState={{ typed: new Map(), problems: new Map([['response', text]]) }}
      task="get"
      options={text}
      label={text}
    >
      {text}
    </TouchKey>
  ),
  copy: (text) => <Copy of={text} what={text} />,
  choices: (text) => (
    <Choices
      formState={draftOf(text)}
      name="name"
      legend={text}
      hint={text}
      kind="several"
      choices={[{ value: text, label: text, hint: text }]}
    />
  ),
  'error summary': (text) => <ErrorSummary problems={new Map([['name', text]])} />,
  notice: (text) => <Notice tone="red">{text}</Notice>,
  empty: (text) => (
    <Empty title={text} action={text}>
      {text}
    </Empty>
  ),
  submit: (text) => <Submit back={text}>{text}</Submit>,
  'button link': (text) => (
    <ButtonLink to={text} look="primary" small download>
      {text}
    </ButtonLink>
  ),
  'older pager': (text) => <OlderPager rows={[{ id: text }]} shown={text} olderThan={text} to={() => text} hasOlder />,
  'number field': (text) => <NumberField formState={draftOf(text)} name="name" label={text} hint={text} value={1} />,
  'money field': (text) => <MoneyField formState={draftOf(text)} name="name" label={text} hint={text} />,
  'day field': (text) => <DayField formState={draftOf(text)} name="name" label={text} hint={text} value={text} />,
  status: (text) => <Status kind="failed">{text}</Status>,
  table: (text) => (
    <Table
      caption={text}
      rows={[text]}
      keyOf={() => 'key'}
      columns={[
        { head: text, cell: (row) => row },
        { head: asIs(`${text}2`), cell: (row) => row, numeric: true },
      ]}
    />
  ),
  turn: (text) => <ArrowLink to={text} icon="left" label={text} />,
  pager: (text) => <Pager shown={text} newer={text} older={undefined} />,
  tabs: (text) => <Tabs name={text} tabs={[{ label: text, to: text, isCurrent: true }]} />,
  segments: (text) => <Segments name={text} tabs={[{ label: text, to: text, isCurrent: false }]} />,
  chart: (text) => <Chart title={text} names={{ good: text, bad: text }} bars={[{ label: text, good: 3, bad: 1 }]} />,
  confirm: (text) => (
    <Confirm label={text} action={text} to={text} fields={{ name: text }}>
      {text}
    </Confirm>
  ),
  summary: (text) => <Summary rows={[{ label: text, value: text, change: text }]} />,
  crumbs: (text) => <Crumbs crumbs={[{ label: text, to: text }]} />,
};

/** Names of tags and attributes; fails on anything that is neither a tag nor text. */
function structureOf(html: string): string[] {
  const tag = /<(\/?[a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/g;
  expect(html.replaceAll(tag, '')).not.toContain('<');
  return [...html.matchAll(tag)].map(([, name, attributes = '']) =>
    [
      name,
      ...attributes
        .replaceAll(/="[^"]*"/g, '')
        .trim()
        .split(/\s+/),
    ].join(' '),
  );
}

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus='alert(1)' autofocus='",
  '</textarea></title></style><svg/onload=alert(1)>',
  '&lt;b&gt; &amp; &#60;',
  '<!-- -->]]>',
  '\u202e\u0000\ud800',
];

describe('parts with hostile texts', () => {
  it.each(Object.entries(parts))('%s has no other tags and attributes', (_name, render) => {
    const expected = structureOf(renderToString(render(asIs('harmless'))));
    for (const text of hostile) expect(structureOf(renderToString(render(asIs(text))))).toEqual(expected);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        expect(structureOf(renderToString(render(asIs(text))))).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });
});

describe('texts of megabytes', () => {
  it.each([LongText, TemplateText])('are shown up to a length: %s', (Part) => {
    const html = renderToString(<Part text={'<'.repeat(2_000_000)} />);
    expect(html.match(/&lt;/g)).toHaveLength(50_000);
    expect(html).toContain('1,950,000 characters are not shown');
    expect(renderToString(<Part text={'x'.repeat(50_000)} />)).toBe('x'.repeat(50_000));
  });
});

describe('Time', () => {
  const now = new Date('2026-06-15T12:00:00Z');
  it.each([
    ['2026-06-15T13:02:00Z', 'today, 14:02'],
    ['2026-06-14T23:30:00Z', 'today, 00:30'],
    ['2026-06-14T08:00:00Z', 'yesterday, 09:00'],
    ['2026-01-03T08:00:00Z', '3 Jan, 08:00'],
    ['2025-12-31T08:00:00Z', '31 Dec 2025, 08:00'],
  ])('%s: %s', (at, words) => {
    expect(renderToString(<Time at={at} now={now} />)).toMatch(new RegExp(`>${words}<`));
  });
});

describe('When', () => {
  const shown = (now: string, typed: [string, string][] = []) => {
    const formState = { typed: new Map(typed), problems: new Map() };
    const html = renderToString(<When formState={formState} now={new Date(now)} within={nextDay} />);
    return {
      html,
      days: [...html.matchAll(/<option[^>]* value="([\d-]{10})"/g)].map(([, day]) => day),
      chosen: [...html.matchAll(/<option value="([^"]*)" selected/g)].map(([, value]) => value),
    };
  };

  it('suggests tomorrow at 9, or today at 9 where tomorrow would be too late', () => {
    expect(shown('2026-11-16T12:00:00Z')).toMatchObject({
      days: ['2026-11-16', '2026-11-17'],
      chosen: ['2026-11-17', '9'],
    });
    expect(shown('2026-11-16T06:00:00Z').chosen).toEqual(['2026-11-16', '9']);
  });

  it('says at which hours people may be asleep', () => {
    const [, night = ''] = shown('2026-11-16T12:00:00Z').html.split('<optgroup label="People may be asleep">');
    expect([...night.matchAll(/>(\d\d:00)</g)].map(([, hour]) => Number(hour?.slice(0, 2)))).toEqual([
      21, 22, 23, 0, 1, 2, 3, 4, 5, 6, 7,
    ]);
    expect(String(nightWarning(viewer.calendar, new Date('2026-11-16T21:00:00Z')))).toBe('People may be asleep.');
    expect(nightWarning(viewer.calendar, new Date('2026-11-16T08:00:00Z'))).toBeUndefined();
  });

  it('shows again what was chosen, in London time', () => {
    const typed: [string, string][] = [
      ['scheduled_for', 'later'],
      ['scheduled_day', '2026-06-16'],
      ['scheduled_hour', '10'],
    ];
    expect(readWhen(viewer.calendar, Object.fromEntries(typed))).toBe('2026-06-16T09:00:00.000Z');
    expect(shown('2026-06-15T12:00:00Z', typed).chosen).toEqual(['2026-06-16', '10']);
    expect(shown('2026-06-15T12:00:00Z', [['scheduled_for', '2026-06-16T09:00:00.000Z']]).chosen).toEqual([
      '2026-06-16',
      '10',
    ]);
  });

  it.each(['', '2026-11-17T09:00:00.000Z'])('accepts %j', (at) => {
    expect(() => refuseBadTime(at, new Date('2026-11-16T12:00:00Z'), nextDay)).not.toThrow();
  });

  it.each([
    ['later', 'Choose a day and an hour.'],
    ['2026-11-16T11:00:00.000Z', 'Choose a time that has not passed.'],
    ['2026-11-17T13:00:00.000Z', 'Choose a time within the next 24 hours.'],
  ])('%j: %s', (at, problem) => {
    expect(() => refuseBadTime(at, new Date('2026-11-16T12:00:00Z'), nextDay)).toThrow(problem);
  });
});

describe('Chart', () => {
  it('draws bars as high as their figures, and lists the figures', () => {
    const html = renderToString(
      <Chart
        title={asIs('Fewer failures')}
        names={{ good: asIs('Delivered'), bad: asIs('Failed') }}
        bars={[
          { label: asIs('Mon'), good: 1_500, bad: 0 },
          { label: asIs('Today'), good: 0, bad: 500, isOpen: true },
        ]}
      />,
    );
    expect(html).toContain('2,000');
    expect([...html.matchAll(/height="([\d.]+)"/g)].map(([, height]) => Number(height))).toEqual([43.5, 0, 0, 14.5]);
    expect(html).toContain('<td class="num">1,500</td>');
  });
});

describe('Stamp', () => {
  it('has a word beside the sign', () => {
    expect(renderToString(<Stamp channel="letter" />)).toContain('<span class="sr">Letter</span>');
  });
});
