import { Type } from 'typebox';
import { getAllowance, setAllowance } from '../../../../billing/allowance.ts';
import { listActiveOrganisations } from '../../../../organisations/organisations.ts';
import { financialYear } from '../../../../platform/calendar.ts';
import { inTransaction } from '../../../../platform/db/database.ts';
import { channels } from '../../../../protocol/channels.ts';
import { OneOf, Uuid } from '../../../../protocol/fields.ts';
import { setLive } from '../../../../services/organisations/go-live-requests.ts';
import { joinOrganisation } from '../../../../services/organisations/organisation-services.ts';
import { updateService } from '../../../../services/service-update.ts';
import { defaultRetentionDays, findRetention, setRetention } from '../../../../services/settings/data-retention.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Pages } from '../../../page.ts';
import { Choices } from '../../../parts/choices.tsx';
import { Field } from '../../../parts/field.tsx';
import { Select } from '../../../parts/select.tsx';
import { TextArea } from '../../../parts/text-area.tsx';
import {
  addSettingPage,
  needsYesOrNo,
  oneNumber,
  operator,
  readNumber,
  withPermission,
  YesNo,
  yesOrNo,
} from '../setting-page.tsx';
import { channelNames, limitSettings, textSettings } from './operator-settings.ts';

/** What the operator decides for a service. */
export function operatorSettingPages(pages: Pages, app: ConsoleApp): void {
  addSettingPage(pages, {
    path: 'operator/mode',
    who: operator,
    title: 'Live',
    lead: 'A live service sends to anybody. Its limits are raised, and its team gets an email.',
    fields: (service, formState) => <YesNo formState={formState} legend="Live" isYes={!service.restricted} />,
    form: yesOrNo,
    needs: needsYesOrNo,
    async save(service, { value }) {
      const isLive = value === 'yes';
      if (isLive !== service.restricted) return undefined;
      await setLive(app, service.id, isLive);
      return isLive ? 'The service is live.' : 'The service is in trial mode.';
    },
  });

  addSettingPage(pages, {
    path: 'operator/channels',
    who: operator,
    title: 'Channels',
    lead: 'Without any channel the service is suspended: new messages are refused; those that were accepted are still sent.',
    fields: ({ permissions }, formState) => (
      <Choices
        formState={formState}
        name="channels"
        legend="The service may send"
        kind="several"
        choices={channels.map((value) => ({ value, label: channelNames[value] }))}
        chosen={channels.filter((channel) => permissions.includes(channel))}
      />
    ),
    form: Type.Object({ channels: Type.Array(OneOf(channels)) }),
    async save(service, { channels: chosen }) {
      const others = service.permissions.filter((name) => !(channels as readonly string[]).includes(name));
      await updateService(app, service.id, { permissions: [...new Set(chosen), ...others] });
      return chosen.length === 0 ? 'The service is suspended.' : undefined;
    },
  });

  addSettingPage(pages, {
    path: 'operator/organisation',
    who: operator,
    title: 'Organisation',
    lead: 'The service gets the type of the organisation and the free texts of that type. Its members may see its usage.',
    fields: async (service, formState) => (
      <Select
        formState={formState}
        name="organisation"
        label="Organisation"
        choices={[
          { value: '', label: 'None' },
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

  addSettingPage(pages, {
    path: 'operator/counted',
    who: operator,
    title: 'Counted as live',
    lead: 'Services of the platform itself and tests are not counted in statistics.',
    fields: (service, formState) => (
      <YesNo formState={formState} legend="Counted as live" isYes={service.count_as_live} />
    ),
    form: yesOrNo,
    needs: needsYesOrNo,
    async save(service, { value }) {
      await updateService(app, service.id, { count_as_live: value === 'yes' });
      return undefined;
    },
  });

  addSettingPage(pages, {
    path: 'operator/landlines',
    who: operator,
    title: 'Texts to landlines',
    fields: ({ permissions }, formState) => (
      <YesNo formState={formState} legend="Texts to UK landlines" isYes={permissions.includes('sms_to_uk_landlines')} />
    ),
    form: yesOrNo,
    needs: needsYesOrNo,
    async save(service, { value }) {
      const permissions = withPermission(service, 'sms_to_uk_landlines', value === 'yes');
      await updateService(app, service.id, { permissions });
      return undefined;
    },
  });

  for (const { path, field, title, hint } of limitSettings) {
    addSettingPage(pages, {
      path,
      who: operator,
      title,
      fields: (service, formState) => (
        <Field
          formState={formState}
          name="value"
          label={title}
          hint={hint}
          value={String(service[field])}
          inputmode="numeric"
          short
        />
      ),
      form: oneNumber,
      needs: { value: 'Enter a number.' },
      async save(service, { value }) {
        await updateService(app, service.id, { [field]: readNumber(value) });
        return undefined;
      },
    });
  }

  addSettingPage(pages, {
    path: 'operator/free-texts',
    who: operator,
    title: 'Free texts of this financial year',
    fields: async (service, formState) => {
      const now = app.clock.now();
      const { free_sms_fragment_limit } = await getAllowance(app.db, service.id, financialYear(now), now);
      return (
        <Field
          formState={formState}
          name="value"
          label="Fragments"
          value={String(free_sms_fragment_limit)}
          inputmode="numeric"
          short
        />
      );
    },
    form: oneNumber,
    needs: { value: 'Enter a number.' },
    async save(service, { value }) {
      const limit = readNumber(value);
      await inTransaction(app.db, (tx) => setAllowance(tx, service.id, limit, app.clock.now()));
      return undefined;
    },
  });

  for (const notification_type of channels) {
    addSettingPage(pages, {
      path: `operator/retention-${notification_type}`,
      who: operator,
      title: `${channelNames[notification_type]} are kept for`,
      fields: async (service, formState) => {
        const rule = await findRetention(app.db, service.id, { notification_type });
        const days = rule?.days_of_retention ?? defaultRetentionDays;
        return <Field formState={formState} name="value" label="Days" value={String(days)} inputmode="numeric" short />;
      },
      form: oneNumber,
      needs: { value: 'Enter the number of days.' },
      async save(service, { value }) {
        const days_of_retention = readNumber(value, { min: 1, max: 36_500 });
        await setRetention(app, service.id, { notification_type, days_of_retention });
        return undefined;
      },
    });
  }

  for (const { path, field, title, maxLength } of textSettings) {
    addSettingPage(pages, {
      path,
      who: operator,
      title,
      fields: (service, formState) =>
        maxLength > 255 ? (
          <TextArea formState={formState} name="value" label={title} rows={5} value={service[field] ?? ''} />
        ) : (
          <Field
            formState={formState}
            name="value"
            label={title}
            value={service[field] ?? undefined}
            autocomplete="off"
          />
        ),
      form: Type.Object({ value: Type.Optional(Type.String({ maxLength })) }),
      async save(service, { value }) {
        await updateService(app, service.id, { [field]: value ?? null });
        return undefined;
      },
    });
  }
}
