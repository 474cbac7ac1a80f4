import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { type Hint, hintRules } from '../../rendering/hints/hint.ts';
import { findHints } from '../../rendering/hints/hints.ts';
import { alphabetOfService } from '../languages/text-alphabet.ts';
import type { TemplateSettings } from '../settings.ts';
import type { CurrentTemplateRow } from '../template-row.ts';
import {
  deleteHiddenHints,
  insertHiddenHint,
  isUsedForFiles,
  selectHiddenRules,
  selectHintedService,
} from './template-hints.sql.ts';

type Deps = Platform & { config: { templates: TemplateSettings } };

interface CheckedText {
  template_type: Channel;
  subject: string | null;
  content: string;
  /** Null for the default sender of the service. */
  reply_to?: string | null;
  has_unsubscribe_link?: boolean;
  sent_to_many?: boolean;
}

/** Returns advice on a text that need not be stored; none if hints are switched off. */
export async function checkText(app: Deps, serviceId: string, text: CheckedText): Promise<Hint[]> {
  if (!app.config.templates.hints) return [];
  const { template_type: channel, reply_to = null, ...written } = text;
  const service = await selectHintedService(app.db, serviceId, channel === 'sms' ? reply_to : null);
  if (!service) throw notFound();
  const { name, prefix_sms: prefix, sender, api_dialect: dialect } = service;
  return findHints({
    ...written,
    channel,
    english: app.country.locale.startsWith('en'),
    service: { name, prefix, sender },
    alphabet: alphabetOfService(app.country, service),
    dialect,
  });
}

/** Returns the hints of a draft except those hidden for its template, and how many rules are hidden. */
export async function hintsOfDraft(
  app: Deps,
  serviceId: string,
  template: CurrentTemplateRow | undefined,
  draft: CheckedText,
): Promise<{ hints: Hint[]; hidden: number }> {
  if (!app.config.templates.hints) return { hints: [], hidden: 0 };
  const isEmail = draft.template_type === 'email';
  const isForMany = isEmail && template !== undefined && (await isSentToMany(app, template));
  const hints = await checkText(app, serviceId, { ...draft, sent_to_many: isForMany });
  const hidden = new Set(template ? await selectHiddenRules(app.db, template.id) : []);
  const shown = hints.filter(({ rule }) => !hidden.has(rule));
  countShown(app, shown);
  return { hints: shown, hidden: hints.length - shown.length };
}

async function isSentToMany({ db }: Platform, template: CurrentTemplateRow): Promise<boolean> {
  return template.process_type === 'bulk' || (await isUsedForFiles(db, template));
}

export function countShown({ metrics }: Platform, hints: readonly Hint[]): void {
  const shown = metrics.counter('hints_shown_total', 'Hints about templates that were given, by rule', ['rule']);
  for (const { rule } of hints) shown.inc({ rule });
}

export async function hideHint(
  { db, clock }: Platform,
  { id, service }: CurrentTemplateRow,
  rule: string,
  userId: string,
): Promise<void> {
  if (!hintRules.some((known) => known === rule)) throw notFound();
  const hidden_at = timestamp(clock.now());
  await inTransaction(db, (tx) =>
    insertHiddenHint(tx, { template_id: id, service_id: service, rule, hidden_by_id: userId, hidden_at }),
  );
}

export async function showHiddenHints({ db }: Platform, templateId: string): Promise<void> {
  await inTransaction(db, (tx) => deleteHiddenHints(tx, templateId));
}
