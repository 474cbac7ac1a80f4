import { describe, expect, it } from 'vitest';
import { processorTimeSince_ms, quadratic_ms } from '../../test/kit/process/processor-time.ts';
import { parseMarkdown } from '../rendering/markdown/markdown.ts';
import { markdownOfHtml, plainMarkdown } from './html-text.ts';

/** The kinds of blocks that a text becomes. */
const kindsOf = (markdown: string) =>
  parseMarkdown(markdown, { links: true, emphasis: true, open: [] }).map(({ kind }) => kind);

describe('a plain text', () => {
  it.each([
    ['Regards\n-- \nAlarm', 'Regards\n\\-- \nAlarm'],
    ['Report\n------\nAll doors', 'Report\n\\------\nAll doors'],
    ['Report\n======\nAll doors', 'Report\n\n======\nAll doors'],
    ['- - -', '\\- - -'],
    ['# one\n  ## two', '\\# one\n  \\## two'],
  ])('has no headings and lines: %j', (text, expected) => {
    const markdown = plainMarkdown(text.replaceAll('\n', '\r\n'));
    expect(markdown).toBe(expected);
    expect(new Set(kindsOf(markdown))).toEqual(new Set(['paragraph']));
  });

  it('keeps its lists', () => {
    expect(kindsOf(plainMarkdown('Doors:\n\n- one\n- two'))).toEqual(['paragraph', 'list']);
  });

  it('takes linear time', () => {
    const before = process.cpuUsage();
    for (const piece of ['- ', '=', ' ', '-\n', '=\n', ' #\n', '\n']) plainMarkdown(`a\n${piece.repeat(500_000)}x`);
    expect(processorTimeSince_ms(before)).toBeLessThan(quadratic_ms);
  });
});

it('HTML has only the headings that it marks as such', () => {
  const markdown = markdownOfHtml('<h1>Report</h1><p>Regards<br>--<br>Alarm</p><p># 42</p><div>One</div><div>==</div>');
  expect(markdown).toBe('# Report\n\nRegards\n\\--\nAlarm\n\n\\# 42\n\nOne\n\n==');
  expect(kindsOf(markdown).filter((kind) => kind === 'heading')).toHaveLength(1);
});
