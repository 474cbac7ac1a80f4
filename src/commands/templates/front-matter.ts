import { isMap, isScalar, isSeq, LineCounter, parseDocument, stringify } from 'yaml';

/** The block of YAML between two lines of `---` at the start of a file. */
export interface FrontMatter {
  values: Map<string, unknown>;
  /** The line of each key in the file, from 1. Nested keys have names such as `languages.variants.0.content`. */
  lines: Map<string, number>;
  /** The text after the block. */
  body: string;
}

export class FrontMatterError extends Error {
  override readonly name = 'FrontMatterError';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const block = /^---[ \t]*\r?\n(?<yaml>[\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/;

export function readFrontMatter(text: string): FrontMatter {
  const { yaml, start, end } = findBlock(text);
  const { map, lineOf } = parseBlock(yaml);
  const values = new Map<string, unknown>();
  const lines = new Map<string, number>();
  for (const { key, value } of map.items) {
    if (!isScalar(key) || typeof key.value !== 'string') throw new FrontMatterError('Keys must be words', lineOf(key));
    lines.set(key.value, lineOf(key));
    for (const [name, node] of nodesInside(key.value, value)) lines.set(name, lineOf(node));
    values.set(key.value, (value as { toJSON(): unknown } | null)?.toJSON() ?? null);
  }
  return { values, lines, body: text.slice(start + end) };
}

function nodesInside(name: string, node: unknown): [name: string, node: unknown][] {
  if (isSeq(node)) {
    return node.items.flatMap((item, index) => {
      const inner = `${name}.${index}`;
      return [[inner, item] as [string, unknown], ...nodesInside(inner, item)];
    });
  }
  if (!isMap(node)) return [];
  return node.items.flatMap(({ key, value }) => {
    const inner = `${name}.${isScalar(key) ? key.value : ''}`;
    return [[inner, key] as [string, unknown], ...nodesInside(inner, value)];
  });
}

/** Changes single values and leaves everything else as written. */
export function changeFrontMatter(text: string, changes: Map<string, string | number>): string {
  const { yaml, start } = findBlock(text);
  const { map } = parseBlock(yaml);
  let changed = text;
  // Backwards, so that earlier positions stay valid.
  const ranges = [...changes].flatMap(([name, value]) => {
    const range = (map.get(name, true) as { range?: [number, number, number] } | undefined)?.range;
    return range ? [{ range, value }] : [];
  });
  for (const { range, value } of ranges.sort((one, other) => other.range[0] - one.range[0])) {
    changed = changed.slice(0, start + range[0]) + String(value) + changed.slice(start + range[1]);
  }
  const lineEnd = text.slice(0, start).endsWith('\r\n') ? '\r\n' : '\n';
  const added = [...changes].filter(([name]) => !map.has(name)).map(([name, value]) => `${name}: ${value}${lineEnd}`);
  return changed.slice(0, start) + added.join('') + changed.slice(start);
}

export function writeFrontMatter(values: Map<string, unknown>, body: string): string {
  return `---\n${stringify(values, { lineWidth: 0 })}---\n${body}`;
}

/** `start`: where the YAML begins. `end`: where the body begins, relative to `start`. */
function findBlock(text: string): { yaml: string; start: number; end: number } {
  const found = block.exec(text);
  const yaml = found?.groups?.yaml;
  if (!found || yaml === undefined) {
    throw new FrontMatterError('The file must start with a line of ---, the settings, and another line of ---', 1);
  }
  const start = text.indexOf('\n') + 1;
  return { yaml, start, end: found[0].length - start };
}

function parseBlock(yaml: string) {
  const counter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false });
  // The block begins in line 2.
  const lineAt = (position: number) => counter.linePos(position).line + 1;
  const [error] = [...document.errors, ...document.warnings];
  if (error) throw new FrontMatterError(firstLine(error.message), lineAt(error.pos[0]));
  const { contents } = document;
  if (!isMap(contents)) throw new FrontMatterError('The settings must be lines such as name: Welcome', 2);
  const lineOf = (node: unknown) => lineAt((node as { range?: [number] } | null)?.range?.[0] ?? 0);
  return { map: contents, lineOf };
}

const firstLine = (text: string) => text.split('\n')[0] ?? text;
