import type { Country } from '../../../countries/country.ts';
import { postageLabel } from '../../../countries/postage.ts';
import { T } from '../../../language/sentence.tsx';
import { asIs, declared, joined, type Text, t } from '../../../language/text.ts';
import { getSendingTimes, getTemplateWindow } from '../../../notifications/windows/send-windows.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { listLetterContacts, listReplyTos, listSmsSenders } from '../../../services/senders/senders.ts';
import { listLanguages } from '../../../templates/languages/languages.ts';
import type { CurrentTemplateRow } from '../../../templates/template-row.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { channelLabels } from '../../message-labels.ts';
import { several } from '../../money.ts';
import { Confirm } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Summary } from '../../parts/table.tsx';
import { Copy } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { templatePath } from './library.ts';
import { NestedPlaceholders, UnpairedTags } from './preview.tsx';

interface FactsProps {
  country: Country;
  template: CurrentTemplateRow;
  sender: string;
  /** Undefined for letters. */
  sendingTime: Text | undefined;
  /** Whether its texts are also sent to numbers that opted out. */
  essential: { isYes: boolean; canChange: boolean };
  lastUsed: Text;
  canEdit: boolean;
  /** Whether the service can have templates in several languages. */
  hasLanguages: boolean;
  canCopy: boolean;
  now: Date;
}

/** Properties of a template, and actions other than editing its text. */
export function TemplateFacts({
  country,
  template,
  sender,
  sendingTime,
  essential,
  lastUsed,
  canEdit,
  hasLanguages,
  canCopy,
  now,
}: FactsProps) {
  const { id, template_type, version, service } = template;
  const path = templatePath(service, id);
  const change = (page: string) => (canEdit ? { change: `${path}/${page}` } : {});
  const rows = [
    { label: senderNouns[template_type], value: sender, ...change('sender') },
    ...(sendingTime === undefined
      ? []
      : [{ label: t('Sending times'), value: sendingTime, ...change('sending-times') }]),
    ...(template_type === 'sms' && (essential.isYes || essential.canChange)
      ? [
          {
            label: t('Goes to numbers that opted out'),
            value: essential.isYes ? t('Yes') : t('No'),
          },
        ]
      : []),
    ...(template.postage
      ? [{ label: t('Postage'), value: declared(postageLabel(country.postage, template.postage)), ...change('edit') }]
      : []),
    ...(template_type === 'email'
      ? [{ label: t('Unsubscribe link'), value: template.has_unsubscribe_link ? t('Yes') : t('No'), ...change('edit') }]
      : []),
    ...(hasLanguages && template.letter_languages !== 'welsh_then_english'
      ? [{ label: t('Languages'), value: describeLanguages(template), ...change('languages') }]
      : []),
    ...(template_type === 'email' ? [buildFilesRow(template, canEdit)] : []),
    ...(template_type === 'letter' ? [buildAttachedRow(template, canEdit)] : []),
    ...(template_type === 'letter'
      ? []
      : [{ label: t('Personal data in the message log'), value: describeValues(template) }]),
  ];
  return (
    <div class="stack">
      <NestedPlaceholders of={template} />
      <UnpairedTags of={template} />
      {template.archived && (
        <Notice tone="amber">{t('This template is archived. You can read it, but nobody can send it.')}</Notice>
      )}
      <section class="card stack stack--tight" aria-label={t('About this template')}>
        <dl class="facts">
          <dt>{t('Kind')}</dt>
          <dd>{channelLabels[template_type].name}</dd>
          <dt>{t('Version')}</dt>
          <dd>
            <T>
              {{ version }}, by {{ createdByName: template.created_by_name }},{' '}
              <Time at={template.updated_at ?? template.created_at} now={now} />{' '}
              <a href={pageUrl(`${path}/history`)}>History</a>
            </T>
          </dd>
          <dt>{t('Used')}</dt>
          <dd>{lastUsed}</dd>
          <dt>{t('Id')}</dt>
          <dd>
            <code id="template-id">{id}</code> <Copy of="template-id" what={t('the id')} />
          </dd>
        </dl>
      </section>
      <Summary rows={rows} />
      {canCopy && (
        <p class="small row">
          <a href={pageUrl(`/services/${service}/templates/copy?template=${id}`)}>{t('Copy this template')}</a>
        </p>
      )}
      {canEdit && <Actions template={template} essential={essential} lastUsed={lastUsed} />}
    </div>
  );
}

function buildFilesRow({ service, id, email_files }: CurrentTemplateRow, canEdit: boolean) {
  const value = email_files.map(({ filename }) => filename).join(', ') || t('None');
  return {
    label: t('Files'),
    value,
    ...(canEdit ? { change: `/services/${service}/email-templates/${id}/files` } : {}),
  };
}

