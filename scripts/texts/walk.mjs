// Reads TypeScript and walks over its tree.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Every source file that may have texts for people, in a fixed order. */
export function sourceFiles() {
  return fs
    .readdirSync('src', { recursive: true })
    .map((name) => join('src', name).replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .sort();
}

export function parseFile(path, source = fs.readFileSync(path, 'utf8')) {
  const { program, comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return { path, source, program, comments };
}

/** Calls `visit(node, ancestors)` for every node; the nearest ancestor is the last. */
export function walk(node, visit, ancestors = []) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit, ancestors);
    return;
  }
  const isNode = typeof node.type === 'string';
  if (isNode && visit(node, ancestors) === false) return;
  const inner = isNode ? [...ancestors, node] : ancestors;
  for (const [name, value] of Object.entries(node)) {
    if (name !== 'type' && typeof value === 'object') walk(value, visit, inner);
  }
}

/** The text of a JSX child, as the compiler keeps it: lines are trimmed and joined by a space. */
export function jsxText(raw) {
  const lines = raw.split(/\r?\n/);
  const trimmed = lines.map((line, index) => {
    const start = index === 0 ? line : line.replace(/^[ \t]+/, '');
    return index === lines.length - 1 ? start : start.replace(/[ \t]+$/, '');
  });
  return trimmed.filter((line) => line !== '').join(' ');
}

/** A literal without values. Undefined for everything else. */
export function literalText(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked;
  return undefined;
}
