import { Type } from 'typebox';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { declared, t } from '../../../language/text.ts';
import { invalid, invalidField } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { checkPhonePermissions, parsePhoneNumber } from '../../../recipients/phone-number.ts';
import {
  assignInboundNumber,
  disableInboundNumber,
  findNumberOfService,
  removeInboundNumber,
} from '../../../services/inbound-numbers/inbound-numbers.ts';
import {
  archiveSmsSender,
  createSmsSender,
  getSmsSender,
  isProtectedSenderId,
  listSmsSenders,
  updateSmsSender,
} from '../../../services/senders/senders.ts';
import { updateService } from '../../../services/service-update.ts';
import type { TextSenderSettings } from '../../../services/settings.ts';
import { keepCharacters } from '../../../templates/languages/text-alphabet.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { YesNo, yesOrNo } from '../../setting-page.tsx';
import { addSenderPages } from './sender-pages.tsx';
import { addServiceSetting, team, withPermission } from './service-setting.ts';

export function textSettingPages(pages: Pages, app: ConsoleApp): void {
  addSenderPages(pages, {
    path: 'text/senders',
    param: 'sms_sender_id',
    title: t('Text senders'),
    lead: t('The name people see when they get your text.'),
    texts: {
      add: t('Add a sender'),
      added: t('Sender added.'),
      change: t('Change the sender'),
      saved: t('Sender saved.'),
      archive: t('Archive the sender'),
      archived: t('Sender archived.'),
      enter: t('Enter the sender.'),
    },
    none: { title: t('No senders yet'), text: t('Add a sender so people know who your texts come from.') },
    list: (serviceId) => listSmsSenders(app.db, serviceId),
    get: (serviceId, id) => getSmsSender(app.db, serviceId, id),
    valueOf: ({ sms_sender }) => sms_sender,
    note: ({ inbound_number_id }) => (inbound_number_id === null ? undefined : t('Receives replies')),
    field: (formState, value) => (
      <Field
        formState={formState}
        name="value"
        label={t('Sender')}
        hint={t(
          'Use 3 to 11 letters, digits or spaces, such as the name of your service. People can only reply if the sender is a phone number.',
        )}
        value={value}
        autocomplete="off"
        short
      />
    ),
    check: (value) => refuseWrongSender(app, value),
    isFixed: ({ inbound_number_id }) => inbound_number_id !== null,
    async create({ service }, { value, is_default }) {
      await createSmsSender(app, service.id, { sms_sender: value, is_default });
      return undefined;
    },
    update: (serviceId, id, { value, is_default }) =>
      updateSmsSender(app, serviceId, id, { sms_sender: value, is_default }),
    archive: (serviceId, id) => archiveSmsSender(app, serviceId, id),
  });

  addServiceSetting(pages, {
    path: 'text/prefix',
    who: team,
    title: t('Start texts with the service name'),
    fields: (service, formState) => (
      <YesNo
        formState={formState}
        legend={t('Start texts with the service name')}
        isYes={service.prefix_sms}
        hints={{
          yes: t('Your texts look like “{name}: your message”. The name counts towards the length.', {
            name: service.name,
          }),
        }}
      />
    ),
    ...yesOrNo,
    async save(service, { value }) {
      await updateService(app, service.id, { prefix_sms: value === 'yes' });
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'text/characters',
    who: team,
    title: t('Keep all characters'),
    fields: ({ permissions }, formState) => (
      <YesNo
        formState={formState}
        legend={t('Keep all characters')}
        isYes={permissions.includes(keepCharacters)}
        hints={{
          yes: t(
            'Texts can contain letters of every alphabet. One special letter makes a text more expensive: each part then has 70 characters.',
          ),
          no: t('We replace letters that some phones cannot show, such as ą with a.'),
        }}
      />
    ),
    ...yesOrNo,
    async save(service, { value }) {
      const permissions = withPermission(service, keepCharacters, value === 'yes');
      await updateService(app, service.id, { permissions });
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'text/receive',
    who: team,
    title: t('Receive texts'),
    lead: t('Your service gets its own number. You will see replies in “Received”.'),
    fields: ({ permissions }, formState) => (
      <Choices
        formState={formState}
        name="value"
        legend={t('Receive texts')}
        kind="one"
        choices={[
          { value: 'yes', label: t('Yes') },
          { value: 'no', label: t('No, but keep the number for later') },
          { value: 'release', label: t('No, and give the number up'), hint: t('Nobody will get this number again.') },
        ]}
        chosen={[permissions.includes('inbound_sms') ? 'yes' : 'no']}
      />
    ),
    form: Type.Object({ value: OneOf(['yes', 'no', 'release']) }),
    needs: { value: t('Choose whether to receive texts.') },
    async save(service, { value }) {
      if (value === 'yes') {
        const { sms_sender } = await assignInboundNumber(app, service.id, { is_default: false });
        await updateService(app, service.id, { permissions: withPermission(service, 'inbound_sms', true) });
        return t('Your service now receives texts at {smsSender}.', { smsSender: sms_sender });
      }
      await refuseWhileDefault(service.id);
      if (value === 'release') await removeInboundNumber(app, service.id, true);
      else {
        if (await findNumberOfService(app.db, service.id)) await disableInboundNumber(app, service.id);
        await updateService(app, service.id, { permissions: withPermission(service, 'inbound_sms', false) });
      }
      return t('Your service no longer receives texts.');
    },
  });

  async function refuseWhileDefault(serviceId: string): Promise<void> {
    const senders = await listSmsSenders(app.db, serviceId);
    if (senders.some(({ is_default, inbound_number_id }) => is_default && inbound_number_id !== null)) {
      throw invalid(t('Choose another default sender of texts first. This number is the default.'));
    }
  }
}

/** People could take these for warnings of their phone or bank. */
const misleading = ['alert', 'info', 'verify'];

type SenderDeps = Pick<ConsoleApp, 'country'> & { config: { sms: TextSenderSettings } };

/** What a phone can show as the sender of a text, and networks accept. */
function refuseWrongSender(app: SenderDeps, sender: string): void {
  const problem = problemOf(app, sender);
  if (problem !== undefined) throw invalidField('value', problem);
}

function problemOf({ config, country }: SenderDeps, sender: string): string | undefined {
  if (sender.length < 3) return t('Enter at least 3 characters.');
  if (sender.length > 11) return t('Enter at most 11 characters.');
  if (!/^[A-Za-z0-9 .&_'-]+$/.test(sender)) return t('Use letters, digits and spaces only.');
  if (sender.startsWith('00')) return t('Enter a sender that does not start with 00.');
  if (misleading.includes(sender.toLowerCase()))
    return t('Use the name of your service. “{sender}” misleads people.', { sender });
  if (/^\d+$/.test(sender) && !country.phone.isShortCode(sender) && !isMobileNumber(country.phone, sender)) {
    return declared(country.words.ownNumber);
  }
  if (isProtectedSenderId(config, sender))
    return t('Enter another sender. “{sender}” is the name of another organisation.', { sender });
  return undefined;
}

function isMobileNumber(phone: PhoneRules, digits: string): boolean {
  const parsed = parsePhoneNumber(phone, digits);
  return parsed.ok && checkPhonePermissions(parsed.number, { international: false, landline: false }) === undefined;
}
