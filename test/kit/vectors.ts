import { readFileSync } from 'node:fs';

/** A file of test/vectors: inputs and their expected results, as data. */
export function readVectors<Content>(file: string): Content {
  return JSON.parse(readFileSync(new URL(`../vectors/${file}`, import.meta.url), 'utf8'));
}

/** The cases of a file of test/vectors. */
export function casesOf<Case>(file: string): Case[] {
  return readVectors<{ cases: Case[] }>(file).cases;
}
