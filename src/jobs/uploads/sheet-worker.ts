import type { MessagePort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { type Country, createCountry } from '../../countries/country.ts';
import type { CountryProfile } from '../../countries/profile.ts';
import type { Header, RowBatch, SheetCell, SpreadsheetLimits } from '../../libraries/spreadsheet/sheet.ts';
import { openSpreadsheet } from '../../libraries/spreadsheet/spreadsheet.ts';
import { type FileErrorKind, SpreadsheetError } from '../../libraries/spreadsheet/spreadsheet-error.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';
import { addressRules } from '../../recipients/address-rules.ts';
import { planColumns } from '../../recipients/spreadsheet/columns.ts';
import {
  countPlace,
  countRow,
  noRows,
  type RowCounts,
  type RowsToShow,
} from '../../recipients/spreadsheet/file-problems.ts';
import { isAllowed, type ShownProblem, showProblems, showRow } from '../../recipients/spreadsheet/row-check.ts';
import type { CheckedRow, Destination, RecipientPermissions } from '../../recipients/spreadsheet/row-problems.ts';
import { cleanRecipient } from '../../recipients/whitespace.ts';
import { type ReadyRow, writeReadyRow } from './ready-row.ts';
import { RowTexts, type TemplateToCheck } from './row-texts.ts';

export type WorkbookMessage =
  | { header: Header }
  | { batch: RowBatch }
  | { end: true }
  | { error: { kind: FileErrorKind; detail: Readonly<Record<string, string | number>> } };

/** Reads a workbook and sends one batch for each message that it receives; ends early when the port is closed. */
export async function readWorkbook(
  port: MessagePort,
  fileName: string,
  bytes: Uint8Array,
  limits: SpreadsheetLimits,
): Promise<void> {
  const requests = new Requests(port);
  const send = (message: WorkbookMessage) => port.postMessage(message);
  try {
    const { header, batches } = await openSpreadsheet(fileName, once(bytes), { limits });
    if (!(await requests.next())) return;
    send({ header });
    for await (const batch of batches) {
      if (!(await requests.next())) return;
      send({ batch });
    }
    if (await requests.next()) send({ end: true });
  } catch (error) {
    if (!(error instanceof SpreadsheetError)) throw error;
    const { kind, detail } = error;
    if (await requests.next()) send({ error: { kind, detail } });
  } finally {
    port.close();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Counts requests, so that a request that arrives early is not lost. */
class Requests {
  private count = 0;
  private closed = false;
  private wake: (() => void) | undefined;

  constructor(port: MessagePort) {
    port.on('message', () => {
      this.count++;
      this.wake?.();
    });
    port.on('close', () => {
      this.closed = true;
      this.wake?.();
    });
  }

  /** Returns false when no more requests will come. */
  async next(): Promise<boolean> {
    while (this.count === 0 && !this.closed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.count--;
    return !this.closed;
  }
}

/** What the rows of a file are checked against, as a value that can be passed to a thread. */
export interface CheckPlan {
  header: Header;
  against: TemplateToCheck | { contactList: 'sms' | 'email' } | null;
  permissions: RecipientPermissions;
  country: CountryProfile;
  /** The dialect of the service, which decides how numbers without a country code are read. */
  dialect: ApiDialect;
  /** Normalised; null if the service may send to anyone. */
  allowedRecipients: ReadonlySet<string> | null;
}

interface RowsToCheck {
  firstRow: number;
  /** The rows as JSON, as a chunk stores them. One text is cheaper to pass to a thread than many cells. */
  cells: string;
  toShow: RowsToShow;
  /** Rows with problems whose problems are listed; others are only counted. */
  maxDescribed: number;
}

/** Columns of a chunk, and what was counted. */
interface CheckedRows {
  messages: string | null;
  problems: string | null;
  /** Counts rows without problems only. */
  abroad_count: number;
  part_count: number;
  counts: RowCounts;
}

/** A row of `upload_chunks.problems`. */
export interface RowProblems {
  /** From 0. */
  row: number;
  problems: ShownProblem[];
}

/** Runs in a thread. Rows are checked one by one, so that only their JSON takes memory. */
export function checkRows(plan: CheckPlan, { firstRow, cells, toShow, maxDescribed }: RowsToCheck): CheckedRows {
  const rows: SheetCell[][] = JSON.parse(cells);
  const counts = noRows();
  if (plan.against === null) {
    const columns = planColumns(plan.header, null, []);
    for (const [offset, row] of rows.entries()) {
      const unchecked = { index: firstRow + offset, recipient: null, problems: [], abroad: false };
      countRow(counts, unchecked, {
        allowed: true,
        isLossy: false,
        isUnclear: false,
        show: () => showRow(columns, row, unchecked),
        toShow,
      });
    }
    return { messages: null, problems: null, abroad_count: 0, part_count: 0, counts };
  }
  const country = countryOf(plan);
  const texts = new RowTexts(country, plan.header, plan.against, plan.permissions);
  const postage = 'postage' in plan.against ? plan.against.postage : null;
  const isTimed = 'texts' in plan.against && plan.against.texts.own.template_type !== 'letter';
  const described: RowProblems[] = [];
  let abroad_count = 0;
  let part_count = 0;
  const messages = rows.map((row, offset) => {
    const { checked, template, language, zone } = texts.check(firstRow + offset, row, counts);
    const allowed = isAllowed(checked.destination, plan.allowedRecipients);
    const isLossy = checked.problems.length === 0 && template.isLossy?.(checked.personalisation) === true;
    const isUnclear = checked.problems.length === 0 && checked.unclear.length > 0;
    countRow(counts, checked, {
      allowed,
      isLossy,
      isUnclear,
      show: () => showRow(texts.columns, row, checked),
      toShow,
    });
    if (checked.problems.length > 0 && described.length < maxDescribed) {
      described.push({ row: checked.index, problems: showProblems(checked.problems) });
    }
    const ready = readyRow(checked, postage, country);
    if (ready?.abroad) abroad_count++;
    if (ready) part_count += template.countParts?.(checked.personalisation) ?? 0;
    if (ready && language !== null) ready.language = language;
    if (ready && zone !== undefined) ready.time_zone = zone;
    if (ready && isTimed) countPlace(counts, { time_zone: zone, region: regionOf(checked, country) });
    return writeReadyRow(ready);
  });
  counts.part_count = part_count;
  return {
    messages: `[${messages.join(',')}]`,
    problems: described.length > 0 ? JSON.stringify(described) : null,
    abroad_count,
    part_count,
    counts,
  };
}

const countries = new LRUCache<string, Country>({ max: 5 });

/** Every call has its own copy of the profile. What its rules learn about numbers is kept with the first one. */
function countryOf({ country: profile, dialect }: Pick<CheckPlan, 'country' | 'dialect'>): Country {
  const key = dialect + JSON.stringify(profile);
  const existing = countries.get(key);
  if (existing) return existing;
  const country = createCountry(profile);
  const read = dialect === 'gc' ? { ...country, phone: country.phoneOfGcClients } : country;
  countries.set(key, read);
  return read;
}

function readyRow(checked: CheckedRow, postage: string | null, country: Country): ReadyRow | null {
  const { destination, personalisation, reference, abroad, problems } = checked;
  if (problems.length > 0 || destination === null) return null;
  const to = addressee(checked, destination, postage, country);
  // Spreading `to` would take as long as the rest of the check.
  return {
    recipient: to.recipient,
    normalised_recipient: to.normalised_recipient,
    international: to.international,
    rate_multiplier: to.rate_multiplier,
    postage: to.postage,
    personalisation: withoutNulls(personalisation),
    client_reference: reference,
    abroad,
  };
}

/** All numbers at home count as those of the main region, whose prices they have. */
function regionOf({ destination }: CheckedRow, { phone }: Country): string | undefined {
  if (destination?.channel !== 'sms') return undefined;
  return destination.number.international ? destination.number.region : phone.region;
}

function withoutNulls(values: CheckedRow['personalisation']): ReadyRow['personalisation'] {
  const isComplete = (all: typeof values): all is ReadyRow['personalisation'] => !Object.values(all).includes(null);
  if (isComplete(values)) return values;
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

function addressee({ recipient }: CheckedRow, destination: Destination, postage: string | null, country: Country) {
  switch (destination.channel) {
    case 'sms': {
      const { normalised, international, multiplier: rate_multiplier } = destination.number;
      const cleaned = cleanRecipient(recipient ?? normalised);
      return { recipient: cleaned, normalised_recipient: normalised, international, rate_multiplier, postage: null };
    }
    case 'email': {
      const { cleaned, address } = destination;
      return {
        recipient: cleaned,
        normalised_recipient: address,
        international: false,
        rate_multiplier: 1,
        postage: null,
      };
    }
    case 'letter': {
      const { address } = destination;
      return {
        recipient: address.lines.join('\n'),
        normalised_recipient: null,
        international: address.international,
        rate_multiplier: 1,
        postage: addressRules(country).postage(address, postage),
      };
    }
  }
}
