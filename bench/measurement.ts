/** The result of a benchmark. */
export interface Measurement {
  figures: Record<string, number>;
  /** Targets of some figures. */
  targets?: Record<string, string>;
  /** A detailed table, where the figures are a summary. */
  detail?: Record<string, string | number>[];
}

export interface Options {
  /** The number of messages, for benchmarks where it is configurable. */
  messages?: number;
  /** Replace the figures in the repository, from which documents are made, by those measured now. */
  keep?: boolean;
}

export type Progress = (line: string) => void;
