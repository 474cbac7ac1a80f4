import { availableParallelism } from 'node:os';
import { createWorkerPool } from '../src/platform/worker-pool.ts';
import type { LetterBlock, LetterDocument } from '../src/rendering/letter-model.ts';
import type * as pdfTasks from '../src/rendering/pdf-worker.ts';
import { plainLetter, sampleLogo } from '../test/kit/letter-samples.ts';

/** Letters drawn per second by the PDF threads, on all cores. Each letter has its own name, address and reference. */
export const name = 'letters';

const measured_ms = 6_000;

export async function run(
  progress: (line: string) => void,
): Promise<{ rows: Record<string, string | number>[]; figures: Record<string, number> }> {
  const threads = availableParallelism();
  const pool = createWorkerPool<typeof pdfTasks>({
    module: new URL('../src/rendering/pdf-worker.ts', import.meta.url),
    size: threads,
  });
  const rows: Record<string, string | number>[] = [];
  const figures: Record<string, number> = {};
  try {
    for (const pages of [1, 10]) {
      progress(`letters of ${pages} page(s), ${threads} threads, ${measured_ms / 1000} s`);
      // Compiling happens in the first letters of a thread and is not what a busy service sees.
      await drawFor(pool, pages, threads, 1_500);
      const { letters, bytes, seconds, latencies } = await drawFor(pool, pages, threads, measured_ms);
      const perSecond = letters / seconds;
      rows.push({
        pages,
        threads,
        'letters/s': round(perSecond),
        'pages/s': round(perSecond * pages),
        'p50 ms': round(quantile(latencies, 0.5)),
        'p99 ms': round(quantile(latencies, 0.99)),
        'kB per letter': round(bytes / letters / 1000),
      });
      figures[pages === 1 ? 'one_page_letters_per_s' : 'ten_page_letters_per_s'] = round(perSecond);
    }
  } finally {
    await pool.close();
  }
  return { rows, figures };
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
  // One more in flight than there are threads, so that none waits for the next task.
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
  return { letters: latencies.length, bytes, seconds: (performance.now() - started) / 1000, latencies };
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

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
