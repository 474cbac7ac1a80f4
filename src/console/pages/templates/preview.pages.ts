import { type DraftPreview, type PreviewedDraft, previewDraft } from '../../../delivery/previews/draft-preview.ts';
import { draftPagePicture } from '../../../letters/preview/letter-draft.ts';
import { notFound } from '../../../platform/failure.ts';
import { getDraft } from '../../../templates/template-drafts.ts';
import type { TemplateRow } from '../../../templates/template-row.ts';
import { getTemplateVersion } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { PageRequest, Pages, Sent } from '../../page.ts';
import { sendMailFrame, sendSentFile } from '../../parts/mail-frame.tsx';
import { readStoredDraft } from './editor/editor-fields.ts';
import { getSeenTemplate, type Reader } from './library.ts';

type Seen = PageRequest<{ service: 'any' }>;

/** Resources of previews of versions and drafts: the email in its frame, the pages of a letter, its PDF. */
export function previewPages(pages: Pages, app: ConsoleApp): void {
  const previewShownVersion = async (request: Seen, id: string) => {
    const version = Number(request.param('version'));
    if (!Number.isInteger(version) || version < 1 || version > 1_000_000) throw notFound();
    return previewVersion(app, request, id, version, request.query('language'));
  };
  const previewShownDraft = async (request: Seen, id: string) => {
    const stored = await getDraft(app.db, { id, service_id: request.service.id, user_id: request.visitor.user.id });
    const { draft, values } = await readStoredDraft(app, request, stored);
    return previewDraft(app, request.service.id, draft, values);
  };

  const anybody = { service: 'any', organisation: true } as const;
  const writers = { service: 'templates' } as const;
  const version = '/versions/:version';
  const email = (request: Seen, preview: DraftPreview) => sendEmail(app, request, preview);

  pages.add(`/services/:service_id/email-templates/:email_template_id${version}/email`, {
    who: anybody,
    show: async (request) => email(request, await previewShownVersion(request, request.param('email_template_id'))),
  });
  pages.add(`/services/:service_id/letter-templates/:letter_template_id${version}/pages/:page`, {
    who: anybody,
    show: async (request) =>
      sendPage(app, request, await previewShownVersion(request, request.param('letter_template_id'))),
  });
  pages.add(`/services/:service_id/letter-templates/:letter_template_id${version}/pdf`, {
    who: anybody,
    show: async (request) => sendPdf(request, await previewShownVersion(request, request.param('letter_template_id'))),
  });
  pages.add('/services/:service_id/template-drafts/:draft_id/email', {
    who: writers,
    show: async (request) => email(request, await previewShownDraft(request, request.param('draft_id'))),
  });
  pages.add('/services/:service_id/letter-drafts/:letter_draft_id/pages/:page', {
    who: writers,
    show: async (request) => sendPage(app, request, await previewShownDraft(request, request.param('letter_draft_id'))),
  });
  pages.add('/services/:service_id/letter-drafts/:letter_draft_id/pdf', {
    who: writers,
    show: async (request) => sendPdf(request, await previewShownDraft(request, request.param('letter_draft_id'))),
  });
}

/** Previews a version, in its own language or another one. Placeholders stay in the text. */
export async function previewVersion(
  app: ConsoleApp,
  reader: Reader,
  templateId: string,
  version: number,
  language = '',
): Promise<DraftPreview> {
  await getSeenTemplate(app, reader, templateId);
  const row = await getTemplateVersion(app, reader.service.id, templateId, version);
  return previewDraft(app, reader.service.id, draftIn(row, language), {});
}

export function draftIn(row: TemplateRow, language = ''): PreviewedDraft {
  const { languages } = row;
  if (language === '' || language === languages?.default) {
    return languages ? { ...row, language: languages.default } : row;
  }
  const variant = languages?.variants.find((candidate) => candidate.language === language);
  if (!variant) throw notFound();
  return { ...row, ...variant };
}

export function versionUrl(
  serviceId: string,
  { id, version, template_type }: { id: string; version: number; template_type: string },
) {
  const noun = template_type === 'letter' ? 'letter-templates' : 'email-templates';
  return pageUrl(`/services/${serviceId}/${noun}/${id}/versions/${version}`);
}

export function draftUrl(serviceId: string, draftId: string, channel: string): string {
  const noun = channel === 'letter' ? 'letter-drafts' : 'template-drafts';
  return pageUrl(`/services/${serviceId}/${noun}/${draftId}`);
}

function sendEmail(app: ConsoleApp, { reply }: Seen, preview: DraftPreview): Sent {
  if (preview.template_type !== 'email') throw notFound();
  const html = /<div (?:lang|dir)=/.test(preview.html) ? withBlocksShown(preview.html) : preview.html;
  return sendMailFrame(app, reply.header('cache-control', 'no-store'), html, { images: false });
}

/** Shows where the text of each language begins. Recipients do not see this, but the writer should. */
function withBlocksShown(html: string): string {
  const names = { 'lang="en-ca"': '[[en]]', 'lang="fr-ca"': '[[fr]]', 'dir="rtl"': '[[rtl]]' };
  const rules = Object.entries(names).map(
    ([attribute, name]) =>
      `div[${attribute}]{border:1px dashed #505a5f;padding:4px 8px;margin:0 0 8px}div[${attribute}]::before{content:"${name}";font:14px monospace;color:#505a5f}`,
  );
  return html.replace('</head>', () => `<style>${rules.join('')}</style></head>`);
}

async function sendPage(app: ConsoleApp, { reply, param, service }: Seen, preview: DraftPreview): Promise<Sent> {
  if (preview.template_type !== 'letter') throw notFound();
  const picture = await draftPagePicture(app, service.id, preview, Number(param('page')));
  return sendSentFile(reply.header('cache-control', 'no-store'), 'image/png', picture);
}

function sendPdf({ reply }: Seen, preview: DraftPreview): Sent {
  if (preview.template_type !== 'letter') throw notFound();
  return sendSentFile(reply.header('cache-control', 'no-store'), 'application/pdf', preview.pdf, 'letter.pdf');
}
