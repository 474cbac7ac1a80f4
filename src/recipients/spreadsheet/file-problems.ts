import type { Channel } from '../../protocol/channels.ts';
import type { Columns } from './columns.ts';
import type { ShownRow } from './row-check.ts';
import type { CheckedRow } from './row-problems.ts';
import { type FileProblem, fileProblemTexts, type RowProblemKind } from './spreadsheet-problems.ts';

/** The results of checking some rows of a file. */
export interface RowCounts {
  /** The number of rows with each kind of problem. */
  row_problem_counts: Partial<Record<RowProblemKind, number>>;
  rows_with_problems: number;
  international_count: number;
  /** The parts of texts in rows without problems. */
  part_count: number;
  not_allowed_count: number;
  notes: RowNotes;
  /** How many rows get the text in each language, and how many get the template's own text because it has none in their language. */
  languages?: RowLanguages;
  /** Where the rows without problems go, by a key, as far as the time of sending depends on it. */
  places?: Record<string, RowPlace>;
  /** The first rows, and the first rows with a problem. */
  first_rows: ShownRows;
  first_bad_rows: ShownRows;
}

interface RowLanguages {
  rows: Record<string, number>;
  fell_back: number;
}

/** Most exact first: the time zone that the file says, else the country of the number. */
interface RowPlace {
  time_zone?: string;
  region?: string;
}

/** Facts about rows by number only, because the rows themselves may be erased. Numbered as in the spreadsheet. */
interface RowNotes {
  /** The first rows whose recipient is neither a team member nor on the guest list. */
  not_allowed: number[];
  /** How many of those have no other problem. */
  only_not_allowed_count: number;
  /** The first rows without problems whose text loses characters, and the number of such rows. */
  lossy: number[];
  lossy_count: number;
  /** The first rows without problems in which a value that should be yes or no is neither, and the number of such rows. */
  unclear: number[];
  unclear_count: number;
}

const maxNotedRows = 50;

interface ShownRows {
  rows: ShownRow[];
  /** The length of the rows as JSON. */
  characters: number;
}

/** The results of checking a file. */
export interface FileSummary extends Omit<RowCounts, 'first_rows' | 'first_bad_rows' | 'notes' | 'places'> {
  /** Null if the file was not checked against a template. */
  channel: Channel | null;
  row_count: number;
  max_rows: number;
  has_recipient_columns: boolean;
  missing_columns: string[];
  duplicate_columns: string[];
  /** The first rows with a problem, or the first rows if there are none. */
  rows_shown: ShownRow[];
  /** The number of recipients in more than one row without problems, if counted. */
  repeated_recipients?: number;
  /** The number of rows with these recipients. */
  repeated_row_count?: number;
  /** The row numbers of the first of these recipients. */
  repeated_rows?: number[][];
  notes: RowNotes;
  /** Each once; missing for letters, and for contact lists. */
  places?: RowPlace[];
}

export function noRows(): RowCounts {
  return {
    row_problem_counts: {},
    rows_with_problems: 0,
    international_count: 0,
    part_count: 0,
    not_allowed_count: 0,
    notes: { not_allowed: [], only_not_allowed_count: 0, lossy: [], lossy_count: 0, unclear: [], unclear_count: 0 },
    first_rows: { rows: [], characters: 0 },
    first_bad_rows: { rows: [], characters: 0 },
  };
}

/** A row may have a million characters, so no more rows are shown after this many. */
const maxShownCharacters = 500_000;

/** How many more rows and characters may be shown. */
interface Room {
  rows: number;
  characters: number;
}

export interface RowsToShow {
  first: Room;
  bad: Room;
}

interface RowVerdict {
  allowed: boolean;
  /** Whether the row has no problems but its text loses characters. */
  isLossy: boolean;
  /** Whether it has no problems, but a value that should be yes or no is neither. */
  isUnclear: boolean;
  show: () => ShownRow;
  toShow: RowsToShow;
}

export function countRow(
  counts: RowCounts,
  { index, problems, abroad }: Pick<CheckedRow, 'index' | 'problems' | 'abroad'>,
  { allowed, isLossy, isUnclear, show, toShow }: RowVerdict,
): void {
  for (const kind of new Set(problems.map((problem) => problem.kind))) {
    counts.row_problem_counts[kind] = (counts.row_problem_counts[kind] ?? 0) + 1;
  }
  if (problems.length > 0) counts.rows_with_problems++;
  if (abroad) counts.international_count++;
  if (!allowed) {
    counts.not_allowed_count++;
    if (problems.length === 0) counts.notes.only_not_allowed_count++;
    note(counts.notes.not_allowed, [index + 2]);
  }
  if (isLossy) {
    counts.notes.lossy_count++;
    note(counts.notes.lossy, [index + 2]);
  }
  if (isUnclear) {
    counts.notes.unclear_count++;
    note(counts.notes.unclear, [index + 2]);
  }
  showIfRoom(counts.first_rows, toShow.first, show);
  if (problems.length > 0) showIfRoom(counts.first_bad_rows, toShow.bad, show);
}

export function countLanguage(counts: RowCounts, language: string, fellBack: boolean): void {
  counts.languages ??= { rows: {}, fell_back: 0 };
  const { rows } = counts.languages;
  rows[language] = (rows[language] ?? 0) + 1;
  if (fellBack) counts.languages.fell_back++;
}

