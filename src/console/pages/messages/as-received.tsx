import type { ReceivedMessage } from '../../../delivery/previews/previews.ts';
import { t } from '../../../language/text.ts';
import type { ActivityRecord } from '../../../notifications/history/activity-record.ts';
import { sheetSize } from '../../letter-paper.ts';
import { Live } from '../../parts/live.tsx';
import { MailFrame } from '../../parts/mail-frame.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { LongText } from '../../parts/text.tsx';
import { useViewer } from '../../viewer.ts';

interface AsReceivedProps {
  received: ReceivedMessage;
  record: ActivityRecord;
  /** The URL of the message. */
  path: string;
  /** The form in which an email is shown. */
  view: 'html' | 'text';
  /** Whether pictures from other servers are loaded. */
  images: boolean;
  /** The number of pages of a letter; null until it is rendered. */
  pageCount: number | null;
  page: number;
}

/** Shows the message as its recipient gets it. */
export function AsReceived(props: AsReceivedProps) {
  switch (props.received.channel) {
    case 'sms':
      return (
        <div class="phone">
          <header>
            {props.received.message.sender}
            <small>{t('Text message')}</small>
          </header>
          <p class="bubble" lang={props.record.language}>
            {props.received.message.text}
          </p>
        </div>
      );
    case 'email':
      return <Email {...props} message={props.received.message} />;
    case 'letter':
      return <Letter {...props} />;
  }
}

type Email = Extract<ReceivedMessage, { channel: 'email' }>['message'];

function Email({ message, record, path, view, images }: AsReceivedProps & { message: Email }) {
  const hasPictures = /<img[^>]+src\s*=\s*["']?https:/i.test(message.html);
  const { name, address } = message.from;
  return (
    <div class="card card--flush">
      <dl class="facts facts--mail">
        <dt>{t('From')}</dt>
        <dd>
          {name} {`<${address}>`}
        </dd>
        {message.reply_to && (
          <>
            <dt>{t('Reply to')}</dt>
            <dd>{message.reply_to}</dd>
          </>
        )}
        <dt>{t('Subject')}</dt>
        <dd>
          <b lang={record.language}>{message.subject}</b>
        </dd>
      </dl>
      <div class="toolbar reader-bar">
        <Segments
          name={t('View')}
          tabs={[
            { label: t('Email'), to: path, isCurrent: view === 'html' },
            { label: t('Plain text'), to: `${path}?view=text`, isCurrent: view === 'text' },
          ]}
        />
        {view === 'html' && (hasPictures || images) && (
          <a href={images ? path : `${path}?images=remote`}>
            {images ? t('Block remote pictures') : t('Show remote pictures')}
          </a>
        )}
      </div>
      <div class="desk">
        {view === 'text' ? (
          <Preformatted label={t('Text of the email')} lang={record.language}>
            {message.text}
          </Preformatted>
        ) : (
          <MailFrame
            src={`${path}/email${images ? '?images=remote' : ''}`}
            html={message.html}
            title={t('The email as received')}
          />
        )}
      </div>
    </div>
  );
}

/** A letter that is not rendered yet appears as soon as it is. */
function Letter(props: AsReceivedProps) {
  if (props.pageCount !== null) return <LetterPages {...props} />;
  return (
    <Live from={`${props.path}/letter`}>
      <LetterPages {...props} />
    </Live>
  );
}

export function LetterPages({
  record,
  path,
  pageCount,
  page,
}: Pick<AsReceivedProps, 'record' | 'path' | 'pageCount' | 'page'>) {
  const { country } = useViewer();
  if (record.status === 'virus-scan-failed') return <p>{t('The file has a virus, and was not kept.')}</p>;
  if (pageCount === null) {
    return (
      <>
        <p role="status">{t('We are creating the letter. It will appear here in a moment.')}</p>
        <noscript>
          <a href={path}>{t('Refresh')}</a>
        </noscript>
      </>
    );
  }
  const shown = Math.min(page, pageCount);
  return (
    <div class="stack stack--tight">
      <img
        class="sheet"
        src={`${path}/pages/${shown}`}
        alt={t('Page {shown} of {pageCount} of the letter', { shown, pageCount })}
        {...sheetSize(country)}
      />
      <p class="row small">
        {pageCount > 1 && (
          <Segments
            name={t('Page')}
            tabs={Array.from({ length: pageCount }, (_, index) => ({
              label: String(index + 1),
              to: `${path}?page=${index + 1}`,
              isCurrent: index + 1 === shown,
            }))}
          />
        )}
        <a href={`${path}/pdf`} download>
          {t('Download PDF')}
        </a>
      </p>
    </div>
  );
}

/** A plain text that can be scrolled with the keyboard. */
export function Preformatted({
  label,
  lang,
  children,
}: {
  label: string;
  lang?: string | undefined;
  children: string;
}) {
  return (
    <section class="code code--wrapped" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre tabIndex={0} lang={lang}>
        <LongText text={children} />
      </pre>
    </section>
  );
}
