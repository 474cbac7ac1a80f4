import mustache from 'mustache';
import { compileTemplate } from '../src/rendering/template.ts';
import type { Measurement, Progress } from './measurement.ts';

export const name = 'render';

type Row = Record<string, string | number>;

/**
 * Renders per second, compared with `String.replace` and mustache (which only fill in values: they neither
 * sanitise, count nor parse Markdown), and the cost per character as texts grow. Runs in one process, sequentially.
 */
export async function run(progress: Progress): Promise<Measurement> {
  const detail: Row[] = [];
  const figures: Record<string, number> = {};
  for (const [what, contenders] of Object.entries(contests())) {
    const row: Row = { what };
    const best = rendersPerSecond(contenders);
    for (const [contender, perSecond] of Object.entries(best)) {
      row[`${contender}/s`] = perSecond;
      figures[`${what}_${contender}_per_second`] = perSecond;
    }
    figures[`${what}_against_mustache`] = Number((best.pennypost / best.mustache).toFixed(2));
    progress(`${what}: ${row['pennypost/s']} renders/s`);
    detail.push(row);
  }
  const emails = wholeEmails();
  const from_outline = rendersPerProcessorSecond(emails.from_outline);
  const in_full = rendersPerProcessorSecond(emails.in_full);
  const ratio = Number((from_outline / in_full).toFixed(1));
  figures.whole_emails_from_outline_per_processor_second = from_outline;
  figures.whole_emails_in_full_per_processor_second = in_full;
  figures.whole_emails_ratio = ratio;
  detail.push({ what: 'whole email, per second and core', 'from outline': from_outline, 'in full': in_full, ratio });
  progress(`whole email, per second and core: ${from_outline} from its outline, ${in_full} in full (ratio ${ratio})`);
  for (const [what, render] of Object.entries(growingTexts())) {
    const row: Row = { what: `${what}, ns per character` };
    const costs: number[] = [];
    for (const size of [1_000, 10_000, 100_000, 1_000_000]) {
      const cost = nanosecondsPerCharacter(render(size), size);
      row[`${size / 1_000} kB`] = Number(cost.toFixed(1));
      costs.push(cost);
    }
    figures[`${what}_ns_per_character_1mb`] = Number((costs.at(-1) ?? 0).toFixed(2));
    figures[`${what}_growth_1kb_to_1mb`] = Number(((costs.at(-1) ?? 0) / (costs[0] ?? 1)).toFixed(2));
    progress(`${what}: ${row['1000 kB']} ns per character at 1 MB`);
    detail.push(row);
  }
  return { figures, detail };
}

const sampleValues = {
  name: 'Siobhan',
  day: 'Tuesday 4 March',
  time: '10:15',
  place: 'Penny Lane Surgery',
  reference: 'PP-2041-77',
};
const smsText =
  'Dear ((name)), your appointment is on ((day)) at ((time)), ((place)). Reply STOP to cancel, quoting ((reference)).';
const longText =
  '# Your appointment\n\nDear ((name)),\n\nYour appointment is on ((day)) at ((time)).\n\n* Come to ((place))\n' +
  '* Bring this letter\n* Quote ((reference))\n\n^ If you can’t come, tell us.\n\nSee https://example.com/appointments ' +
  'for what to expect - and "what to bring".\n\n---\n\nYours sincerely\nThe surgery';

interface Contenders {
  pennypost: () => unknown;
  string_replace: () => unknown;
  mustache: () => unknown;
}

function contests(): Record<string, Contenders> {
  const subject = 'Appointment for ((name))';
  const sms = compileTemplate({ template_type: 'sms', content: smsText });
  const email = compileTemplate({ template_type: 'email', content: longText, subject });
  const letter = compileTemplate({ template_type: 'letter', content: longText, subject });
  const day = '2026-03-04';
  const address = ['Siobhan Kelly', '1 Penny Lane', 'LIVERPOOL', 'L18 1DE'];
  return {
    sms: { pennypost: () => sms.render(sampleValues), ...fillOnly([smsText]) },
    email: {
      pennypost: () => [email.subject(sampleValues), email.htmlFragment(sampleValues), email.plainText(sampleValues)],
      ...fillOnly([subject, longText, longText]),
    },
    letter: { pennypost: () => letter.document(sampleValues, { address, day }), ...fillOnly([subject, longText]) },
  };
}

