import { Type } from 'typebox';
import { invalid, invalidField } from '../../../platform/failure.ts';
import { channels } from '../../../protocol/channels.ts';
import type { ApiDialect } from '../../../protocol/dialect.ts';
import { settable } from '../../../services/service-fields.ts';
import { archiveService, updateService } from '../../../services/service-update.ts';
import type { Service } from '../../../services/services.ts';
import { defaultRetentionDays, listRetentions, setRetention } from '../../../services/settings/data-retention.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { Submit } from '../../parts/form.tsx';
import { NumberField, readNumber } from '../../parts/value-fields.tsx';
import { oneNumber, YesNo, yesOrNo } from '../../setting-page.tsx';
import { listPeople } from '../team/team.ts';
import { addServiceSetting, settingsOf, team, withPermission } from './service-setting.ts';

const retention = { min: 3, max: 90 };

export const dialectNames: Record<ApiDialect, string> = { govuk: 'GOV.UK Notify', gc: 'GC Notify' };

export function generalSettingPages(pages: Pages, app: ConsoleApp): void {
  addServiceSetting(pages, {
    path: 'name',
    who: team,
    title: 'Service name',
    fields: (service, formState) => (
      <Field
        formState={formState}
        name="name"
        label="Service name"
        hint={whereNameIsSeen(service)}
        value={service.name}
        autocomplete="off"
      />
    ),
    form: Type.Object({ name: settable.name }),
    needs: { name: 'Enter a name.' },
    async save(service, { name }) {
      if (name === service.name) return undefined;
      // Whether the name is unique was decided for the old one.
      await updateService(app, service.id, { name, confirmed_unique: false });
      return 'Service renamed.';
    },
  });

  addServiceSetting(pages, {
    path: 'sign-in',
    who: team,
    title: 'Team signs in with',
    lead: 'After their password, people enter a code we text them. If you allow it, some can use a link we email them instead.',
    fields: ({ permissions }, formState) => (
      <YesNo formState={formState} legend="Allow email links" isYes={permissions.includes('email_auth')} />
    ),
    ...yesOrNo,
    async save(service, { value }) {
      if (value === 'no') {
        const members = await listPeople(app.db, service.id);
        const without = members.find(({ state, mobile_number }) => state === 'active' && mobile_number === null);
        if (without)
          throw invalidField(
            'value',
            `${without.name} has no mobile number for text codes. Ask them to add one in “Your account” first.`,
          );
      }
      await updateService(app, service.id, { permissions: withPermission(service, 'email_auth', value === 'yes') });
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'retention',
    who: team,
    title: 'Messages are kept for',
    lead: 'After that, we delete messages and everything in them. We keep the totals.',
    fields: async (service, formState) => (
      <NumberField
        formState={formState}
        name="value"
        label="Days"
        hint={`Enter a number from ${retention.min} to ${retention.max}. The default is ${defaultRetentionDays}.`}
        value={Math.max(...(await retentionDays(service.id)))}
      />
    ),
    ...oneNumber,
    needs: { value: 'Enter the number of days.' },
    async save(service, { value }) {
      if (service.restricted) throw invalidField('value', 'You can change this once your service is live.');
      const days_of_retention = readNumber(value, { field: 'value', ...retention });
      for (const notification_type of channels) {
        await setRetention(app, service.id, { notification_type, days_of_retention });
      }
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'api-dialect',
    who: team,
    title: 'API compatibility',
    lead: 'Choose the API that your applications were written for. Requests with the scheme ApiKey-v1 always work as in GC Notify.',
    fields: ({ api_dialect }, formState) => (
      <Choices
        formState={formState}
        name="api_dialect"
        legend="API compatibility"
        kind="one"
        choices={[
          { value: 'govuk', label: dialectNames.govuk, hint: 'Your applications use a GOV.UK Notify client.' },
          {
            value: 'gc',
            label: dialectNames.gc,
            hint: 'Errors, emails, texts and callbacks work as they do in GC Notify.',
          },
        ]}
        chosen={[api_dialect]}
      />
    ),
    form: Type.Object({ api_dialect: settable.api_dialect }),
    needs: { api_dialect: 'Choose an API.' },
    async save(service, { api_dialect }) {
      await updateService(app, service.id, { api_dialect });
      return undefined;
    },
  });

  pages.add('/services/:service_id/settings/archive', {
    who: team,
    below: 'Settings',
    show: ({ service, visitor }) => ({
      title: `Archive ${service.name}`,
      crumbs: [{ label: 'Settings', to: settingsOf(service) }],
      content: mayArchive(service, visitor.user) ? (
        <form class="stack measure" method="post">
          <p>
            We will archive its templates and revoke its keys at once. Nobody will be able to open the service or send
            with it. You cannot undo this.
          </p>
          <Submit back={settingsOf(service)} danger>
            Archive
          </Submit>
        </form>
      ) : (
        <p class="lead">Only the people who run this Pennypost can archive a live service. Ask them.</p>
      ),
    }),
    form: Type.Object({}),
    async act({ service, visitor }) {
      if (!mayArchive(service, visitor.user))
        throw invalid('Only a platform administrator can archive a live service.');
      await archiveService(app, service.id);
      return { to: '/services', notice: `${service.name} archived.` };
    },
  });

  async function retentionDays(serviceId: string): Promise<number[]> {
    const rules = await listRetentions(app.db, serviceId);
    return channels.map(
      (channel) =>
        rules.find(({ notification_type }) => notification_type === channel)?.days_of_retention ?? defaultRetentionDays,
    );
  }
}

function whereNameIsSeen({
  custom_email_sender_name,
  prefix_sms,
}: Pick<Service, 'custom_email_sender_name' | 'prefix_sms'>): string {
  if (custom_email_sender_name === null) {
    return prefix_sms
      ? 'People see this name as the sender of your emails and at the start of your texts.'
      : 'People see this name as the sender of your emails. Your texts do not start with it.';
  }
  return prefix_sms
    ? 'People see this name at the start of your texts. Your emails have another sender name.'
    : 'Only your team sees this name. Your emails have another sender name, and your texts do not start with it.';
}

function mayArchive(service: { restricted: boolean }, user: { platform_admin: boolean }): boolean {
  return service.restricted || user.platform_admin;
}
