import type { ComponentChildren } from 'preact';
import type {
  DraftPreview,
  EmailPreview,
  LetterPreview,
  PreviewedDraft,
  TextPreview,
} from '../../../delivery/previews/draft-preview.ts';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { findUnpairedTags } from '../../../rendering/markdown/language-tags.ts';
import { maxPages } from '../../../rendering/pdf/letter-geometry.ts';
import { hasNestedPlaceholder } from '../../../rendering/placeholders.ts';
import { maxSmsLength } from '../../../rendering/sms/sms.ts';
import { sheetSize } from '../../letter-paper.ts';
import { withQuery } from '../../links.ts';
import { dataSize, several } from '../../money.ts';
import { MailFrame } from '../../parts/mail-frame.tsx';
import { Notice } from '../../parts/notice.tsx';
import { LongText, TemplateText } from '../../parts/text.tsx';
import { useViewer } from '../../viewer.ts';

interface PreviewProps {
  preview: DraftPreview;
  /** The base URL of its frame, pages and PDF: `email`, `pages/1` or `pdf` follow. */
  from: string;
  /** The language, for a template in several. */
  language?: string;
  /** Shown beside the title. */
  choice?: ComponentChildren;
  cost: string | undefined;
  title?: string;
  /** The selected form of an email. The parameter names end in `id` if a page has two previews. */
  view?: string;
  /** The selected width of an email. */
  width?: string;
  id?: string;
}

export const tooManyPages = (pages: number) =>
  t('The letter has {pages} pages. We can post at most {maxPages}, including attached pages.', { pages, maxPages });

type Texts = Pick<PreviewedDraft, 'subject' | 'content' | 'letter_welsh_subject' | 'letter_welsh_content'>;

/** Warns that recipients would see brackets. */
export function NestedPlaceholders({ of }: { of: Texts }) {
  const texts = [of.subject, of.content, of.letter_welsh_subject, of.letter_welsh_content];
  if (!texts.some((text) => hasNestedPlaceholder(text ?? ''))) return null;
  return (
    <Notice tone="amber">
      {t('Optional text cannot contain a placeholder. People would see the double brackets.')}
    </Notice>
  );
}

/** Warns about language tags in an email that recipients would see. */
export function UnpairedTags({ of }: { of: Pick<PreviewedDraft, 'template_type' | 'content'> }) {
  const tags = of.template_type === 'email' ? findUnpairedTags(of.content ?? '') : [];
  if (tags.length === 0) return null;
  return (
    <Notice tone="amber">
      {t(
        'Close every language tag, in the order of [[en]], your text and [[/en]]. People would see {tags} in the email.',
        { tags: tags.join(' ') },
      )}
    </Notice>
  );
}

/** The message as its recipient gets it. */
export function Preview({ preview, title = t('Preview'), id = '', choice, ...props }: PreviewProps) {
  return (
    <section class="card card--flush" aria-labelledby={`preview-title${id}`}>
      <div class="card-head">
        <h2 id={`preview-title${id}`}>{title}</h2>
        {choice}
      </div>
      {preview.template_type === 'sms' && <OnPhone {...props} preview={preview} />}
      {preview.template_type === 'email' && <AsEmail {...props} id={id} preview={preview} />}
      {preview.template_type === 'letter' && <OnPaper {...props} preview={preview} />}
    </section>
  );
}

function Foot({ children }: { children: ComponentChildren }) {
  return <p class="card-foot small muted">{children}</p>;
}

type PropsOf<Kind> = Omit<PreviewProps, 'preview' | 'title' | 'choice'> & { preview: Kind };