/** The input of a mail server: subject, plain text and branded HTML, as bytes. */
function wholeEmails(): Record<'from_outline' | 'in_full', () => unknown> {
  const email = compileTemplate({ template_type: 'email', content: longText, subject: 'Appointment for ((name))' });
  const brand = {
    brand_type: 'org',
    colour: '#00703c',
    logo_url: 'https://static-logos.example.com/surgery.png',
    text: 'Penny Lane Surgery',
    alt_text: null,
  } as const;
  const options = () => ({
    brand: { ...brand },
    platform: { name: 'Pennypost' },
    unsubscribe_link: 'https://example.com/unsubscribe/4f46df42-f795-4cc4-83bb-65ca312f49cd/Zm9v-YmFy_',
  });
  const toBytes = (...texts: string[]) => texts.map((text) => Buffer.from(text));
  let count = 0;
  const render = (name: string) => {
    const { subject, text, html } = email.message({ ...sampleValues, name, reference: `PP-${++count}` }, options());
    return toBytes(subject, text, html);
  };
  // Typography changes an apostrophe.
  return { from_outline: () => render('Siobhan'), in_full: () => render("Siobhan O'Hara") };
}

function fillOnly(texts: string[]): Omit<Contenders, 'pennypost'> {
  const values = new Map(Object.entries(sampleValues));
  const mustaches = texts.map((text) => text.replaceAll('((', '{{').replaceAll('))', '}}'));
  return {
    string_replace: () => texts.map((text) => text.replace(/\(\(([^()]+)\)\)/g, (_, key) => values.get(key) ?? '')),
    mustache: () => mustaches.map((text) => mustache.render(text, sampleValues)),
  };
}

function growingTexts(): Record<string, (size: number) => () => unknown> {
  const grown = (size: number) => `${longText}\n\n`.repeat(Math.ceil(size / longText.length)).slice(0, size);
  return {
    sms: (size) => {
      const template = compileTemplate({ template_type: 'sms', content: grown(size) });
      return () => template.render(sampleValues);
    },
    email: (size) => {
      const template = compileTemplate({ template_type: 'email', content: grown(size), subject: '' });
      return () => template.htmlFragment(sampleValues);
    },
    letter: (size) => {
      const template = compileTemplate({ template_type: 'letter', content: grown(size), subject: '' });
      return () => template.document(sampleValues, { address: [], day: '1970-01-01' });
    },
    brackets: (size) => {
      const template = compileTemplate({ template_type: 'email', content: '[('.repeat(size / 2), subject: '' });
      return () => template.htmlFragment(sampleValues);
    },
  };
}

const rounds = 12;
const slice_ms = 40;

/** In short alternating slices, the best of each: other load on the machine affects all of them equally. */
function rendersPerSecond<Contender extends string>(
  contenders: Record<Contender, () => unknown>,
): Record<Contender, number> {
  const best = Object.fromEntries(Object.keys(contenders).map((contender) => [contender, 0])) as Record<
    Contender,
    number
  >;
  for (let round = 0; round < rounds; round++) {
    for (const contender in contenders) best[contender] = Math.max(best[contender], timeSlice(contenders[contender]));
  }
  return best;
}

function timeSlice(render: () => unknown): number {
  const start = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < slice_ms) {
    for (let repeat = 0; repeat < 20; repeat++) render();
    count += 20;
    elapsed = performance.now() - start;
  }
  return Math.round((count * 1_000) / elapsed);
}

/** The best of several slices in processor time: the rate of one core, regardless of other load. */
function rendersPerProcessorSecond(render: () => unknown): number {
  let best = 0;
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage();
    for (let repeat = 0; repeat < 1_000; repeat++) render();
    const { user, system } = process.cpuUsage(start);
    best = Math.max(best, Math.round(1_000_000_000 / (user + system)));
  }
  return best;
}

/** In processor time, which hardly depends on other load: this is about how the cost grows. */
function nanosecondsPerCharacter(render: () => unknown, size: number): number {
  const repeats = Math.max(2, Math.ceil(300_000 / size));
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const start = process.cpuUsage();
    for (let repeat = 0; repeat < repeats; repeat++) render();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, ((user + system) * 1_000) / (repeats * size));
  }
  return best;
}
