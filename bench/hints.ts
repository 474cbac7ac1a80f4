import type { Channel } from '../src/protocol/channels.ts';
import { findHints } from '../src/rendering/hints/hints.ts';
import type { Measurement, Progress } from './measurement.ts';

export const name = 'hints';

const size = 10_000;
const target_ms = 5;

/** What the editor takes for the advice on 10 kB, which it gives while somebody types, and how the time grows with hostile texts. */
export async function run(progress: Progress): Promise<Measurement> {
  const detail = Object.entries(texts).flatMap(([text, grown]) =>
    (['email', 'sms'] as const).map((channel) => {
      const [once, twice] = [hintTime_ms(channel, grown(size)), hintTime_ms(channel, grown(2 * size))];
      progress(`${text} as ${channel}: ${once.toFixed(2)} ms`);
      return { text, channel, '10 kB, ms': rounded(once), '20 kB, ms': rounded(twice), growth: rounded(twice / once) };
    }),
  );
  const [plain] = detail;
  return {
    figures: {
      plain_email_10kb_ms: plain?.['10 kB, ms'] ?? 0,
      slowest_10kb_ms: Math.max(...detail.map((row) => row['10 kB, ms'])),
      largest_growth_10kb_to_20kb: Math.max(...detail.map(({ growth }) => growth)),
    },
    targets: {
      plain_email_10kb_ms: `under ${target_ms}`,
      largest_growth_10kb_to_20kb: 'about 2',
    },
    detail,
  };
}

const repeat = (part: string) => (length: number) => part.repeat(Math.ceil(length / part.length)).slice(0, length);

const texts: Record<string, (length: number) => string> = {
  'plain words': repeat(
    'Your appointment with ((name)) is on Tuesday. Bring your letter, and say if you cannot come.\n\n',
  ),
  'one long word': repeat('a'),
  'one long sentence': repeat('word '),
  'sentences of dots': repeat('a.b..c...'),
  'open brackets': repeat('[a]('),
  'open placeholders': repeat('(('),
  placeholders: repeat('((a)) '),
  'web addresses': repeat('https://a.example/b '),
  'shorteners in shorteners': repeat('bit.ly/www.bit.ly/'),
  'host of dots': repeat('https://a.'),
  'unfinished phrases': repeat('click  '),
  capitals: repeat('ABC D '),
  'dear characters': repeat('ŵę '),
};

const rounds = 25;

/** The best of several in processor time, which hardly depends on other load. */
function hintTime_ms(channel: Channel, content: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage();
    findHints({
      channel,
      subject: null,
      content,
      english: true,
      service: { name: 'Parking', prefix: false, sender: '07700900123' },
    });
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

const rounded = (value: number) => Number(value.toFixed(2));
