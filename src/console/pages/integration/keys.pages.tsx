import { Type } from 'typebox';
import { createApiKey, listApiKeys, revokeApiKey } from '../../../auth/api-keys.ts';
import { sendOverSmtp } from '../../../inlet/settings.ts';
import { t } from '../../../language/text.ts';
import { hasOpenMessages, stopMessagesOfKey } from '../../../plans/plan-messages.ts';
import { invalidField } from '../../../platform/failure.ts';
import { Name, OneOf, Uuid } from '../../../protocol/fields.ts';
import { keyTypes } from '../../../protocol/key-types.ts';
import { listUserRecords } from '../../../users/user-record.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { emptyForm, isAboutForm } from '../../forms.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { integrationView } from './integration-tabs.tsx';
import { CreateKey, KeyTable, NewKey, RevokedKeys } from './keys.tsx';

type OfApi = PageRequest<{ service: 'api' }>;

const nameInUse = (name: string) => t('This service has a key called “{name}” already. Enter another name.', { name });

/** Keys act for the team, so only its members create them. */
const creators = { service: 'api', membersOnly: true } as const;
/** Nobody gives a key more rights than they have. */
const templateEditors = { service: 'templates', membersOnly: true } as const;
const activityReaders = { service: 'activity', membersOnly: true } as const;

export function keyPages(pages: Pages, app: ConsoleApp): void {
  async function keysView(
    { service, visitor, reply }: OfApi,
    formState: FormState,
    created?: { name: string; key: string },
  ): Promise<View> {
    if (created) reply.header('cache-control', 'no-store');
    await app.keyUses.write();
    const keys = await listApiKeys(app, service.id);
    const people = await listUserRecords(app.db, [...new Set(keys.map(({ created_by }) => created_by))]);
    const names = new Map(people.map(({ id, name }) => [id, name]));
    const shown = keys.map((key) => ({ ...key, madeBy: names.get(key.created_by) ?? '' }));
    const now = app.clock.now();
    return integrationView(
      app,
      service,
      'keys',
      <>
        {created && <NewKey {...created} />}
        <KeyTable
          service={service}
          keys={shown.filter(({ expiry_date }) => expiry_date === null)}
          hasOpenMessages={await hasOpenMessages(app.db, service.id)}
          now={now}
        />
        <RevokedKeys keys={shown.filter(({ expiry_date }) => expiry_date !== null)} now={now} />
        {may(creators, visitor.user, service) === 'yes' && (
          <CreateKey
            formState={formState}
            service={service}
            mayManageTemplates={may(templateEditors, visitor.user, service) === 'yes'}
            mayManageReports={may(activityReaders, visitor.user, service) === 'yes'}
            maySendOverSmtp={service.permissions.includes(sendOverSmtp)}
          />
        )}
      </>,
    );
  }

  pages.add('/services/:service_id/integration', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/keys` }),
  });

  pages.add('/services/:service_id/integration/keys', {
    who: { service: 'api' },
    menu: 'Integration',
    name: t('API keys'),
    show: (request, formState) => keysView(request, formState),
  });

  pages.add('/services/:service_id/integration/keys/create', {
    who: creators,
    below: 'Integration',
    show: (request, formState) =>
      formState.problems.size > 0
        ? keysView(request, formState)
        : { to: `/services/${request.service.id}/integration/keys` },
    form: Type.Object({
      name: Name,
      key_type: OneOf(keyTypes),
      manage_templates: Type.Optional(OneOf(['yes'])),
      manage_reports: Type.Optional(OneOf(['yes'])),
      send_over_smtp: Type.Optional(OneOf(['yes'])),
    }),
    needs: { name: t('Enter a name.'), key_type: t('Choose the kind of the key.') },
    async act(request, { name, key_type, ...more }) {
      const { service, visitor } = request;
      if (key_type === 'normal' && service.restricted) {
        throw invalidField('key_type', t('You can create a live key once your service is live.'));
      }
      const manage_templates = more.manage_templates === 'yes';
      if (manage_templates && may(templateEditors, visitor.user, service, 'change') !== 'yes')
        throw invalidField('manage_templates', t('You cannot manage templates yourself, so your keys cannot either.'));
      const manage_reports = more.manage_reports === 'yes';
      if (manage_reports && may(activityReaders, visitor.user, service, 'change') !== 'yes')
        throw invalidField(
          'manage_reports',
          t('You cannot see the dashboard yourself, so your keys cannot request reports.'),
        );
      const send_over_smtp = more.send_over_smtp === 'yes';
      const rights = { manage_templates, manage_reports, send_over_smtp };
      const newKey = { name, key_type, created_by: visitor.user.id, ...rights };
      const secret = await createApiKey(app, service.id, newKey).catch((error: unknown) => {
        const isInUse = isAboutForm(error) && error.message.includes('Duplicate API key name');
        throw isInUse ? invalidField('name', nameInUse(name)) : error;
      });
      const key = `${app.config.api.keyPrefix}${asciiLabel(name)}-${service.id}-${secret}`;
      return keysView(request, emptyForm, { name, key });
    },
  });

  pages.add('/services/:service_id/integration/keys/revoke', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/keys` }),
    form: Type.Object({ api_key_id: Uuid, stop_messages: Type.Optional(OneOf(['yes'])) }),
    async act({ service, visitor }, { api_key_id, stop_messages }) {
      const key = { id: api_key_id, service_id: service.id };
      await revokeApiKey(app, service.id, api_key_id, visitor.user.id, async (tx) => {
        if (stop_messages === 'yes') await stopMessagesOfKey(tx, app.clock.now(), key);
      });
      return { to: `/services/${service.id}/integration/keys`, notice: t('Key revoked.') };
    },
  });
}

/** The name in a key is only a label: keys are read from their end. Some software takes only ASCII as a password or in a header. */
function asciiLabel(name: string): string {
  const label = name
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(/[^\w.-]+/g, '_')
    .replaceAll(/^_|_$/g, '');
  return label || 'key';
}
