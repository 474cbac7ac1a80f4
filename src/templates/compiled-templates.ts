import { LRUCache } from 'lru-cache';
import { cachedIn, InvalidatedCache } from '../platform/cache.ts';
import { BatchReader } from '../platform/db/batch-reader.ts';
import { invalidField } from '../platform/failure.ts';
import { canonicalId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import type { Channel } from '../protocol/channels.ts';
import { maxOutlineCharacters } from '../rendering/email/outlines.ts';
import type { Personalisation } from '../rendering/personalisation.ts';
import { describeMissing } from '../rendering/placeholders.ts';
import { type CompiledTemplate, compileTemplate } from '../rendering/template.ts';
import { maxShortLength } from './email-threads.ts';
import { fixedTexts } from './languages/fixed-texts.ts';
import { replyToTextOf } from './template-record.ts';
import {
  type CurrentTemplateRow,
  compileRow,
  lookUp,
  sourceOf,
  type TemplateLookup,
  type TemplateRow,
  textIn,
} from './template-row.ts';
import { selectTemplatesById, selectTemplateVersion, selectVersionsOfTemplates } from './template-rows.sql.ts';
import { selectNamedTemplates } from './templates.sql.ts';

/** A template that is ready for sending. `row.reply_to_text` is the sender, reply-to address or contact block to use. */
export interface ReadyTemplate<Row extends TemplateRow = CurrentTemplateRow> {
  row: Row;
  /** Compiled in the chosen language. */
  compiled: CompiledTemplate;
  /** Null for the template's own text. */
  language: string | null;
}

type FoundTemplate = TemplateLookup<ReadyTemplate>;
type NamedTemplate = Pick<TemplateRow, 'id' | 'name' | 'template_type'>;

/** Size of an entry without its texts, in each of the two caches. */
const templateBytes = 1_700;
const nameBytes = 250;
const maxChangedServices = 50_000;

/** For a row that another call has read: a caller who needs a current row reads it again. */
const unknownTime = 0;

interface Current {
  /** The value of `changes` when the entry was last known to be current. A later change of the service invalidates the entry. */
  currentAt: number;
}

interface CacheEntry extends Current {
  loading: Promise<FoundTemplate>;
}

/** A version never changes, but the dialect and the alphabet of its service can. They are read again after each change of the service. */
interface CompiledVersion extends Current {
  ready: ReadyTemplate<TemplateRow>;
}

/**
 * Caches templates, so that accepting or delivering a message needs no database read. Compiled versions are immutable and
 * cached while there is room; the entry for the newest version is invalidated when its service changes.
 */
export class CompiledTemplates {
  private readonly newest: LRUCache<string, CacheEntry>;
  /** An email template also caches what rendering precomputes, which takes ten times as much memory as its texts. */
  private readonly versions: LRUCache<string, CompiledVersion>;
  private readonly rows: BatchReader<CurrentTemplateRow>;
  private readonly rowsOfVersions: BatchReader<TemplateRow>;
  private readonly changedAt = new Map<string, number>();
  private resetAt = 0;
  private changes = 0;
  private readonly names: InvalidatedCache<NamedTemplate[]>;
  private readonly app: Platform;

  constructor(app: Platform) {
    this.app = app;
    this.newest = new LRUCache({ maxSize: app.cacheMemory_bytes / 4 });
    this.versions = new LRUCache({
      maxSize: (app.cacheMemory_bytes * 3) / 8,
      // The other cache may still hold the same object as the newest version.
      dispose: ({ ready: { compiled } }) => compiled.template_type === 'email' && compiled.forgetOutlines(),
    });
    this.rows = new BatchReader(
      (ids) => selectTemplatesById(app.db, ids),
      ({ id }) => id,
    );
    this.rowsOfVersions = new BatchReader(
      (keys) => selectVersionsOfTemplates(app.db, keys.map(versionOf)),
      ({ id, version }) => versionKey(id, version),
    );
    this.names = new InvalidatedCache(app.changeListener, {
      channel: 'service_changed',
      max_bytes: app.cacheMemory_bytes / 32,
      bytesOf: (templates) => nameBytes * (1 + templates.length),
      load: (serviceId) => selectNamedTemplates(app.db, serviceId),
    });
    app.changeListener.on('service_changed', (serviceId) => {
      if (this.changedAt.size >= maxChangedServices) this.clearNewest();
      this.changedAt.set(serviceId, ++this.changes);
    });
    app.changeListener.onReset(() => this.clearNewest());
  }

  private clearNewest(): void {
    this.resetAt = ++this.changes;
    this.changedAt.clear();
    this.newest.clear();
  }

  /** The ids must be in canonical form. */
  find(serviceId: string, templateId: string): Promise<FoundTemplate> {
    return this.findOrLoad(serviceId, `${serviceId} ${templateId}`, () => this.load(serviceId, templateId));
  }

  /** Finds an earlier version to send, with its current sender, reply-to address or contact block. */
  findEarlier(serviceId: string, templateId: string, version: number): Promise<FoundTemplate> {
    const key = `${serviceId} ${templateId} ${version}`;
    return this.findOrLoad(serviceId, key, () => this.loadEarlier(templateId, version));
  }

  /** Finds templates of the service with this name that are neither archived nor hidden. */
  async findNamed(serviceId: string, name: string): Promise<NamedTemplate[]> {
    const templates = (await this.names.find(serviceId)) ?? [];
    return templates.filter((template) => template.name === name);
  }

  private findOrLoad(serviceId: string, key: string, load: () => Promise<FoundTemplate>): Promise<FoundTemplate> {
    const cached = cachedIn(this.newest, key);
    if (cached && this.isCurrent(cached, serviceId)) return cached.loading;
    const loading = load();
    if (this.app.changeListener.connected) this.cache(key, { currentAt: this.changes, loading });
    return loading;
  }

  private isCurrent(entry: Current, serviceId: string): boolean {
    if (entry.currentAt === this.changes) return true;
    if (entry.currentAt < Math.max(this.resetAt, this.changedAt.get(serviceId) ?? 0)) return false;
    // Skips the comparison until the next change of any service.
    entry.currentAt = this.changes;
    return true;
  }

  private cache(key: string, entry: CacheEntry): void {
    this.newest.set(key, entry, { size: templateBytes });
    const settle = (found?: FoundTemplate) => {
      if (this.newest.get(key) !== entry) return;
      // Do not cache failed reads or templates that are not found.
      // // Set a copy, because the cache does not update the size of an object that it already holds.
      if (found?.found === 'here') this.newest.set(key, { ...entry }, { size: bytesOf(found.template.row) });
      else this.newest.delete(key);
    };
    entry.loading.then(settle, () => settle());
  }

  private async load(serviceId: string, templateId: string): Promise<FoundTemplate> {
    const changes = this.changes;
    const result = lookUp(await this.rows.find(templateId), serviceId);
    if (result.found !== 'here') return result;
    const row = result.template;
    const template = { ...row, reply_to_text: replyToTextOf(this.app.country.phone, row) };
    const { compiled } = this.compile(template, row.reply_to_text, null, changes);
    return { found: 'here', template: { row: template, compiled, language: null } };
  }

  private async loadEarlier(templateId: string, version: number): Promise<FoundTemplate> {
    const changes = this.changes;
    const row = await this.rowsOfVersions.find(versionKey(templateId, version));
    if (!row) return { found: 'nowhere' };
    const { compiled } = this.compile(row, row.reply_to_text, null, changes);
    const current = { ...row, folder: null, reply_to_text: replyToTextOf(this.app.country.phone, row) };
    return { found: 'here', template: { row: current, compiled, language: null } };
  }

  /** Finds the version that a message was accepted with. */
  async findVersion(
    templateId: string,
    version: number,
    contactBlock: string | null,
    language: string | null,
  ): Promise<ReadyTemplate<TemplateRow> | undefined> {
    const cached = cachedIn(this.versions, versionKey(templateId, version, contactBlock, language));
    if (cached && this.isCurrent(cached, cached.ready.row.service)) return cached.ready;
    const changes = this.changes;
    const row = await this.rowsOfVersions.find(versionKey(templateId, version));
    return row && this.compile(row, contactBlock, language, changes);
  }

  /** Compiles a template that the caller has just read, in its own text. */
  ready(row: CurrentTemplateRow): ReadyTemplate {
    return { ...this.compile(row, row.reply_to_text, null, unknownTime), row };
  }

  /** Returns the same template in another of its languages. */
  inLanguage<Row extends TemplateRow>(ready: ReadyTemplate<Row>, language: string | null): ReadyTemplate<Row> {
    if (language === ready.language) return ready;
    const { row } = ready;
    const { compiled } = this.compile(row, row.reply_to_text, language, unknownTime);
    return { row, compiled, language };
  }

  /** Caches by version and contact block, because the contact block is compiled in but can change without a new version. */
  private compile(
    row: TemplateRow,
    contactBlock: string | null,
    language: string | null,
    currentAt: number,
  ): ReadyTemplate<TemplateRow> {
    const block = row.template_type === 'letter' ? contactBlock : null;
    const key = versionKey(row.id, row.version, block, language);
    const cached = this.versions.get(key);
    if (cached && isWrittenAlike(cached.ready.row, row)) {
      cached.currentAt = Math.max(cached.currentAt, currentAt);
      return cached.ready;
    }
    const source = {
      ...sourceOf(row, block, this.app.country, language),
      ...fixedTexts(this.app.languages, row, language ?? row.languages?.default),
    };
    const ready = { row, compiled: compileTemplate(source), language };
    const length = lengthOf(row, language);
    this.versions.set(key, { ready, currentAt }, { size: bytesOf(row) + outlineBytes(row, length) });
    return ready;
  }
}

/** Whether both rows have the same dialect and alphabet: the service may have changed in between. */
function isWrittenAlike(before: TemplateRow, now: TemplateRow): boolean {
  return before.api_dialect === now.api_dialect && before.keeps_characters === now.keeps_characters;
}

function versionKey(
  templateId: string,
  version: number,
  contactBlock: string | null = null,
  language: string | null = null,
): string {
  const text = `${templateId} ${version} ${contactBlock ?? ''}`;
  return language === null ? text : `${language} ${text}`;
}

function versionOf(key: string): { id: string; version: number } {
  const [id = '', version] = key.split(' ');
  return { id, version: Number(version) };
}

/** An estimate: most characters take one byte, some two. */
function bytesOf(row: TemplateRow): number {
  const variants = row.languages?.variants ?? [];
  return templateBytes + 2 * variants.reduce((sum, { language }) => sum + lengthOf(row, language), lengthOf(row, null));
}

/** The memory that rendering may use to cache an email template. */
function outlineBytes({ template_type }: TemplateRow, length: number): number {
  return template_type === 'email' && length <= maxShortLength ? maxOutlineCharacters(length) : 0;
}

function lengthOf(row: TemplateRow, language: string | null): number {
  const { content, subject } = textIn(row, language);
  const texts = [content, subject, row.letter_welsh_content, row.reply_to_text];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

interface Deps {
  compiledTemplates: CompiledTemplates;
}

/** Usually served from the cache. Finds archived templates, but not hidden ones. */
export function findTemplate(app: Deps, serviceId: string, templateId: string): Promise<FoundTemplate> {
  return app.compiledTemplates.find(serviceId, canonicalId(templateId));
}

/** Returns the current sender, reply-to address or contact block of a version, which can change without a new version. */
export async function getReplyToText(
  { db, country }: Platform,
  templateId: string,
  version: number,
): Promise<string | null> {
  const row = await selectTemplateVersion(db, templateId, version);
  if (!row) throw new Error(`Template ${templateId} has no version ${version}`);
  return replyToTextOf(country.phone, row);
}

/** Returns the version that a message was accepted with; for a letter, with the contact block it was accepted with. */
export async function getTemplateForDelivery(
  app: Deps,
  message: {
    template_id: string;
    template_version: number;
    notification_type: Channel;
    reply_to_text: string | null;
    language: string | null;
  },
): Promise<ReadyTemplate<TemplateRow>> {
  const { template_id, template_version, language } = message;
  const contactBlock = message.notification_type === 'letter' ? message.reply_to_text : null;
  const found = await app.compiledTemplates.findVersion(template_id, template_version, contactBlock, language);
  if (!found) throw new Error(`Template ${template_id} has no version ${template_version}`);
  return found;
}

/** Returns the message body as API responses show it: SMS without the service name prefix, other channels as Markdown. */
export function renderPreview(
  compiled: CompiledTemplate,
  personalisation: Personalisation,
): { subject: string | null; body: string } {
  if (compiled.template_type === 'sms') return { subject: null, body: compiled.render(personalisation).text };
  return { subject: compiled.subject(personalisation), body: compiled.body(personalisation) };
}

export function previewTemplate(
  { country }: Platform,
  template: CurrentTemplateRow,
  personalisation: Personalisation,
): CurrentTemplateRow {
  const compiled = compileRow(template, template.reply_to_text, country);
  const missing = compiled.missing(personalisation);
  if (missing.length > 0) throw invalidField('template', describeMissing(missing));
  const { subject, body } = renderPreview(compiled, personalisation);
  return { ...template, subject, content: body };
}
