import { Type } from 'typebox';
import { invalid } from '../../../../platform/failure.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import {
  assignInboundNumber,
  disableInboundNumber,
  findNumberOfService,
  removeInboundNumber,
} from '../../../../services/inbound-numbers/inbound-numbers.ts';
import {
  archiveSmsSender,
  createSmsSender,
  getSmsSender,
  listSmsSenders,
  updateSmsSender,
} from '../../../../services/senders/senders.ts';
import { updateService } from '../../../../services/service-update.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Pages } from '../../../page.ts';
import { Choices } from '../../../parts/choices.tsx';
import { Field } from '../../../parts/field.tsx';
import { addSenderPages } from '../sender-pages.tsx';
import { addSettingPage, needsYesOrNo, team, withPermission, YesNo, yesOrNo } from '../setting-page.tsx';
import { refuseWrongSender } from './sender-rules.ts';

export function textSettingPages(pages: Pages, app: ConsoleApp): void {
  addSenderPages(pages, {
    path: 'text/senders',
    param: 'sms_sender_id',
    title: 'Text senders',
    lead: 'Who recipients see as the sender of a text.',
    one: 'sender',
    none: 'There is no sender yet.',
    list: (serviceId) => listSmsSenders(app.db, serviceId),
    get: (serviceId, id) => getSmsSender(app.db, serviceId, id),
    valueOf: ({ sms_sender }) => sms_sender,
    note: ({ inbound_number_id }) => (inbound_number_id === null ? undefined : 'Receives replies'),
    field: (formState, value) => (
      <Field
        formState={formState}
        name="value"
        label="Sender"
        hint="3 to 11 letters, digits or spaces, such as the name of your service. Recipients can answer to numbers only."
        value={value}
        autocomplete="off"
        short
      />
    ),
    check: (value) => refuseWrongSender(app.config, value),
    isFixed: ({ inbound_number_id }) => inbound_number_id !== null,
    async create({ service }, { value, is_default }) {
      await createSmsSender(app, service.id, { sms_sender: value, is_default });
      return undefined;
    },
    update: (serviceId, id, { value, is_default }) =>
      updateSmsSender(app, serviceId, id, { sms_sender: value, is_default }),
    archive: (serviceId, id) => archiveSmsSender(app, serviceId, id),
  });

  addSettingPage(pages, {
    path: 'text/prefix',
    who: team,
    title: 'Start texts with the service name',
    fields: (service, formState) => (
      <YesNo
        formState={formState}
        legend="Start texts with the service name"
        isYes={service.prefix_sms}
        hints={{ yes: `“${service.name}: your message”. It counts towards the length.` }}
      />
    ),
    form: yesOrNo,
    needs: needsYesOrNo,
    async save(service, { value }) {
      await updateService(app, service.id, { prefix_sms: value === 'yes' });
      return undefined;
    },
  });

  addSettingPage(pages, {
    path: 'text/receive',
    who: team,
    title: 'Receive texts',
    lead: 'The service gets a number of its own. Answers appear on the page “Received”.',
    fields: ({ permissions }, formState) => (
      <Choices
        formState={formState}
        name="value"
        legend="Receive texts"
        kind="one"
        choices={[
          { value: 'yes', label: 'Yes' },
          { value: 'no', label: 'No, but keep the number for later' },
          { value: 'release', label: 'No, and give the number up', hint: 'Nobody will get it again.' },
        ]}
        chosen={[permissions.includes('inbound_sms') ? 'yes' : 'no']}
      />
    ),
    form: Type.Object({ value: OneOf(['yes', 'no', 'release']) }),
    needs: { value: 'Choose what happens.' },
    async save(service, { value }) {
      if (value === 'yes') {
        const { sms_sender } = await assignInboundNumber(app, service.id, { is_default: false });
        await updateService(app, service.id, { permissions: withPermission(service, 'inbound_sms', true) });
        return `The service receives texts at ${sms_sender}.`;
      }
      await refuseWhileDefault(service.id);
      if (value === 'release') await removeInboundNumber(app, service.id, true);
      else {
        if (await findNumberOfService(app.db, service.id)) await disableInboundNumber(app, service.id);
        await updateService(app, service.id, { permissions: withPermission(service, 'inbound_sms', false) });
      }
      return 'The service receives no texts.';
    },
  });

  async function refuseWhileDefault(serviceId: string): Promise<void> {
    const senders = await listSmsSenders(app.db, serviceId);
    if (senders.some(({ is_default, inbound_number_id }) => is_default && inbound_number_id !== null)) {
      throw invalid('The number is the default sender of texts. Choose another default first.');
    }
  }
}
