/** What a benchmark brings back. */
export interface Measurement {
  figures: Record<string, number>;
  /** What some of the figures should be. */
  targets?: Record<string, string>;
  /** A table of its own, where the figures sum up more. */
  detail?: Record<string, string | number>[];
}

export interface Options {
  /** How many messages to measure with, where a benchmark lets one choose. */
  messages?: number;
}

export type Progress = (line: string) => void;
