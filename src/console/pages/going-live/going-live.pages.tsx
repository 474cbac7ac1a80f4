import { Type } from 'typebox';
import { findOrganisationOfService } from '../../../organisations/organisations.ts';
import { invalid } from '../../../platform/failure.ts';
import { notifyApproversOfRequest } from '../../../services/organisations/go-live-requests.ts';
import { updateService } from '../../../services/service-update.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { SaveForm, Submit } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { NumberField, readNumber, TypedValue } from '../../parts/value-fields.tsx';
import { readChecklist } from './checklist.ts';

const team = { service: 'manage' } as const;
const Volume = Type.Optional(TypedValue);

/** A request to go live is an entry in the queue of the operator. */
export function goingLivePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/going-live', {
    who: team,
    below: 'Settings',
    name: 'Go live',
    async show({ service }) {
      const steps = await readChecklist(app, service);
      const open = steps.filter(({ isDone }) => !isDone);
      const isPage = (path: string) => pages.all.some((page) => page.path === `/services/:service_id/${path}`);
      return {
        title: 'Going live',
        lead: 'A live service sends to anybody, and more messages a day.',
        crumbs: [{ label: 'Settings', to: `/services/${service.id}/settings` }],
        content: !service.restricted ? (
          <Notice tone="green">This service is live.</Notice>
        ) : (
          <div class="stack measure">
            <ol class="card list">
              {steps.map(({ text, isDone, path }) => (
                <li key={path}>
                  {isPage(path) ? <a href={pageUrl(`/services/${service.id}/${path}`)}>{text}</a> : <span>{text}</span>}
                  <Status kind={isDone ? 'delivered' : 'accepted'}>{isDone ? 'Done' : 'To do'}</Status>
                </li>
              ))}
            </ol>
            {service.has_active_go_live_request ? (
              <Notice>You have asked to go live. The people who run this Pennypost decide; you get an email.</Notice>
            ) : (
              <form class="stack" method="post">
                {open.length > 0 && (
                  <p class="muted">
                    Do what is left first: {open.length} of {steps.length} steps.
                  </p>
                )}
                <Submit>Ask to go live</Submit>
              </form>
            )}
          </div>
        ),
      };
    },
    form: Type.Object({}),
    async act({ service, visitor }) {
      const to = `/services/${service.id}/going-live`;
      if (!service.restricted || service.has_active_go_live_request) return { to };
      const open = (await readChecklist(app, service)).filter(({ isDone }) => !isDone);
      if (open.length > 0) throw invalid(`First: ${open.map(({ text }) => text.toLowerCase()).join('; ')}.`);
      await updateService(app, service.id, { has_active_go_live_request: true, go_live_user: visitor.user.id });
      const organisation = await findOrganisationOfService(app.db, service.id);
      if (!organisation?.can_approve_own_go_live_requests) {
        return { to, notice: 'Your request is in the queue of the people who run this Pennypost.' };
      }
      await notifyApproversOfRequest(app, service.id);
      return { to, notice: `${organisation.name} decides about your request. You get an email.` };
    },
  });

  pages.add('/services/:service_id/going-live/volumes', {
    who: team,
    below: 'Settings',
    show: ({ service }, formState) => ({
      title: 'How many messages will you send?',
      lead: 'In the next 12 months, roughly.',
      crumbs: [{ label: 'Going live', to: `/services/${service.id}/going-live` }],
      content: (
        <SaveForm back={`/services/${service.id}/going-live`}>
          <NumberField formState={formState} name="email" label="Emails" value={service.volume_email ?? undefined} />
          <NumberField formState={formState} name="sms" label="Texts" value={service.volume_sms ?? undefined} />
          <NumberField formState={formState} name="letter" label="Letters" value={service.volume_letter ?? undefined} />
        </SaveForm>
      ),
    }),
    form: Type.Object({ email: Volume, sms: Volume, letter: Volume }),
    async act({ service }, { email = '0', sms = '0', letter = '0' }) {
      await updateService(app, service.id, {
        volume_email: readNumber(email, { field: 'email' }),
        volume_sms: readNumber(sms, { field: 'sms' }),
        volume_letter: readNumber(letter, { field: 'letter' }),
      });
      return { to: `/services/${service.id}/going-live`, notice: 'The estimate is saved.' };
    },
  });

  pages.add('/services/:service_id/going-live/name', {
    who: team,
    below: 'Settings',
    show: ({ service }) => ({
      title: `Is “${service.name}” unique?`,
      crumbs: [{ label: 'Going live', to: `/services/${service.id}/going-live` }],
      content: (
        <form class="stack measure" method="post">
          <p>
            People must know from the name who writes and about what. No other service of your organisation may have
            nearly the same. <a href={pageUrl(`/services/${service.id}/settings/name`)}>Change the name</a>
          </p>
          <Submit>It is unique and people understand it</Submit>
        </form>
      ),
    }),
    form: Type.Object({}),
    async act({ service }) {
      await updateService(app, service.id, { confirmed_unique: true });
      return { to: `/services/${service.id}/going-live`, notice: 'The name is confirmed.' };
    },
  });
}
