import { Type } from 'typebox';
import type { Country } from '../../../../countries/country.ts';
import { homePostage } from '../../../../countries/postage.ts';
import type { PreviewedDraft } from '../../../../delivery/previews/draft-preview.ts';
import { isUuid, newId } from '../../../../platform/id.ts';
import { type Channel, channels } from '../../../../protocol/channels.ts';
import { splitAtPlaceholders } from '../../../../rendering/placeholders.ts';
import type { StoredDraft } from '../../../../templates/template-drafts.ts';
import type { CurrentTemplateRow } from '../../../../templates/template-row.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { FormState } from '../../../page.ts';
import { getSeenTemplate, type Reader, refuseUnlessSeen } from '../library.ts';

const Text = Type.Optional(Type.String());

/** The fields of the editor. Their rules depend on the channel: `findProblems` of `save.ts`. */
export const EditorForm = Type.Object({
  do: Type.Optional(Type.String()),
  draft_id: Text,
  /** The version that the change is based on. */
  version: Type.Optional(Type.String({ pattern: '^[0-9]{1,9}$' })),
  folder: Text,
  name: Text,
  subject: Text,
  content: Text,
  unsubscribe_link: Text,
  postage: Text,
  languages: Text,
  letter_welsh_subject: Text,
  letter_welsh_content: Text,
  names: Type.Array(Type.String(), { maxItems: 500 }),
  values: Type.Array(Type.String(), { maxItems: 500 }),
  view: Text,
  width: Text,
});

/** The current text, and the template that it belongs to. */
export interface Editing {
  channel: Channel;
  /** Undefined for a new template. */
  template: CurrentTemplateRow | undefined;
  draftId: string;
  /** The version that the text is based on; 0 for a new template. */
  version: number;
  folder: string | null;
  name: string;
  draft: PreviewedDraft;
  postage: string | null;
  /** What was typed for each placeholder. */
  typedValues: ReadonlyMap<string, string>;
  view: string;
  width: string;
}

/** Reads what was typed, or the stored template if nothing was typed yet. */
export function readEditing(
  country: Country,
  template: CurrentTemplateRow | undefined,
  channel: Channel,
  typed: FormState['typed'],
  folder: string,
  now: Date,
): Editing {
  const isTyped = typed.size > 0;
  // Browsers send line breaks as CRLF.
  const text = (name: string) => String([typed.get(name) ?? ''].flat()[0] ?? '').replaceAll(/\r\n?/g, '\n');
  const list = (name: string) => [typed.get(name) ?? []].flat();
  const typedOr = <Stored>(name: string, stored: Stored) => (isTyped ? text(name) : stored);
  const isLetter = channel === 'letter';
  const isWelsh = isLetter && typedOr('languages', template?.letter_languages) === 'welsh_then_english';
  return {
    channel,
    template,
    draftId: isUuid(text('draft_id')) ? text('draft_id') : newId(now),
    version: isTyped ? Number(text('version') || 0) : (template?.version ?? 0),
    folder: template ? template.folder : parseFolder(isTyped ? text('folder') : folder),
    name: typedOr('name', template?.name ?? ''),
    draft: {
      template_type: channel,
      subject: channel === 'sms' ? null : typedOr('subject', template?.subject ?? ''),
      content: typedOr('content', template?.content ?? ''),
      has_unsubscribe_link:
        channel === 'email' &&
        (isTyped ? text('unsubscribe_link') === 'yes' : (template?.has_unsubscribe_link ?? false)),
      letter_languages: isLetter ? (isWelsh ? 'welsh_then_english' : 'english') : null,
      letter_welsh_subject: isWelsh ? typedOr('letter_welsh_subject', template?.letter_welsh_subject ?? '') : null,
      letter_welsh_content: isWelsh ? typedOr('letter_welsh_content', template?.letter_welsh_content ?? '') : null,
      reply_to: template?.reply_to ?? null,
      email_files: template?.email_files ?? [],
      letter_attachment: template?.letter_attachment ?? null,
    },
    postage: isLetter ? homePostage(country.postage, typedOr('postage', template?.postage)) : null,
    typedValues: new Map(list('names').map((name, index) => [name, list('values')[index] ?? ''])),
    view: text('view') || 'email',
    width: text('width') || '600',
  };
}

const parseFolder = (text: string) => (isUuid(text) ? text : null);

/** Omits blank values, so that their placeholders stay visible. */
export function listFilledValues({ typedValues }: Editing): Record<string, string> {
  return Object.fromEntries([...typedValues].filter(([, value]) => value !== ''));
}

/** Returns placeholders that only show or hide a text. */
export function conditionalNames({ draft }: Editing): Set<string> {
  const texts = [draft.subject, draft.content, draft.letter_welsh_subject, draft.letter_welsh_content];
  const parts = texts.flatMap((text) => splitAtPlaceholders(text ?? ''));
  const plain = new Set(parts.flatMap((part) => (typeof part === 'object' && !part.isConditional ? [part.name] : [])));
  const found = parts.flatMap((part) => (typeof part === 'object' && part.isConditional ? [part.name] : []));
  return new Set(found.filter((name) => !plain.has(name)));
}

/** Reads a stored draft as the editor showed it. */
export async function readStoredDraft(app: ConsoleApp, reader: Reader, stored: StoredDraft) {
  const { template_id, fields } = stored;
  const template = template_id === null ? undefined : await getSeenTemplate(app, reader, template_id);
  const channel = template?.template_type ?? channels.find((known) => known === fields.channel) ?? 'email';
  const editing = readEditing(app.country, template, channel, new Map(Object.entries(fields)), '', app.clock.now());
  await refuseUnlessSeen(app, reader, editing.folder);
  return { draft: editing.draft, values: listFilledValues(editing) };
}
