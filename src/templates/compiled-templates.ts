import { refused } from '../auth/bearer.ts';
import { notFound } from '../platform/failure.ts';
import { canonicalId } from '../platform/id.ts';
import { Lru } from '../platform/lru.ts';
import type { Platform } from '../platform/platform.ts';
import { maxOutlineCharacters } from '../rendering/email/outlines.ts';
import { type CompiledTemplate, compileTemplate } from '../rendering/template.ts';
import { replyToTextOf } from './template-record.ts';
import type { CurrentTemplateRow, TemplateRow, TemplateType } from './template-row.ts';
import { selectTemplateById, selectTemplateVersion } from './template-rows.sql.ts';

/** A template ready to be sent with. `row.reply_to_text` is the sender, reply-to address or contact block to use. */
export interface ReadyTemplate<Row extends TemplateRow = CurrentTemplateRow> {
  row: Row;
  compiled: CompiledTemplate;
}

type FoundTemplate =
  | { found: 'here'; template: ReadyTemplate }
  | { found: 'in-another-service' }
  | { found: 'nowhere' };

// About 120 MB of text at most in each of the two caches. A template of ordinary size weighs some 1,500; one for emails
// 17,000, because it may hold as much besides to render messages from. Most emails of the two caches are the same objects.
const maxCharacters = 60_000_000;
const weightOfNothing = 1_000;
const rememberedServices = 10_000;

interface Remembered {
  /** How many changes had been heard of when the read began: one heard of since makes it worthless. */
  readAt: number;
  loading: Promise<FoundTemplate>;
}

/**
 * Templates in memory, so that accepting or delivering a message reads nothing. A compiled version never changes and is
 * kept while there is room; which version is the newest is forgotten when its service changes.
 */
export class CompiledTemplates {
  private readonly newest = new Lru<Remembered>(maxCharacters);
  private readonly versions = new Lru<ReadyTemplate<TemplateRow>>(maxCharacters);
  private readonly reading = new Map<string, Promise<TemplateRow | undefined>>();
  private readonly changedAt = new Map<string, number>();
  private resetAt = 0;
  private changes = 0;
  private readonly app: Pick<Platform, 'db' | 'changeListener'>;

  constructor(app: Pick<Platform, 'db' | 'changeListener'>) {
    this.app = app;
    app.changeListener.on('service_changed', (serviceId) => {
      if (this.changedAt.size >= rememberedServices) this.forgetNewest();
      this.changedAt.set(serviceId, ++this.changes);
    });
    app.changeListener.onReset(() => this.forgetNewest());
  }

  private forgetNewest(): void {
    this.resetAt = ++this.changes;
    this.changedAt.clear();
    this.newest.clear();
  }

  /** Ids in canonical form. */
  find(serviceId: string, templateId: string): Promise<FoundTemplate> {
    const key = `${serviceId} ${templateId}`;
    const known = this.newest.get(key);
    if (known && known.readAt >= Math.max(this.resetAt, this.changedAt.get(serviceId) ?? 0)) return known.loading;
    const loading = this.load(serviceId, templateId);
    if (this.app.changeListener.connected) this.remember(key, { readAt: this.changes, loading });
    return loading;
  }

  private remember(key: string, entry: Remembered): void {
    this.newest.set(key, entry, weightOfNothing);
    const settle = (found?: FoundTemplate) => {
      if (this.newest.get(key) !== entry) return;
      // Neither a failed read nor an id that is not here is worth remembering.
      if (found?.found === 'here') this.newest.set(key, entry, weightOf(found.template.row));
      else this.newest.delete(key);
    };
    entry.loading.then(settle, () => settle());
  }

  private async load(serviceId: string, templateId: string): Promise<FoundTemplate> {
    const row = await selectTemplateById(this.app.db, templateId);
    if (!row) return { found: 'nowhere' };
    if (row.service !== serviceId) return { found: 'in-another-service' };
    if (row.hidden) return { found: 'nowhere' };
    const template = { ...row, reply_to_text: replyToTextOf(row) };
    return { found: 'here', template: { row: template, compiled: this.compile(template, row.reply_to_text).compiled } };
  }

  /** The version a message was accepted with; undefined when there is none. */
  async findVersion(
    templateId: string,
    version: number,
    contactBlock: string | null,
  ): Promise<ReadyTemplate<TemplateRow> | undefined> {
    const known = this.versions.get(versionKey(templateId, version, contactBlock));
    if (known) return known;
    const row = await this.readVersion(templateId, version);
    return row && this.compile(row, contactBlock);
  }

  /** Once, however many messages ask for it at the same time. */
  private readVersion(templateId: string, version: number): Promise<TemplateRow | undefined> {
    const key = versionKey(templateId, version, null);
    const underWay = this.reading.get(key);
    if (underWay) return underWay;
    const reading = selectTemplateVersion(this.app.db, templateId, version).finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }

  /** The contact block is part of what is compiled, and not of the version: it may be rewritten in between. */
  private compile(row: TemplateRow, contactBlock: string | null): ReadyTemplate<TemplateRow> {
    const block = row.template_type === 'letter' ? contactBlock : null;
    const key = versionKey(row.id, row.version, block);
    const known = this.versions.get(key);
    if (known) return known;
    const ready = { row, compiled: compileRow(row, block) };
    this.versions.set(key, ready, weightOf(row));
    return ready;
  }
}

/** What a stored template says, read once. */
export function compileRow(row: TemplateRow, contactBlock = row.reply_to_text): CompiledTemplate {
  const { letter_welsh_subject, letter_welsh_content, ...source } = row;
  const welsh = row.letter_languages === 'welsh_then_english' ? { letter_welsh_subject, letter_welsh_content } : {};
  return compileTemplate({ ...source, ...welsh, contact_block: contactBlock });
}

function versionKey(templateId: string, version: number, contactBlock: string | null): string {
  return `${templateId} ${version} ${contactBlock ?? ''}`;
}

function weightOf(row: TemplateRow): number {
  const texts = [row.content, row.subject, row.letter_welsh_content, row.reply_to_text];
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return weightOfNothing + length + (row.template_type === 'email' ? maxOutlineCharacters(length) : 0);
}

type Deps = { compiledTemplates: CompiledTemplates };

/** From memory, as a rule. Archived templates are found, hidden ones are not. */
export function findTemplate(app: Deps, serviceId: string, templateId: string): Promise<FoundTemplate> {
  return app.compiledTemplates.find(serviceId, canonicalId(templateId));
}

/** As the public API answers: another service's template is refused like another service's key. */
export async function getTemplateForSending(app: Deps, serviceId: string, templateId: string): Promise<ReadyTemplate> {
  const result = await findTemplate(app, serviceId, templateId);
  if (result.found === 'here') return result.template;
  throw result.found === 'nowhere' ? notFound() : refused('serviceNotFound');
}

/** To render a message that was accepted with this version; for a letter with the contact block it was accepted with. */
export async function getTemplateForDelivery(
  app: Deps,
  message: {
    template_id: string;
    template_version: number;
    notification_type: TemplateType;
    reply_to_text: string | null;
  },
): Promise<ReadyTemplate<TemplateRow>> {
  const { template_id, template_version } = message;
  const contactBlock = message.notification_type === 'letter' ? message.reply_to_text : null;
  const found = await app.compiledTemplates.findVersion(template_id, template_version, contactBlock);
  if (!found) throw new Error(`Template ${template_id} has no version ${template_version}`);
  return found;
}
