import { Type } from 'typebox';
import { sendTestCallback } from '../../../delivery/callbacks/test-callback.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import type { Service } from '../../../services/services.ts';
import {
  BearerToken,
  type CallbackType,
  CallbackUrl,
  createCallback,
  deleteCallback,
  getCallback,
  updateCallback,
} from '../../../services/settings/callback-api.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { SaveForm } from '../../parts/save-form.tsx';
import { callbackNames, shownCallbackTypes } from './callback-names.ts';

/** Where the callbacks of each kind are sent. */
export function callbackTargetPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/integration/callbacks/:callback_type', {
    who: { service: 'api' },
    below: 'Integration',
    async show({ service, param }, formState) {
      const type = typeOf(param('callback_type'));
      const current = await findTarget(service, type);
      const back = `/services/${service.id}/integration/callbacks`;
      const { name, hint } = callbackNames[type];
      return {
        title: name,
        lead: hint,
        crumbs: [{ label: 'Callbacks', to: back }],
        content: (
          <SaveForm back={back}>
            <Field
              formState={formState}
              name="url"
              label="URL"
              hint={`We post JSON there. It begins with https://.${current ? ' Empty: no more callbacks.' : ''}`}
              type="url"
              value={current?.url}
              autocomplete="off"
            />
            <Field
              formState={formState}
              name="bearer_token"
              label="Bearer token"
              hint={
                current
                  ? 'It is never shown again. Empty: it stays as it is.'
                  : 'At least 10 characters. We send it in the header Authorization, so that you know us.'
              }
              autocomplete="off"
              code
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ url: Type.Optional(CallbackUrl), bearer_token: Type.Optional(BearerToken) }),
    async act({ service, visitor, param }, { url, bearer_token }) {
      const callback_type = typeOf(param('callback_type'));
      const current = await findTarget(service, callback_type);
      const to = `/services/${service.id}/integration/callbacks`;
      if (url === undefined) {
        if (bearer_token !== undefined) throw invalidField('url', 'Enter the URL, too.');
        if (current) await deleteCallback(app, { id: current.id, service_id: service.id });
        return { to, notice: `No callbacks are sent: ${callbackNames[callback_type].name}.` };
      }
      const updated_by_id = visitor.user.id;
      if (!current) {
        if (bearer_token === undefined) throw invalidField('bearer_token', 'Enter a token.');
        await createCallback(app, service.id, { callback_type, url, bearer_token, updated_by_id });
      } else {
        if (bearer_token === undefined && !isSameOrigin(url, current.url)) {
          throw invalidField('bearer_token', 'Enter a token for the new address, too.');
        }
        await updateCallback(app, { id: current.id, service_id: service.id }, { url, bearer_token, updated_by_id });
      }
      return { to, notice: 'The callback is saved. Send a test to see whether it arrives.' };
    },
  });

  pages.add('/services/:service_id/integration/callbacks/:callback_type/test', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/callbacks` }),
    form: Type.Object({}),
    async act({ service, param }) {
      await sendTestCallback(app, service.id, typeOf(param('callback_type')));
      const notice = 'A test call is on its way. Its result appears in the list in a few seconds.';
      return { to: `/services/${service.id}/integration/callbacks`, notice };
    },
  });

  async function findTarget(service: Service, type: CallbackType) {
    const listed = service.service_callback_api.find(({ callback_type }) => callback_type === type);
    return listed && getCallback(app.db, { id: listed.callback_id, service_id: service.id });
  }
}

function typeOf(text: string): CallbackType {
  const type = shownCallbackTypes.find((one) => one === text);
  if (!type) throw notFound();
  return type;
}

function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).origin === new URL(other).origin;
}
