import { isUuid } from '../../platform/id.ts';
import type { DeclaredPage } from '../page.ts';

interface FoundPage {
  page: DeclaredPage;
  params: Record<string, string>;
}

interface Pattern {
  page: DeclaredPage;
  segments: readonly string[];
}

/** A list of pages does not change once it is in use. */
const patternsOf = new WeakMap<readonly DeclaredPage[], Map<number, Pattern[]>>();

/**
 * The page of an address below /console; its query does not matter. A fixed segment takes precedence over a parameter,
 * and ids that are no UUIDs match no page.
 */
export function findPage(pages: readonly DeclaredPage[], address: string): FoundPage | undefined {
  const patterns = patternsOf.get(pages) ?? byLength(pages);
  patternsOf.set(pages, patterns);
  const segments = segmentsOf(address.split('?', 1)[0] ?? '').map(decodeURIComponent);
  const found = patterns.get(segments.length)?.find((pattern) => matches(pattern.segments, segments));
  return found && { page: found.page, params: paramsOf(found.segments, segments) };
}

function byLength(pages: readonly DeclaredPage[]): Map<number, Pattern[]> {
  const patterns = pages.map((page) => ({ page, segments: segmentsOf(page.path) }));
  patterns.sort((left, right) => rankOf(left.segments).localeCompare(rankOf(right.segments)));
  const groups = new Map<number, Pattern[]>();
  for (const pattern of patterns) {
    const { length } = pattern.segments;
    groups.set(length, [...(groups.get(length) ?? []), pattern]);
  }
  return groups;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Sorts patterns with an early parameter behind those with a fixed segment in its place. */
function rankOf(pattern: readonly string[]): string {
  return pattern.map((part) => (isParam(part) ? '1' : '0')).join('');
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.every((part, index) => {
    const segment = segments[index];
    if (!isParam(part)) return part === segment;
    return !part.endsWith('_id') || isUuid(segment);
  });
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params = pattern.flatMap((part, index) => (isParam(part) ? [[part.slice(1), segments[index] ?? '']] : []));
  return Object.fromEntries(params);
}

function isParam(part: string): boolean {
  return part.startsWith(':');
}
