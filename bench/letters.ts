import { availableParallelism } from 'node:os';
import { WorkerPool } from '../src/platform/threads/worker-pool.ts';
import type { LetterBlock, LetterDocument, LetterInline } from '../src/rendering/letter/model.ts';
import type * as pdfTasks from '../src/rendering/pdf/pdf-worker.ts';
import { gbGeometry } from '../test/kit/samples/geometries.ts';
import { plainLetter, sampleLogo } from '../test/kit/samples/letter-samples.ts';
import { measureAccepting } from './letters-beside-messages.ts';
import type { Measurement, Progress } from './measurement.ts';
import type * as plainTasks from './plain-pdf.ts';
import { median, quantile } from './processes.ts';

/**
 * Letters rendered per second by the PDF threads on all cores, each with its own name, address and reference, in turns with
 * plain pdfkit pages of the same text in as many threads; then the effect on text messages that the same process accepts.
 */
export const name = 'letters';

const turns = 5;
const turn_ms = 1_500;
const warmUpLetters = 100;

const targets: Record<string, string> = {
  one_page_cpu_ratio_to_plain_pdf: '<= 4',
  accept_p99_ratio: '<= 2',
  messages_not_accepted: '0',
};

type Figures = Record<string, number>;

export async function run(progress: Progress): Promise<Measurement> {
  return { figures: { ...(await measureDrawing(progress)), ...(await measureAccepting(progress)) }, targets };
}

async function measureDrawing(progress: Progress): Promise<Figures> {
  const threads = availableParallelism();
  const pool = new WorkerPool<typeof pdfTasks>({
    module: new URL('../src/rendering/pdf/pdf-worker.ts', import.meta.url),
    size: threads,
  });
  const plainPool = new WorkerPool<typeof plainTasks>({
    module: new URL('./plain-pdf.ts', import.meta.url),
    size: threads,
  });
  const figures: Figures = { threads };
  try {
    for (const pages of [1, 10]) {
      const kind = pages === 1 ? 'one_page' : 'ten_page';
      const drawLetter = async (number: number) => {
        const letter = letterOf(pages, number);
        const { pdf, page_count } = await pool.run('composeLetter', letter, {
          purpose: 'print',
          geometry: gbGeometry,
          logo: sampleLogo,
        });
        if (page_count !== pages) throw new Error(`expected ${pages} pages, got ${page_count}`);
        return pdf;
      };
      const drawPlain = (number: number) => plainPool.run('drawPlainPdf', textOf(letterOf(pages, number)));
      // The first letters of a thread include JIT compilation, which a busy service does not see.
      for (const draw of [drawLetter, drawPlain]) {
        for (let warm = 0; warm < warmUpLetters; ) warm += (await drawFor(draw, threads)).latencies.length;
      }
      const drawn: Drawn[] = [];
      const ratios: number[] = [];
      for (let turn = 1; turn <= turns; turn += 1) {
        progress(`letters of ${pages} page(s), ${threads} threads, turn ${turn} of ${turns}`);
        const letters = await drawFor(drawLetter, threads);
        const plain = await drawFor(drawPlain, threads);
        ratios.push(letters.cpu_ms / plain.cpu_ms);
        drawn.push(letters);
      }
      const latencies = drawn.flatMap((turn) => turn.latencies).sort((left, right) => left - right);
      figures[`${kind}_letters_per_s`] = round(median(drawn.map(({ per_s }) => per_s)));
      figures[`${kind}_cpu_ms`] = round(median(drawn.map(({ cpu_ms }) => cpu_ms)));
      figures[`${kind}_cpu_ratio_to_plain_pdf`] = round(median(ratios));
      figures[`${kind}_p99_ms`] = round(quantile(latencies, 0.99));
      figures[`${kind}_kb`] = round(median(drawn.map(({ bytes }) => bytes)) / 1_000);
    }
  } finally {
    await Promise.all([pool.close(), plainPool.close()]);
  }
  return figures;
}

interface Drawn {
  per_s: number;
  /** Processor time per file, on all threads of this process. */
  cpu_ms: number;
  bytes: number;
  latencies: number[];
}

async function drawFor(draw: (number: number) => Promise<Uint8Array>, threads: number): Promise<Drawn> {
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const latencies: number[] = [];
  let bytes = 0;
  let next = 0;
  // One more in flight than there are threads, so that no thread is idle.
  const clients = Array.from({ length: threads + 1 }, async () => {
    while (performance.now() - started < turn_ms) {
      const asked = performance.now();
      bytes += (await draw(next++)).length;
      latencies.push(performance.now() - asked);
    }
  });
  await Promise.all(clients);
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const files = latencies.length;
  return { per_s: files / seconds, cpu_ms: (user + system) / 1_000 / files, bytes: bytes / files, latencies };
}

/** The paragraphs of each page. */
function textOf({ parts }: LetterDocument): string[][] {
  const pages: string[][] = [[]];
  const write = (inlines: LetterInline[]) =>
    pages.at(-1)?.push(inlines.map((inline) => ('text' in inline ? inline.text : '\n')).join(''));
  for (const { address, date, subject, blocks } of parts) {
    for (const line of address) write(line);
    pages.at(-1)?.push(date);
    write(subject);
    for (const block of blocks) {
      if (block.kind === 'page-break') pages.push([]);
      else if ('inlines' in block) write(block.inlines);
    }
  }
  return pages;
}

function letterOf(pages: number, number: number): LetterDocument {
  const [part] = plainLetter.parts;
  if (!part) throw new Error('the sample letter has no part');
  const name = `Recipient ${number}`;
  const further = Array.from({ length: pages - 1 }, (): LetterBlock[] => [
    { kind: 'page-break' },
    ...Array.from({ length: 3 }, () => part.blocks).flat(),
  ]);
  return {
    parts: [
      {
        ...part,
        address: [name, `${number} Post Office Lane`, 'Llanfair Pwllgwyngyll', 'LL61 5UJ'].map((text) => [
          { kind: 'text', text },
        ]),
        blocks: [
          { kind: 'paragraph', inlines: [{ kind: 'text', text: `Dear ${name}, your reference is ${number * 7919}.` }] },
          ...part.blocks,
          ...further.flat(),
        ],
      },
    ],
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;
