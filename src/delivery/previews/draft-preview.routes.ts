import { type Static, Type } from 'typebox';
import { inEnglish } from '../../language/text.ts';
import { acceptsLongText } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import { problemsOfDraft } from '../../templates/template-drafts.ts';
import { Languages, TemplateTypes } from '../../templates/template-record.ts';
import { getTemplate } from '../../templates/templates.ts';
import { type DraftPreview, type PreviewDeps, type PreviewedDraft, previewDraft } from './draft-preview.ts';

const Draft = Type.Object({
  template_type: TemplateTypes,
  content: Type.String(),
  subject: Type.Optional(Nullable(Type.String())),
  has_unsubscribe_link: Type.Optional(Type.Boolean()),
  reply_to: Type.Optional(Nullable(Uuid)),
  letter_languages: Type.Optional(Nullable(Languages)),
  letter_welsh_subject: Type.Optional(Nullable(Type.String())),
  letter_welsh_content: Type.Optional(Nullable(Type.String())),
  template_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'The stored template whose files, or attached pages, the draft has' }),
  ),
  personalisation: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

const Preview = Type.Object(
  {
    template_type: TemplateTypes,
    placeholders: Type.Array(Type.String()),
    problems: Type.Record(Type.String(), Type.String(), { description: 'What to change before saving, by field' }),
    sender: Nullable(Type.String({ description: 'Of a text message' })),
    from: Nullable(Type.Object({ name: Type.String(), address: Type.String() })),
    reply_to: Nullable(Type.String()),
    subject: Nullable(Type.String({ description: 'Of an email' })),
    text: Nullable(Type.String({ description: 'The text message, or the plain text of the email' })),
    html: Nullable(Type.String({ description: 'Of an email' })),
    character_count: Nullable(Type.Integer()),
    encoding: Nullable(OneOf(['gsm7', 'ucs2'])),
    fragments: Nullable(Type.Integer({ description: 'Parts that a text message is charged for' })),
    page_count: Nullable(Type.Integer()),
    content: Nullable(Type.String({ description: 'The letter as PDF, base64-encoded' })),
  },
  { title: 'DraftPreview' },
);

export function draftPreviewRoutes(http: Http, app: PreviewDeps): void {
  http.post(
    '/service/:service_id/template/preview-draft',
    {
      ...acceptsLongText,
      config: { readsOnly: true },
      schema: {
        summary: 'Preview a template that is not stored, rendered as for sending',
        params: OfService,
        body: Draft,
        response: { 200: Data(Preview) },
      },
    },
    async ({ params: { service_id }, body }) => {
      const draft = await readDraft(app, service_id, body);
      const preview = await previewDraft(app, service_id, draft, body.personalisation ?? {});
      const problems = Object.entries(problemsOfDraft(preview.alphabet, draft, preview.api_dialect)).map(
        ([field, text]) => [field, inEnglish(text)],
      );
      return { data: { ...record(preview), problems: Object.fromEntries(problems) } };
    },
  );
}

async function readDraft(app: Platform, serviceId: string, body: Static<typeof Draft>): Promise<PreviewedDraft> {
  const { template_id } = body;
  const template = template_id === undefined ? undefined : await getTemplate(app.db, serviceId, template_id);
  return {
    template_type: body.template_type,
    content: body.content,
    subject: body.subject ?? null,
    has_unsubscribe_link: body.has_unsubscribe_link ?? false,
    reply_to: body.reply_to === undefined ? (template?.reply_to ?? null) : body.reply_to,
    letter_languages: body.letter_languages ?? null,
    letter_welsh_subject: body.letter_welsh_subject ?? null,
    letter_welsh_content: body.letter_welsh_content ?? null,
    email_files: template?.email_files ?? [],
    letter_attachment: template?.letter_attachment ?? null,
  };
}

const nothing = {
  sender: null,
  from: null,
  reply_to: null,
  subject: null,
  text: null,
  html: null,
  character_count: null,
  encoding: null,
  fragments: null,
  page_count: null,
  content: null,
};

function record(preview: DraftPreview) {
  if (preview.template_type !== 'letter') return { ...nothing, ...preview };
  const { pdf, page_count, template_type, placeholders } = preview;
  return { ...nothing, template_type, placeholders, page_count, content: Buffer.from(pdf).toString('base64') };
}