/** A zone in another case is the same one. */
export function countPlace(counts: RowCounts, { time_zone, region }: RowPlace): void {
  counts.places ??= {};
  if (time_zone === undefined) counts.places[region ?? ''] ??= region === undefined ? {} : { region };
  else counts.places[`in ${time_zone.toLowerCase()}`] ??= { time_zone };
}

function note(noted: number[], rows: number[]): void {
  noted.push(...rows.slice(0, maxNotedRows - noted.length));
}

function showIfRoom(shown: ShownRows, room: Room, show: () => ShownRow): void {
  if (shown.rows.length >= room.rows || shown.characters >= room.characters) return;
  const row = show();
  shown.rows.push(row);
  shown.characters += JSON.stringify(row).length;
}

/** Sums the counts of all rows of a file. */
export class FileTally {
  /** Rows beyond `max_rows` are counted but not checked. */
  rowCount = 0;
  private readonly counts = noRows();

  add(counts: RowCounts): void {
    const sum = this.counts;
    for (const [kind, count] of Object.entries(counts.row_problem_counts) as [RowProblemKind, number][]) {
      sum.row_problem_counts[kind] = (sum.row_problem_counts[kind] ?? 0) + count;
    }
    sum.rows_with_problems += counts.rows_with_problems;
    sum.international_count += counts.international_count;
    sum.part_count += counts.part_count;
    sum.not_allowed_count += counts.not_allowed_count;
    if (counts.languages) {
      sum.languages ??= { rows: {}, fell_back: 0 };
      for (const [language, count] of Object.entries(counts.languages.rows)) {
        sum.languages.rows[language] = (sum.languages.rows[language] ?? 0) + count;
      }
      sum.languages.fell_back += counts.languages.fell_back;
    }
    if (counts.places) sum.places = { ...sum.places, ...counts.places };
    sum.notes.only_not_allowed_count += counts.notes.only_not_allowed_count;
    sum.notes.lossy_count += counts.notes.lossy_count;
    sum.notes.unclear_count += counts.notes.unclear_count;
    for (const list of ['not_allowed', 'lossy', 'unclear'] as const) note(sum.notes[list], counts.notes[list]);
    for (const list of ['first_rows', 'first_bad_rows'] as const) {
      sum[list].rows.push(...counts[list].rows);
      sum[list].characters += counts[list].characters;
    }
  }

  get rowsWithProblems(): number {
    return this.counts.rows_with_problems;
  }

  toShow(max: number): RowsToShow {
    const roomOf = ({ rows, characters }: ShownRows) => ({
      rows: max - rows.length,
      characters: maxShownCharacters - characters,
    });
    return { first: roomOf(this.counts.first_rows), bad: roomOf(this.counts.first_bad_rows) };
  }

  summary(columns: Columns, channel: Channel | null, max_rows: number): FileSummary {
    const { first_rows, first_bad_rows, places, ...counts } = this.counts;
    const showBad = counts.rows_with_problems > 0 && columns.missing.length === 0;
    return {
      channel,
      row_count: this.rowCount,
      max_rows,
      has_recipient_columns: columns.hasRecipient,
      missing_columns: columns.missing,
      duplicate_columns: columns.duplicates,
      ...counts,
      ...(places ? { places: Object.values(places) } : {}),
      rows_shown: (showBad ? first_bad_rows : first_rows).rows,
    };
  }
}

/** What may still be sent today; null if there is no limit. */
export interface Remaining {
  messages: number | null;
  international: number | null;
  /** By how many messages or text message parts the file exceeds the limit of the year. */
  beyondYear?: number;
  /** Whether `messages` and `beyondYear` count parts of texts instead of messages. */
  inParts?: boolean;
}

export const noLimits: Remaining = { messages: null, international: null };

/** Counts the rows or columns that have each problem, in display order. */
export function countFileProblems(
  file: FileSummary,
  { remaining = noLimits, refuseLetters = false }: { remaining?: Remaining; refuseLetters?: boolean } = {},
): [FileProblem, number][] {
  const { channel, row_count } = file;
  const needed = remaining.inParts ? file.part_count : row_count;
  const beyond = (count: number, limit: number | null) => (limit === null ? 0 : count - Math.max(0, limit));
  const counts: Record<FileProblem, number> = {
    'too-many-rows': beyond(row_count, file.max_rows),
    'no-rows': row_count === 0 ? 1 : 0,
    'no-recipient-columns': channel !== null && !file.has_recipient_columns ? 1 : 0,
    'duplicate-recipient-columns': file.duplicate_columns.length,
    'missing-columns': file.missing_columns.length,
    'row-errors': file.rows_with_problems,
    'not-allowed-to-send-to': file.not_allowed_count,
    'letters-in-trial-mode': refuseLetters && channel === 'letter' ? Math.max(1, row_count) : 0,
    'too-many-messages': beyond(needed, remaining.messages),
    'too-many-for-year': remaining.beyondYear ?? 0,
    'too-many-international': beyond(file.international_count, remaining.international),
  };
  return (Object.keys(fileProblemTexts) as FileProblem[]).flatMap((problem) =>
    counts[problem] > 0 ? [[problem, counts[problem]]] : [],
  );
}
