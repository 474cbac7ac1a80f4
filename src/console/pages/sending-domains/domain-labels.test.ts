import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkNames } from '../../../sending-domains/checks/check.ts';
import { noteTexts, reasonText } from './domain-labels.ts';

const folder = new URL('../../../sending-domains/checks/', import.meta.url);
const noReasons: readonly string[] = [...checkNames, ...noteTexts.keys(), 'signed-here', 'not-checked', 'in-addr'];

it('has a sentence for every reason that a check can give', () => {
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.includes('.test.'));
  const words = sources.flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/'([a-z]+(?:-[a-z]+)+|syntax|quoted|revoked|testing)'/g),
  ]);
  const reasons = new Set(words.map(([, word = '']) => word).filter((word) => !noReasons.includes(word)));
  expect(reasons.size).toBeGreaterThan(40);
  const withoutSentence = [...reasons].filter(
    (reason) => String(reasonText({ check_name: 'dkim', reason }, 'signed-here')) === reason,
  );
  expect(withoutSentence).toEqual([]);
});
