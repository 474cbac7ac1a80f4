import { Type } from 'typebox';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
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
    title: 'Text senders',
    lead: 'The name people see when they get your text.',
    one: 'sender',
    none: { title: 'No senders yet', text: 'Add a sender so people know who your texts come from.' },
    list: (serviceId) => listSmsSenders(app.db, serviceId),
    get: (serviceId, id) => getSmsSender(app.db, serviceId, id),
    valueOf: ({ sms_sender }) => sms_sender,
    note: ({ inbound_number_id }) => (inbound_number_id === null ? undefined : 'Receives replies'),
    field: (formState, value) => (
      <Field
        formState={formState}
        name="value"
        label="Sender"
        hint="Use 3 to 11 letters, digits or spaces, such as the name of your service. People can only reply if the sender is a phone number."
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
    title: 'Start texts with the service name',
    fields: (service, formState) => (
      <YesNo
        formState={formState}
        legend="Start texts with the service name"
        isYes={service.prefix_sms}
        hints={{ yes: `Your texts look like “${service.name}: your message”. The name counts towards the length.` }}
      />
    ),
    ...yesOrNo,
    async save(service, { value }) {
      await updateService(app, service.id, { prefix_sms: value === 'yes' });
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'text/receive',
    who: team,
    title: 'Receive texts',
    lead: 'Your service gets its own number. You will see replies in “Received”.',
    fields: ({ permissions }, formState) => (
      <Choices
        formState={formState}
        name="value"
        legend="Receive texts"
        kind="one"
        choices={[
          { value: 'yes', label: 'Yes' },
          { value: 'no', label: 'No, but keep the number for later' },
          { value: 'release', label: 'No, and give the number up', hint: 'Nobody will get this number again.' },
        ]}
        chosen={[permissions.includes('inbound_sms') ? 'yes' : 'no']}
      />
    ),
    form: Type.Object({ value: OneOf(['yes', 'no', 'release']) }),
    needs: { value: 'Choose whether to receive texts.' },
    async save(service, { value }) {
      if (value === 'yes') {
        const { sms_sender } = await assignInboundNumber(app, service.id, { is_default: false });
        await updateService(app, service.id, { permissions: withPermission(service, 'inbound_sms', true) });
        return `Your service now receives texts at ${sms_sender}.`;
      }
      await refuseWhileDefault(service.id);
      if (value === 'release') await removeInboundNumber(app, service.id, true);
      else {
        if (await findNumberOfService(app.db, service.id)) await disableInboundNumber(app, service.id);
        await updateService(app, service.id, { permissions: withPermission(service, 'inbound_sms', false) });
      }
      return 'Your service no longer receives texts.';
    },
  });

  async function refuseWhileDefault(serviceId: string): Promise<void> {
    const senders = await listSmsSenders(app.db, serviceId);
    if (senders.some(({ is_default, inbound_number_id }) => is_default && inbound_number_id !== null)) {
      throw invalid('Choose another default sender of texts first. This number is the default.');
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
  if (sender.length < 3) return 'Enter at least 3 characters.';
  if (sender.length > 11) return 'Enter at most 11 characters.';
  if (!/^[A-Za-z0-9 .&_'-]+$/.test(sender)) return 'Use letters, digits and spaces only.';
  if (sender.startsWith('00')) return 'Enter a sender that does not start with 00.';
  if (misleading.includes(sender.toLowerCase())) return `Use the name of your service. “${sender}” misleads people.`;
  if (/^\d+$/.test(sender) && !country.phone.isShortCode(sender) && !isMobileNumber(country.phone, sender)) {
    return country.words.ownNumber;
  }
  if (isProtectedSenderId(config, sender))
    return `Enter another sender. “${sender}” is the name of another organisation.`;
  return undefined;
}

function isMobileNumber(phone: PhoneRules, digits: string): boolean {
  const parsed = parsePhoneNumber(phone, digits);
  return parsed.ok && checkPhonePermissions(parsed.number, { international: false, landline: false }) === undefined;
}
