import { type Static, Type } from 'typebox';
import { invalidField } from '../../platform/failure.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { VirusScanner } from '../../platform/storage/virus-scan.ts';
import { Nullable, QueryInteger, Uuid } from '../../protocol/fields.ts';
import type { FrontEndSettings } from '../../protocol/settings.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { inChosenLanguage } from '../../templates/languages/chosen-language.ts';
import { getTemplate } from '../../templates/templates.ts';
import type { PdfThreads } from '../pdf-threads.ts';
import { type LetterPreview, type PreviewFormat, previewLetter, previewLetterTemplate } from './letter-preview.ts';

const Content = Type.String({ description: 'The file, base64-encoded' });
const metadata = {
  message: Type.String({ description: 'Why the letter was rejected; empty if it was not' }),
  invalid_pages: Type.Array(Type.String()),
};
const PageCount = Nullable(Type.Integer({ description: 'Null if the file cannot be read' }));

const TemplatePreview = Type.Object({
  content: Content,
  metadata: Type.Object(metadata),
  page_count: Type.Integer(),
});

const OfTemplate = Type.Object({
  service_id: Uuid,
  template_id: Uuid,
  file_type: Type.String({ description: 'pdf or png' }),
});
const Page = Type.Optional(QueryInteger);

export function letterPreviewRoutes(
  http: Http,
  app: Platform & {
    config: { frontEnd: FrontEndSettings };
    compiledTemplates: CompiledTemplates;
    pdfThreads: PdfThreads;
    virusScanner: VirusScanner;
  },
): void {
  const isForNotificationsAdmin = app.config.frontEnd.shapes === 'notifications-admin';
  // The front end of GOV.UK Notify expects a text: `[1,2]`.
  const InvalidPages = isForNotificationsAdmin ? Type.String() : metadata.invalid_pages;

  http.get(
    '/service/:service_id/template/preview/:notification_id/:file_type',
    {
      schema: {
        summary: 'Preview a letter as PDF, or one of its pages as PNG',
        params: Type.Object({
          service_id: Uuid,
          notification_id: Uuid,
          file_type: Type.String({ description: 'pdf or png' }),
        }),
        querystring: Type.Object({ page: Page }),
        response: {
          200: Type.Object({
            content: Content,
            metadata: Type.Object({ ...metadata, invalid_pages: InvalidPages, page_count: PageCount }),
          }),
        },
      },
    },
    async (request) => {
      const { service_id, notification_id, file_type } = request.params;
      const format = formatOf(file_type);
      const page = pageOf(request.query.page);
      const { page_count, ...preview } = await previewLetter(app, service_id, notification_id, format, page);
      const { content, metadata } = record(preview);
      const invalid_pages = isForNotificationsAdmin ? JSON.stringify(preview.invalid_pages) : metadata.invalid_pages;
      return { content, metadata: { ...metadata, invalid_pages, page_count } };
    },
  );

  http.get(
    '/service/:service_id/template/:template_id/letter-preview/:file_type',
    {
      schema: {
        summary: 'Preview a letter template with values from the query string; `page` selects the page of a PNG',
        params: OfTemplate,
        querystring: Type.Unsafe<Record<string, string | string[]> & { page?: string }>({
          type: 'object',
          properties: { page: QueryInteger },
          additionalProperties: true,
        }),
        response: { 200: TemplatePreview },
      },
    },
    async (request) => {
      const { page, ...given } = request.query;
      // If a parameter is repeated, its first value is used.
      const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [value].flat()[0] ?? '']));
      return showTemplate(request.params, values, page);
    },
  );

  http.post(
    '/service/:service_id/template/:template_id/letter-preview/:file_type',
    {
      config: { readsOnly: true },
      schema: {
        summary: 'Preview a letter template with values in the body, which proxies do not log',
        params: OfTemplate,
        querystring: Type.Object({ page: Page }),
        body: Type.Object({
          personalisation: Type.Record(Type.String(), Type.String()),
          language: Type.Optional(
            Type.String({ format: 'language-tag', description: 'BCP 47; of a template in several languages' }),
          ),
        }),
        response: { 200: TemplatePreview },
      },
    },
    async ({ params, query, body: { personalisation, language } }) =>
      showTemplate(params, personalisation, query.page, language),
  );

  async function showTemplate(
    { service_id, template_id, file_type }: Static<typeof OfTemplate>,
    values: Record<string, string>,
    page: string | undefined,
    language?: string,
  ) {
    const format = formatOf(file_type);
    const row = await getTemplate(app.db, service_id, template_id);
    const template = inChosenLanguage(app, app.compiledTemplates.ready(row), { language, personalisation: values });
    const preview = await previewLetterTemplate(app, template, values, format, pageOf(page));
    return { ...record(preview), page_count: preview.page_count };
  }
}

function formatOf(fileType: string): PreviewFormat {
  if (fileType === 'pdf' || fileType === 'png') return fileType;
  throw invalidField('content', 'file_type must be pdf or png');
}

function pageOf(page: string | undefined): number {
  return page === undefined ? 1 : Number(page);
}

function record({ content, message, invalid_pages }: LetterPreview) {
  return {
    content: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64'),
    metadata: { message, invalid_pages: invalid_pages.map(String) },
  };
}
