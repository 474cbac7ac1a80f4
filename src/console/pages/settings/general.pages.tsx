import { Type } from 'typebox';
import { t } from '../../../language/text.ts';
import { invalid, invalidField } from '../../../platform/failure.ts';
import { channels } from '../../../protocol/channels.ts';
import type { ApiDialect } from '../../../protocol/dialect.ts';
import { settable } from '../../../services/service-fields.ts';
import { archiveService, updateService } from '../../../services/service-update.ts';
import type { Service } from '../../../services/services.ts';
import { defaultRetentionDays, listRetentions, setRetention } from '../../../services/settings/data-retention.ts';
import { templateLanguages } from '../../../templates/languages/languages.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { Submit } from '../../parts/form.tsx';
import { NumberField, readNumber } from '../../parts/value-fields.tsx';
import { oneNumber, YesNo, yesOrNo } from '../../setting-page.tsx';
import { listPeople } from '../team/team.ts';
import { addServiceSetting, settingsOf, team, withPermission } from './service-setting.ts';

const retention = { min: 3, max: 90 };

export const dialectNames: Record<ApiDialect, string> = { govuk: t('GOV.UK Notify'), gc: t('GC Notify') };

export function generalSettingPages(pages: Pages, app: ConsoleApp): void {
  addServiceSetting(pages, {
    path: 'template-languages',
    who: team,
    title: t('Templates in several languages'),
    fields: ({ permissions }, formState) => (
      <YesNo
        formState={formState}
        legend={t('Templates in several languages')}
        isYes={permissions.includes(templateLanguages)}
        hints={{
          yes: t(
            'A template can have a text in each language. Requests, values and files choose the text of a message.',
          ),
          no: t('Every message gets the text of its template. Texts in other languages are kept.'),
        }}
      />
    ),
    ...yesOrNo,
    async save(service, { value }) {
      const permissions = withPermission(service, templateLanguages, value === 'yes');
      await updateService(app, service.id, { permissions });
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'name',
    who: team,
    title: t('Service name'),
    fields: (service, formState) => (
      <Field
        formState={formState}
        name="name"
        label={t('Service name')}
        hint={whereNameIsSeen(service)}
        value={service.name}
        autocomplete="off"
      />
    ),
    form: Type.Object({ name: settable.name }),
    needs: { name: t('Enter a name.') },
    async save(service, { name }) {
      if (name === service.name) return undefined;
      // Whether the name is unique was decided for the old one.
      await updateService(app, service.id, { name, confirmed_unique: false });
      return t('Service renamed.');
    },
  });

  addServiceSetting(pages, {
    path: 'sign-in',
    who: team,
    title: t('Team signs in with'),
    lead: t(
      'After their password, people enter a code we text them. If you allow it, some can use a link we email them instead.',
    ),
    fields: ({ permissions }, formState) => (
      <YesNo formState={formState} legend={t('Allow email links')} isYes={permissions.includes('email_auth')} />
    ),
    ...yesOrNo,
    async save(service, { value }) {
      if (value === 'no') {
        const members = await listPeople(app.db, service.id);
        const without = members.find(({ state, mobile_number }) => state === 'active' && mobile_number === null);
        if (without)
          throw invalidField(
            'value',
            t('{name} has no mobile number for text codes. Ask them to add one in “Your account” first.', {
              name: without.name,
            }),
          );
      }
      await updateService(app, service.id, { permissions: withPermission(service, 'email_auth', value === 'yes') });
      return undefined;
    },
  });

  addServiceSetting(pages, {
    path: 'retention',
    who: team,
    title: t('Messages are kept for'),
    lead: t('After that, we delete messages and everything in them. We keep the totals.'),
    fields: async (service, formState) => (
      <NumberField
        formState={formState}
        name="value"
        label={t('Days')}
        hint={t('Enter a number from {min} to {max}. The default is {defaultRetentionDays}.', {
          min: retention.min,
          max: retention.max,
          defaultRetentionDays,
        })}
        value={Math.max(...(await retentionDays(service.id)))}
      />
    ),
    ...oneNumber,
    needs: { value: t('Enter the number of days.') },
    async save(service, { value }) {
      if (service.restricted) throw invalidField('value', t('You can change this once your service is live.'));
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
    title: t('API compatibility'),
    lead: t(
      'Choose the API that your applications were written for. Requests with the scheme ApiKey-v1 always work as in GC Notify.',
    ),
    fields: ({ api_dialect }, formState) => (
      <Choices
        formState={formState}
        name="api_dialect"
        legend={t('API compatibility')}
        kind="one"
        choices={[
          { value: 'govuk', label: dialectNames.govuk, hint: t('Your applications use a GOV.UK Notify client.') },
          {
            value: 'gc',
            label: dialectNames.gc,
            hint: t('Errors, emails, texts and callbacks work as they do in GC Notify.'),
          },
        ]}
        chosen={[api_dialect]}
      />
    ),
    form: Type.Object({ api_dialect: settable.api_dialect }),
    needs: { api_dialect: t('Choose an API.') },
    async save(service, { api_dialect }) {
      await updateService(app, service.id, { api_dialect });
      return undefined;
    },
  });

  pages.add('/services/:service_id/settings/archive', {
    who: team,
    below: 'Settings',
    show: ({ service, visitor }) => ({
      title: t('Archive {name}', { name: service.name }),
      crumbs: [{ label: t('Settings'), to: settingsOf(service) }],
      content: mayArchive(service, visitor.user) ? (
        <form class="stack measure" method="post">
          <p>
            {t(
              'We will archive its templates and revoke its keys at once. Nobody will be able to open the service or send with it. You cannot undo this.',
            )}
          </p>
          <Submit back={settingsOf(service)} danger>
            {t('Archive')}
          </Submit>
        </form>
      ) : (
        <p class="lead">{t('Only the people who run this Pennypost can archive a live service. Ask them.')}</p>
      ),
    }),
    form: Type.Object({}),
    async act({ service, visitor }) {
      if (!mayArchive(service, visitor.user))
        throw invalid(t('Only a platform administrator can archive a live service.'));
      await archiveService(app, service.id);
      return { to: '/services', notice: t('{name} archived.', { name: service.name }) };
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
      ? t('People see this name as the sender of your emails and at the start of your texts.')
      : t('People see this name as the sender of your emails. Your texts do not start with it.');
  }
  return prefix_sms
    ? t('People see this name at the start of your texts. Your emails have another sender name.')
    : t('Only your team sees this name. Your emails have another sender name, and your texts do not start with it.');
}

function mayArchive(service: { restricted: boolean }, user: { platform_admin: boolean }): boolean {
  return service.restricted || user.platform_admin;
}
