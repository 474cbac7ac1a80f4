import { describe, expect, it } from 'vitest';
import { readCalendarDays } from './icalendar.ts';

const calendar = (...events: string[][]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
    '',
  ].join('\r\n');
const on = (day: string, ...others: string[]) => [`DTSTART;VALUE=DATE:${day}`, ...others];

describe('the days of a calendar', () => {
  it('are those of its events, by day, each once', () => {
    const text = calendar(
      on('20261228', 'SUMMARY:Boxing Day'),
      on('20261225', 'DTEND;VALUE=DATE:20261226', 'SUMMARY:Christmas Day'),
      on('20261225', 'SUMMARY:Printer closed'),
    );
    expect(readCalendarDays(text)).toEqual([
      { day: '2026-12-25', name: 'Christmas Day' },
      { day: '2026-12-28', name: 'Boxing Day' },
    ]);
  });

  it.each([
    [
      'an end, which is the day after the last',
      ['DTEND;VALUE=DATE:20270103'],
      ['2026-12-31', '2027-01-01', '2027-01-02'],
    ],
    ['an end on the day itself', ['DTEND;VALUE=DATE:20261231'], ['2026-12-31']],
    ['days', ['DURATION:P2D'], ['2026-12-31', '2027-01-01']],
    [
      'a week',
      ['DURATION:P1W'],
      ['2026-12-31', '2027-01-01', '2027-01-02', '2027-01-03', '2027-01-04', '2027-01-05', '2027-01-06'],
    ],
  ])('may last: %s', (_, lines, days) => {
    expect(readCalendarDays(calendar(on('20261231', ...lines))).map(({ day }) => day)).toEqual(days);
  });

  it('may be folded, escaped, with a byte order mark, alarms and other line ends', () => {
    const text = `\uFEFF${calendar([
      ...['DTSTAMP:20260101T000000Z', 'DTSTART;X-A="b:c;d";VALUE=DATE:2026', ' 1224'],
      ...['BEGIN:VALARM', 'SUMMARY:Wake up', 'DTSTART:19990101', 'END:VALARM'],
      ...['summary;LANGUAGE=de:Heilig', '\tabend\\, ab 12\\nUhr'],
    ])}`;
    for (const lines of [text, text.replaceAll('\r\n', '\n')]) {
      expect(readCalendarDays(lines)).toEqual([{ day: '2026-12-24', name: 'Heiligabend, ab 12 Uhr' }]);
    }
  });

  it('leave out events that were cancelled, and shorten names', () => {
    const text = calendar(
      on('20261224', 'STATUS:CANCELLED'),
      on('20261225', `SUMMARY:${'x'.repeat(200)}`),
      on('20261226'),
    );
    expect(readCalendarDays(text)).toEqual([
      { day: '2026-12-25', name: 'x'.repeat(100) },
      { day: '2026-12-26', name: 'No name' },
    ]);
  });

  it.each([
    ['', 'The file has no events.'],
    ['Dear printer,', 'Line 1: “Dear printer,” is not a line of a calendar (.ics).'],
    ['A:b', 'Line 1: the file is not a calendar. Use one that begins with BEGIN:VCALENDAR.'],
    ['BEGIN:VCALENDAR\nBEGIN:VEVENT\n', 'The file ends within VEVENT. Export it again.'],
    ['BEGIN:VCALENDAR\nEND:VEVENT\n', 'Line 2: END:VEVENT ends nothing.'],
    [calendar(), 'The file has no events.'],
    [calendar(['SUMMARY:Party']), 'Line 3: the event “Party” has no day. Give it a DTSTART.'],
    [
      calendar(['DTSTART:20261224T120000Z', 'SUMMARY:Party']),
      'Line 4: the event “Party” has no whole day as DTSTART, such as DTSTART;VALUE=DATE:20261224.',
    ],
    [
      calendar(on('20260230')),
      'Line 4: the event “No name” has no whole day as DTSTART, such as DTSTART;VALUE=DATE:20261224.',
    ],
    [
      calendar(on('20261224', 'RRULE:FREQ=YEARLY')),
      'Line 4: the event “No name” repeats. Export its days as single events.',
    ],
    [calendar(on('20261224', 'DURATION:PT2H')), 'Line 4: the event “No name” does not end with a whole day.'],
    [calendar(on('20261224', 'DTEND;VALUE=DATE:20270424')), 'Line 4: the event “No name” lasts more than 60 days.'],
    [
      calendar(...Array.from({ length: 20 }, (_, year) => on(`${2030 + year}0101`, 'DURATION:P51D'))),
      'The file has more than 1000 days. Export fewer years.',
    ],
  ])('are refused: %j', (text, problem) => {
    expect(() => readCalendarDays(text)).toThrow(problem);
  });
});
