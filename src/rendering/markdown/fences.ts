import { trimEndOf } from '../typography.ts';

const openingPattern = /^ *(`{3,}|~{3,})/;

/**
 * Maps the line of each opening code fence to the line of its closing fence. A fence closes at a line that ends with at least as many
 * marks. Scans from the end and keeps the nearest longer closing fences, so that many unclosed fences do not each search to the end.
 */
export function findFences(lines: readonly string[]): ReadonlyMap<number, number> {
  const fences = new Map<number, number>();
  if (!lines.some((line) => openingPattern.test(line))) return fences;
  const closing = { '`': [] as ClosingFence[], '~': [] as ClosingFence[] };
  for (let at = lines.length - 2; at >= 0; at--) {
    const opening = openingFence(lines[at] ?? '');
    const next = lines[at + 1] ?? '';
    if (opening) {
      const mark = opening[0] === '~' ? '~' : '`';
      const closesAtOnce = fenceLength(next, mark) >= opening.length && trimEndOf(' ', next).length > opening.length;
      const found = closesAtOnce ? at + 1 : nearest(closing[mark], opening.length);
      if (found !== undefined) fences.set(at, found);
    }
    remember(closing['`'], { length: fenceLength(next, '`'), line: at + 1 });
    remember(closing['~'], { length: fenceLength(next, '~'), line: at + 1 });
  }
  return fences;
}

export function fencedText(lines: readonly string[], opening: number, closing: number): string {
  const marks = openingFence(lines[opening] ?? '') ?? '';
  const text = lines.slice(opening + 1, closing + 1).join('\n');
  const inside = text.slice(0, trimEndOf(' ', text).length - marks.length);
  return inside.trimEnd() || inside.slice(0, 1);
}

interface ClosingFence {
  length: number;
  line: number;
}

/** The last entry is the nearest line; earlier entries are further away and longer. */
function remember(fences: ClosingFence[], fence: ClosingFence): void {
  if (fence.length < 3) return;
  while ((fences.at(-1)?.length ?? Number.POSITIVE_INFINITY) <= fence.length) fences.pop();
  fences.push(fence);
}

function nearest(fences: readonly ClosingFence[], length: number): number | undefined {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fences[middle]?.length ?? 0) >= length) low = middle + 1;
    else high = middle;
  }
  return fences[low - 1]?.line;
}

function openingFence(line: string): string | undefined {
  const marks = openingPattern.exec(line);
  if (!marks) return undefined;
  const language = line.slice(marks[0].length).trim();
  return /[`\s]/.test(language) ? undefined : marks[1];
}

function fenceLength(line: string, mark: string): number {
  const end = trimEndOf(' ', line).length;
  let start = end;
  while (line[start - 1] === mark) start--;
  return end - start;
}
