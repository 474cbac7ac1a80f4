import { Type } from 'typebox';
import { getAllowance, setAllowance } from '../../../billing/allowance.ts';
import { declared, t } from '../../../language/text.ts';
import { listActiveOrganisations } from '../../../organisations/organisations.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { channels } from '../../../protocol/channels.ts';
import { OneOf, Uuid } from '../../../protocol/fields.ts';
import { setLive } from '../../../services/organisations/go-live-requests.ts';
import { joinOrganisation } from '../../../services/organisations/organisation-services.ts';
import { updateService } from '../../../services/service-update.ts';
import { defaultRetentionDays, findRetention, setRetention } from '../../../services/settings/data-retention.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { channelLabels } from '../../message-labels.ts';
import type { Pages } from '../../page.ts';
import { Choices, Select } from '../../parts/field.tsx';
import { NumberField, readNumber } from '../../parts/value-fields.tsx';
import { OneText, oneNumber, oneText, YesNo, yesOrNo } from '../../setting-page.tsx';
import { addServiceSetting, operator, withPermission } from './service-setting.ts';

/** What the operator decides for a service. */
export function operatorSettingPages(pages: Pages, app: ConsoleApp): void {
  addServiceSetting(pages, {
    path: 'operator/mode',
    who: operator,
    title: t('Live'),
    lead: t('A live service can send to anyone. Its limits are raised, and its team gets an email.'),
    fields: (service, formState) => <YesNo formState={formState} legend={t('Live')} isYes={!service.restricted} />,
    ...yesOrNo,
    async save(service, { value }) {
      const isLive = value === 'yes';
      if (isLive !== service.restricted) return undefined;
      await setLive(app, service.id, isLive);
      return isLive ? t('The service is now live.') : t('The service is now in trial mode.');
    },
  });

  addServiceSetting(pages, {
    path: 'operator/channels',
    who: operator,
    title: t('Channels'),
    lead: t(
      'Without any channel the service is suspended: we refuse new messages, and still send those we have accepted.',
    ),
    fields: ({ permissions }, formState) => (
      <Choices
        formState={formState}
        name="channels"
        legend={t('The service can send')}
        kind="several"
        choices={channels.map((value) => ({ value, label: channelLabels[value].names }))}
        chosen={channels.filter((channel) => permissions.includes(channel))}
      />
    ),
    form: Type.Object({ channels: Type.Array(OneOf(channels)) }),
    async save(service, { channels: chosen }) {
      const others = service.permissions.filter((name) => !(channels as readonly string[]).includes(name));
      await updateService(app, service.id, { permissions: [...new Set(chosen), ...others] });
      return chosen.length === 0 ? t('Service suspended.') : undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'operator/organisation',
    who: operator,
    title: t('Organisation'),
    lead: t(
      'The service gets the type of the organisation and the free texts of that type. Members of the organisation can see its usage.',
    ),
    fields: async (service, formState) => (
      <Select
        formState={formState}
        name="organisation"
        label={t('Organisation')}
        choices={[
          { value: '', label: t('None') },
          ...(await listActiveOrganisations(app.db)).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={service.organisation ?? ''}
      />
    ),
    form: Type.Object({ organisation: Type.Optional(Uuid) }),
    async save(service, { organisation }) {
      if ((organisation ?? null) === service.organisation) return undefined;
      if (organisation) await joinOrganisation(app, organisation, service.id);
      else await updateService(app, service.id, { organisation: null });
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'operator/counted',
    who: operator,
    title: t('Counted as live'),
    lead: t('Statistics leave out services for tests, and those of the platform itself.'),
    fields: (service, formState) => (
      <YesNo formState={formState} legend={t('Counted as live')} isYes={service.count_as_live} />
    ),
    ...yesOrNo,
    async save(service, { value }) {
      await updateService(app, service.id, { count_as_live: value === 'yes' });
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'operator/landlines',
    who: operator,
    title: t('Texts to landlines'),
    fields: ({ permissions }, formState) => (
      <YesNo
        formState={formState}
        legend={declared(app.country.words.textsToLandlines)}
        isYes={permissions.includes('sms_to_uk_landlines')}
      />
    ),
    ...yesOrNo,
    async save(service, { value }) {
      const permissions = withPermission(service, 'sms_to_uk_landlines', value === 'yes');
      await updateService(app, service.id, { permissions });
      return undefined;
    },
  });

  for (const { path, field, title, hint } of limitSettings) {
    addServiceSetting(pages, {
      path,
      who: operator,
      title,
      fields: (service, formState) => (
        <NumberField formState={formState} name="value" label={title} hint={hint} value={service[field]} />
      ),
      ...oneNumber,
      async save(service, { value }) {
        await updateService(app, service.id, { [field]: readNumber(value, { field: 'value' }) });
        return undefined;
      },
    });
  }

  addServiceSetting(pages, {
    path: 'operator/free-texts',
    who: operator,
    title: t('Free texts of this financial year'),
    fields: async (service, formState) => {
      const now = app.clock.now();
      const { free_sms_fragment_limit } = await getAllowance(
        app.country,
        app.db,
        service.id,
        app.country.calendar.financialYear(now),
        now,
      );
      return <NumberField formState={formState} name="value" label={t('Parts')} value={free_sms_fragment_limit} />;
    },
    ...oneNumber,
    async save(service, { value }) {
      const limit = readNumber(value, { field: 'value' });
      await inTransaction(app.db, (tx) => setAllowance(app.country, tx, service.id, limit, app.clock.now()));
      return undefined;
    },
  });

  for (const notification_type of channels) {
    addServiceSetting(pages, {
      path: `operator/retention-${notification_type}`,
      who: operator,
      title: t('{channel, select, email {Emails are kept for} sms {Texts are kept for} other {Letters are kept for}}', {
        channel: notification_type,
      }),
      fields: async (service, formState) => {
        const rule = await findRetention(app.db, service.id, { notification_type });
        const days = rule?.days_of_retention ?? defaultRetentionDays;
        return <NumberField formState={formState} name="value" label={t('Days')} value={days} />;
      },
      ...oneNumber,
      needs: { value: t('Enter the number of days.') },
      async save(service, { value }) {
        const days_of_retention = readNumber(value, { field: 'value', min: 1, max: 36_500 });
        await setRetention(app, service.id, { notification_type, days_of_retention });
        return undefined;
      },
    });
  }

  for (const { path, field, title, maxLength } of textSettings) {
    addServiceSetting(pages, {
      path,
      who: operator,
      title,
      fields: (service, formState) => (
        <OneText formState={formState} label={title} maxLength={maxLength} value={service[field]} />
      ),
      ...oneText(maxLength),
      async save(service, { value }) {
        await updateService(app, service.id, { [field]: value ?? null });
        return undefined;
      },
    });
  }
}

/** Numbers that the operator sets. */
export const limitSettings = [
  { path: 'operator/email-limit', field: 'email_message_limit', title: t('Emails a day'), hint: '' },
  { path: 'operator/text-limit', field: 'sms_message_limit', title: t('Texts a day'), hint: '' },
  { path: 'operator/letter-limit', field: 'letter_message_limit', title: t('Letters a day'), hint: '' },
  {
    path: 'operator/abroad-limit',
    field: 'international_sms_message_limit',
    title: t('Texts abroad a day'),
    hint: t('These texts also count towards the texts a day.'),
  },
  {
    path: 'operator/rate-limit',
    field: 'rate_limit',
    title: t('Requests a minute'),
    hint: t('All keys of one kind together.'),
  },
] as const;

/** Texts about the service that only operators see. */
export const textSettings = [
  { path: 'operator/notes', field: 'notes', title: t('Notes'), maxLength: 10_000 },
  { path: 'operator/billing-names', field: 'billing_contact_names', title: t('Billing contacts'), maxLength: 2_000 },
  {
    path: 'operator/billing-addresses',
    field: 'billing_contact_email_addresses',
    title: t('Email addresses of billing contacts'),
    maxLength: 2_000,
  },
  {
    path: 'operator/purchase-order',
    field: 'purchase_order_number',
    title: t('Purchase order number'),
    maxLength: 255,
  },
  { path: 'operator/billing-reference', field: 'billing_reference', title: t('Billing reference'), maxLength: 255 },
] as const;