function buildAttachedRow({ service, id, letter_attachment: attached }: CurrentTemplateRow, canEdit: boolean) {
  const value = attached ? joined([attached.original_filename, several(attached.page_count, 'page')], ', ') : t('None');
  const change = `/services/${service}/letter-templates/${id}/attached-pages`;
  return { label: t('Attached pages'), value, ...(canEdit ? { change } : {}) };
}

const describeLanguages = ({ languages }: CurrentTemplateRow) =>
  languages ? listLanguages(languages).join(', ') : t('One');

const describeValues = ({ redact_personalisation }: CurrentTemplateRow) =>
  redact_personalisation ? t('Hidden') : t('Shown to the team');

function Actions({ template, essential, lastUsed }: Pick<FactsProps, 'template' | 'essential' | 'lastUsed'>) {
  const to = pageUrl(templatePath(template.service, template.id));
  return (
    <div class="row">
      {template.template_type !== 'letter' && !template.redact_personalisation && (
        <Confirm
          label={t('Hide personal data…')}
          action={t('Hide personal data permanently')}
          to={to}
          fields={{ do: 'hide' }}
        >
          {t(
            'The message log will no longer show what was filled in for each person, even for messages that were already sent. You cannot undo this.',
          )}
        </Confirm>
      )}
      {template.template_type === 'sms' && essential.canChange && <Essential to={to} isYes={essential.isYes} />}
      <Confirm label={t('Archive…')} action={t('Archive')} to={to} fields={{ do: 'archive' }}>
        <T>
          Nobody will be able to send this template, here or through the API. You can still read it. {{ lastUsed }}.
        </T>
      </Confirm>
    </div>
  );
}

/** Decided by the operator: warnings also reach people who asked for no more texts. */
function Essential({ to, isYes }: { to: string; isYes: boolean }) {
  if (isYes) {
    return (
      <form method="post" action={to}>
        <input type="hidden" name="do" value="ordinary" />
        <button class="button button--small" type="submit">
          {t('Stop sending to numbers that opted out')}
        </button>
      </form>
    );
  }
  return (
    <Confirm
      label={t('Send to numbers that opted out…')}
      action={t('Send to numbers that opted out')}
      to={to}
      fields={{ do: 'essential' }}
    >
      {t(
        'Do this only for warnings of danger to life or health. These people asked for no more texts of this service.',
      )}
    </Confirm>
  );
}

export const senderNouns: Record<Channel, Text> = {
  sms: t('Sender'),
  email: t('Reply-to address'),
  letter: t('Sender block'),
};

interface SenderChoice {
  value: string;
  label: string;
  isChosen: boolean;
}

/** Lists the senders for a template. The first choice is the default of the service; for letters, it is no contact block. */
export async function listSenderChoices(
  app: ConsoleApp,
  serviceId: string,
  { template_type, reply_to }: Pick<CurrentTemplateRow, 'template_type' | 'reply_to'>,
): Promise<SenderChoice[]> {
  const senders = await listSenders(app, serviceId, template_type);
  const standard = senders.find(({ is_default }) => is_default);
  const inherited =
    template_type === 'letter'
      ? t('None')
      : standard
        ? t('Default ({label})', { label: standard.label })
        : t('Default');
  return [
    { value: 'default', label: inherited, isChosen: !senders.some(({ id }) => id === reply_to) },
    ...senders.map(({ id, label }) => ({ value: id, label, isChosen: id === reply_to })),
  ];
}

/** Lists the sending times for a template. */
export async function listTimeChoices(app: ConsoleApp, serviceId: string, templateId: string) {
  const { windows } = await getSendingTimes(app, serviceId);
  const chosen = await getTemplateWindow(app, serviceId, templateId);
  return [
    { value: 'inherit', label: t('Same as the service') },
    { value: 'none', label: t('At any time') },
    ...windows.map(({ id, name }) => ({ value: id, label: asIs(name) })),
  ].map((choice) => ({ ...choice, isChosen: choice.value === chosen }));
}

async function listSenders(app: ConsoleApp, serviceId: string, channel: Channel) {
  switch (channel) {
    case 'sms':
      return (await listSmsSenders(app.db, serviceId)).map(({ sms_sender: label, ...sender }) => ({
        ...sender,
        label,
      }));
    case 'email':
      return (await listReplyTos(app.db, serviceId)).map(({ email_address: label, ...sender }) => ({
        ...sender,
        label,
      }));
    case 'letter':
      return (await listLetterContacts(app.db, serviceId)).map(({ contact_block, ...sender }) => ({
        ...sender,
        label: contact_block.split('\n').join(', '),
      }));
  }
}
