import type { Country } from '../../countries/country.ts';
import type { PhoneRules } from '../../countries/phone-rules.ts';
import type { Header, SheetCell } from '../../libraries/spreadsheet/sheet.ts';
import { SpreadsheetError } from '../../libraries/spreadsheet/spreadsheet-error.ts';
import type { SendingService } from '../../notifications/sending/sending-service.ts';
import type { Platform } from '../../platform/platform.ts';
import { WorkerFailure } from '../../platform/threads/thread.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { KeyType } from '../../protocol/key-types.ts';
import { findContactListChannel, planColumns } from '../../recipients/spreadsheet/columns.ts';
import { type FileSummary, FileTally } from '../../recipients/spreadsheet/file-problems.ts';
import type { ReadyTemplate } from '../../templates/compiled-templates.ts';
import { placeholdersOf, textsOf, timeZoneColumnsOf } from './file-texts.ts';
import type { SheetThreads } from './sheet-threads.ts';
import type { CheckPlan } from './sheet-worker.ts';

const maxRowsShown = 50;
/** Describes the problems of this many rows of a file, and counts the others. */
export const maxDescribedRows = 10_000;

export interface CheckAgainst {
  service: SendingService;
  key_type: KeyType;
  /** Null for a contact list, or for rows that are stored without a check. */
  template: ReadyTemplate | null;
  is_contact_list: boolean;
  /** The language of rows that do not name one. */
  language?: string | null | undefined;
}

type CheckDeps = Pick<Platform, 'country'> & { sheetThreads: SheetThreads };

/** Checks the rows of one file in threads, chunk by chunk. */
export class SheetCheck {
  private readonly threads: SheetThreads;
  private readonly against: CheckAgainst;
  private readonly maxRows: number;
  private readonly channel: Channel | null;
  private readonly plan: CheckPlan;
  private readonly phone: PhoneRules;
  private readonly placeholders: readonly string[] = [];
  private readonly optional: readonly string[] = [];
  private readonly tally = new FileTally();

  constructor({ sheetThreads, country }: CheckDeps, against: CheckAgainst, header: Header, maxRows: number) {
    const { template, is_contact_list, service } = against;
    this.threads = sheetThreads;
    this.against = against;
    this.phone = country.phone;
    this.maxRows = maxRows;
    const list = is_contact_list ? (findContactListChannel(header) ?? null) : null;
    this.channel = template?.row.template_type ?? list;
    this.plan = {
      header,
      against: template ? templateToCheck(country, against, template) : list && { contactList: list },
      permissions: {
        internationalSms: service.permissions.has('international_sms'),
        landlines: service.permissions.has('sms_to_uk_landlines'),
        internationalLetters: service.permissions.has('international_letters'),
      },
      allowedRecipients: allowedRecipients(against),
      country: country.profile,
      dialect: service.api_dialect,
    };
    if (!template) return;
    const { every, some } = placeholdersOf(template.row);
    this.placeholders = every;
    this.optional = some;
  }

  /** Returns undefined if all rows are beyond the limit. They are counted but not stored. */
  async check(firstRow: number, rows: SheetCell[][]): Promise<Chunk | undefined> {
    this.tally.rowCount += rows.length;
    const readable = rows.slice(0, Math.max(0, this.maxRows - firstRow));
    return readable.length === 0 ? undefined : this.run(firstRow, readable.length, JSON.stringify(readable));
  }

  async checkStored({ first_row, row_count, cells }: Pick<Chunk, 'first_row' | 'row_count' | 'cells'>): Promise<Chunk> {
    this.tally.rowCount += row_count;
    return this.run(first_row, row_count, cells);
  }

  private async run(first_row: number, row_count: number, cells: string): Promise<Chunk> {
    const threads = this.threads.checkersFor(this.against.service.id);
    const permissions = { ...this.plan.permissions, ratesAbroad: await this.phone.readRatesAbroad?.() };
    const { counts, ...columns } = await threads
      .run(
        'checkRows',
        { ...this.plan, permissions },
        {
          firstRow: first_row,
          cells,
          toShow: this.tally.toShow(maxRowsShown),
          maxDescribed: Math.max(0, maxDescribedRows - this.tally.rowsWithProblems),
        },
      )
      .catch(refuseIfTooSlow);
    this.tally.add(counts);
    return { first_row, row_count, cells, ...columns, problem_count: counts.rows_with_problems };
  }

  summary(): FileSummary {
    const columns = planColumns(this.plan.header, this.channel, this.placeholders, this.optional);
    return this.tally.summary(columns, this.channel, this.maxRows);
  }
}

interface Chunk {
  first_row: number;
  row_count: number;
  cells: string;
  messages: string | null;
  problems: string | null;
  problem_count: number;
  abroad_count: number;
  part_count: number;
}

function refuseIfTooSlow(error: unknown): never {
  const reason = error instanceof WorkerFailure ? error.reason : undefined;
  if (reason !== 'timeout' && reason !== 'memory') throw error;
  throw new SpreadsheetError('too-slow', {}, { cause: error });
}

function templateToCheck(
  country: Country,
  { service, language }: CheckAgainst,
  { row }: ReadyTemplate,
): CheckPlan['against'] {
  const contactBlock = row.template_type === 'letter' ? row.reply_to_text : null;
  return {
    key: `${row.id} ${row.version} ${row.api_dialect} ${row.keeps_characters} ${contactBlock ?? ''}`,
    texts: textsOf(country, row, language ?? null),
    postage: row.postage,
    files: row.email_files.map(({ filename }) => filename),
    prefix: row.api_dialect === 'gc' ? service.sms_prefix : null,
    sentPrefix: service.sms_prefix,
    readsTimeZones: timeZoneColumnsOf(service, row).length > 0,
  };
}

/** Returns the members and guests that a team key or a service in trial mode may send to; null if any recipient is allowed. */
function allowedRecipients({ service, key_type }: CheckAgainst): ReadonlySet<string> | null {
  if (key_type === 'test') return null;
  return key_type === 'team' || service.restricted ? service.allowed_recipients : null;
}
