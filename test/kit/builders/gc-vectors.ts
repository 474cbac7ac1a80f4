import { casesOf } from '../vectors.ts';

/** What GC Notify answers, and where Pennypost decided otherwise. */
export interface GcCase {
  id: string;
  what: string;
  setup?: string;
  request: { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: string; body?: object };
  gc: GcAnswer;
  pennypost: 'same' | (Partial<GcAnswer> & { note?: string });
}

interface GcAnswer {
  status: number;
  body?: Record<string, unknown>;
  keys?: string[];
  ids?: string[];
  errors?: { error: string; message: string }[];
  body_has?: string[];
  status_one_of?: string[];
  headers?: Record<string, string>;
}

export const gcCases = (area: string) => casesOf<GcCase>(`gc/${area}.json`);

/** What is expected of Pennypost. */
export function expectedOf({ gc, pennypost }: GcCase): GcAnswer {
  return pennypost === 'same' ? gc : { status: gc.status, ...pennypost };
}

/** Replaces the words in braces. `{a*613}` stands for 613 letters, `{base64:a*613}` for a file of them. */
export function filled<Value>(value: Value, words: Record<string, string>): Value {
  const text = JSON.stringify(value)
    .replaceAll(/\{(base64:)?(\w)\*(\d+)\}/g, (_match, encoded, letter: string, times: string) => {
      const content = letter.repeat(Number(times));
      return encoded === undefined ? content : Buffer.from(content).toString('base64');
    })
    .replaceAll(/\{(\w+)\}/g, (match, word: string) => words[word] ?? match);
  return JSON.parse(text);
}
