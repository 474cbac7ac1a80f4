import { availableParallelism } from 'node:os';
import { createWorkerPool } from '../src/platform/threads/worker-pool.ts';
import type { LetterBlock, LetterDocument } from '../src/rendering/letter/model.ts';
import type * as pdfTasks from '../src/rendering/pdf/pdf-worker.ts';
import { plainLetter, sampleLogo } from '../test/kit/letter-samples.ts';
import { measureAccepting } from './letters-beside-messages.ts';
import type { Measurement, Progress } from './measurement.ts';
import { quantile } from './processes.ts';

/**
 * Letters rendered per second by the PDF threads on all cores, each with its own name, address and reference; then the
 * effect on text messages that the same process accepts.
 */
export const name = 'letters';

const measured_ms = 6_000;

const targets: Record<string, string> = {
  one_page_letters_per_s: '>= 100',
  accept_p99_ratio: '<= 2',
  messages_not_accepted: '0',
};

type Figures = Record<string, number>;

export async function run(progress: Progress): Promise<Measurement> {
  return { figures: { ...(await measureDrawing(progress)), ...(await measureAccepting(progress)) }, targets };
}

async function measureDrawing(progress: Progress): Promise<Figures> {
  const threads = availableParallelism();
  const pool = createWorkerPool<typeof pdfTasks>({
    module: new URL('../src/rendering/pdf/pdf-worker.ts', import.meta.url),
    size: threads,
  });
  const figures: Figures = { threads };
  try {
    for (const pages of [1, 10]) {
      progress(`letters of ${pages} page(s), ${threads} threads, ${measured_ms / 1000} s`);
      // The first letters of a thread include JIT compilation, which a busy service does not see.
      await drawFor(pool, pages, threads, 1_500);
      const { letters, bytes, seconds, latencies } = await drawFor(pool, pages, threads, measured_ms);
      const kind = pages === 1 ? 'one_page' : 'ten_page';
      figures[`${kind}_letters_per_s`] = round(letters / seconds);
      figures[`${kind}_p50_ms`] = round(quantile(latencies, 0.5));
      figures[`${kind}_p99_ms`] = round(quantile(latencies, 0.99));
      figures[`${kind}_kb`] = round(bytes / letters / 1000);
    }
  } finally {
    await pool.close();
  }
  return figures;
}

async function drawFor(
  pool: ReturnType<typeof createWorkerPool<typeof pdfTasks>>,
  pages: number,
  threads: number,
  duration_ms: number,
): Promise<{ letters: number; bytes: number; seconds: number; latencies: number[] }> {
  const started = performance.now();
  const latencies: number[] = [];
  let bytes = 0;
  let next = 0;
  // One more in flight than there are threads, so that no thread is idle.
  const clients = Array.from({ length: threads + 1 }, async () => {
    while (performance.now() - started < duration_ms) {
      const asked = performance.now();
      const letter = letterOf(pages, next++);
      const { pdf, page_count } = await pool.run('composeLetter', letter, { purpose: 'print', logo: sampleLogo });
      if (page_count !== pages) throw new Error(`expected ${pages} pages, got ${page_count}`);
      latencies.push(performance.now() - asked);
      bytes += pdf.length;
    }
  });
  await Promise.all(clients);
  const seconds = (performance.now() - started) / 1000;
  return { letters: latencies.length, bytes, seconds, latencies: latencies.sort((a, b) => a - b) };
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