function OnPhone({ preview, cost, language }: PropsOf<TextPreview>) {
  const { sender, text, character_count, notable, keeps_welsh, encoding, is_too_long, is_minimum, api_dialect } =
    preview;
  const characters = is_minimum
    ? t('{count, plural, one {at least # character} other {at least # characters}}', { count: character_count })
    : several(character_count, 'character');
  return (
    <>
      <div class="desk">
        <div class="phone">
          <header>{sender}</header>
          <p class="bubble" lang={language}>
            <TemplateText text={text} />
          </p>
        </div>
      </div>
      <Foot>
        <span>{cost}</span>
        <span>{characters}</span>
        <span>
          {encoding === 'ucs2'
            ? keeps_welsh
              ? t('70 fit into one part, because of Welsh letters')
              : t('70 fit into one part, because of special characters')
            : t('160 fit into one part')}
        </span>
      </Foot>
      {(notable.double.length > 0 || notable.ucs2.length > 0 || notable.lost.length > 0 || is_too_long) && (
        <div class="card-foot">
          <ul class="small">
            {is_too_long && (
              <li>
                <T>Too long. Use at most {{ maxSmsLength: maxSmsLength(api_dialect) }} characters.</T>
              </li>
            )}
            {notable.ucs2.length > 0 && (
              <li>
                <Characters of={notable.ucs2} />{' '}
                {t(
                  '{count, plural, one {makes every part shorter, so the message costs more.} other {make every part shorter, so the message costs more.}}',
                  { count: notable.ucs2.length },
                )}
              </li>
            )}
            {notable.double.length > 0 && (
              <li>
                <Characters of={notable.double} />{' '}
                {t('{count, plural, one {counts twice.} other {count twice.}}', { count: notable.double.length })}
              </li>
            )}
            {notable.lost.length > 0 && (
              <li>
                {t('Texts cannot include')} <Characters of={notable.lost} />.
              </li>
            )}
          </ul>
        </div>
      )}
    </>
  );
}

function Characters({ of }: { of: string[] }) {
  return <mark class="placeholder">{of.join(' ')}</mark>;
}

const views = [
  ['email', t('Email')],
  ['plain', t('Plain text')],
  ['source', t('Source')],
] as const;

const widths = ['320', '600'];

function AsEmail({ preview, from, language, view = 'email', width = '600', id = '' }: PropsOf<EmailPreview>) {
  const { from: sender, reply_to, subject, text, html } = preview;
  const contents = {
    email: (
      <div class="mail-choice">
        <fieldset class="row small">
          <legend class="sr">{t('Width of the email')}</legend>
          {widths.map((pixels) => (
            <label key={pixels}>
              <input type="radio" name={`width${id}`} value={pixels} checked={pixels === width} />
              <T>{{ pixels }} pixels</T>
            </label>
          ))}
        </fieldset>
        <MailFrame src={withQuery(`${from}/email`, { language })} html={html} title={t('Preview of the email')} />
      </div>
    ),
    plain: (
      <pre dir="auto">
        <TemplateText text={text} />
      </pre>
    ),
    source: (
      <pre>
        <LongText text={html} />
      </pre>
    ),
  };
  return (
    <>
      <dl class="facts facts--mail">
        <dt>{t('From')}</dt>
        <dd>
          <T>
            {{ name: sender.name }} &lt;{{ address: sender.address }}&gt;
          </T>
        </dd>
        {reply_to && (
          <>
            <dt>{t('Reply to')}</dt>
            <dd>{reply_to}</dd>
          </>
        )}
        <dt>{t('Subject')}</dt>
        <dd>
          <b dir="auto">
            <TemplateText text={subject} />
          </b>
        </dd>
      </dl>
      <div class="code code-choice">
        {views.map(([name, label]) => [
          <input
            key={`${name} input`}
            class="sr"
            type="radio"
            id={`view_${name}${id}`}
            name={`view${id}`}
            value={name}
            checked={view === name}
          />,
          <label key={`${name} label`} for={`view_${name}${id}`}>
            {label}
          </label>,
          <div key={name}>{contents[name]}</div>,
        ])}
      </div>
      <Foot>
        <span>{dataSize(Buffer.byteLength(html))}</span>
        <span>{several(html.match(/<a\s/g)?.length ?? 0, 'link')}</span>
      </Foot>
    </>
  );
}

function OnPaper({ preview: { page_count, is_too_long }, from, language, cost }: PropsOf<LetterPreview>) {
  const { country } = useViewer();
  const shown = Array.from({ length: Math.min(page_count, maxPages) }, (_, index) => index + 1);
  return (
    <>
      {is_too_long && <Notice tone="red">{tooManyPages(page_count)}</Notice>}
      <div class="desk stack">
        {shown.map((page) => (
          <img
            key={page}
            class="sheet"
            src={withQuery(`${from}/pages/${page}`, { language })}
            alt={t('Page {page} of {pageCount}', { page, pageCount: page_count })}
            {...sheetSize(country)}
            loading={page > 1 ? 'lazy' : undefined}
          />
        ))}
      </div>
      <Foot>
        <span>{cost}</span>
        <a href={withQuery(`${from}/pdf`, { language })} download>
          {t('Download PDF')}
        </a>
      </Foot>
    </>
  );
}
