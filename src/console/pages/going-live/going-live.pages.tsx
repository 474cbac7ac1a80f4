import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { list, type Text, t, within } from '../../../language/text.ts';
import { findOrganisationOfService } from '../../../organisations/organisations.ts';
import { invalid, invalidField } from '../../../platform/failure.ts';
import { notifyApproversOfRequest } from '../../../services/organisations/go-live-requests.ts';
import { updateService } from '../../../services/service-update.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { checkAll } from '../../forms.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { SaveForm, Submit } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { NumberField, readNumber, TypedValue } from '../../parts/value-fields.tsx';
import { readChecklist } from './checklist.ts';

const team = { service: 'manage' } as const;
const Volume = Type.Optional(TypedValue);

/** A request to go live, which becomes an entry in the operator's queue. */
export function goingLivePages(pages: Pages, app: ConsoleApp): void {
  /** Returns the organisation of the service, if it decides itself. */
  async function findApprover(serviceId: string): Promise<string | undefined> {
    const organisation = await findOrganisationOfService(app.db, serviceId);
    return organisation?.can_approve_own_go_live_requests ? organisation.name : undefined;
  }

  pages.add('/services/:service_id/going-live', {
    who: team,
    below: 'Settings',
    name: t('Go live'),
    async show({ service }) {
      const steps = await readChecklist(app, service);
      const open = steps.filter(({ isDone }) => !isDone);
      const isPage = (path: string) => pages.all.some((page) => page.path === `/services/:service_id/${path}`);
      return {
        title: t('Going live'),
        lead: t('A live service can send to anyone, and can send more messages a day.'),
        crumbs: [{ label: t('Settings'), to: `/services/${service.id}/settings` }],
        content: !service.restricted ? (
          <Notice tone="green">{t('This service is live.')}</Notice>
        ) : (
          <div class="stack measure">
            {service.has_active_go_live_request && <WhatHappensNext decidedBy={await findApprover(service.id)} />}
            <ol class="card list">
              {steps.map(({ text, isDone, path }) => (
                <li key={path}>
                  {isPage(path) ? <a href={pageUrl(`/services/${service.id}/${path}`)}>{text}</a> : <span>{text}</span>}
                  <Status kind={isDone ? 'delivered' : 'accepted'}>{isDone ? t('Done') : t('To do')}</Status>
                </li>
              ))}
            </ol>
            {!service.has_active_go_live_request && (
              <form class="stack" method="post">
                {open.length > 0 && (
                  <p class="muted">
                    <T>
                      You have {{ length: open.length }} of {{ length2: steps.length }} steps left.
                    </T>
                  </p>
                )}
                <Submit>{t('Ask to go live')}</Submit>
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
      if (open.length > 0) throw invalid(refusalOf(open));
      await updateService(app, service.id, { has_active_go_live_request: true, go_live_user: visitor.user.id });
      if (await findApprover(service.id)) await notifyApproversOfRequest(app, service.id);
      return { to, notice: t('We have sent your request. You will get an email when it is decided.') };
    },
  });

  pages.add('/services/:service_id/going-live/volumes', {
    who: team,
    below: 'Settings',
    show: ({ service }, formState) => ({
      title: t('How many messages will you send?'),
      lead: t('Give a rough number for the next 12 months.'),
      crumbs: [{ label: t('Going live'), to: `/services/${service.id}/going-live` }],
      content: (
        <SaveForm back={`/services/${service.id}/going-live`}>
          <NumberField
            formState={formState}
            name="email"
            label={t('Emails')}
            value={service.volume_email ?? undefined}
          />
          <NumberField formState={formState} name="sms" label={t('Texts')} value={service.volume_sms ?? undefined} />
          <NumberField
            formState={formState}
            name="letter"
            label={t('Letters')}
            value={service.volume_letter ?? undefined}
          />
        </SaveForm>
      ),
    }),
    form: Type.Object({ email: Volume, sms: Volume, letter: Volume }),
    async act({ service }, { email = '0', sms = '0', letter = '0' }) {
      const [volume_email, volume_sms, volume_letter] = await checkAll(
        () => readNumber(email, { field: 'email' }),
        () => readNumber(sms, { field: 'sms' }),
        () => readNumber(letter, { field: 'letter' }),
      );
      if (volume_email + volume_sms + volume_letter === 0) {
        throw invalidField('email', t('Enter how many emails, texts or letters you will send.'));
      }
      await updateService(app, service.id, { volume_email, volume_sms, volume_letter });
      return { to: `/services/${service.id}/going-live`, notice: t('Estimate saved.') };
    },
  });

  pages.add('/services/:service_id/going-live/name', {
    who: team,
    below: 'Settings',
    show: ({ service }) => ({
      title: t('Is “{name}” unique?', { name: service.name }),
      crumbs: [{ label: t('Going live'), to: `/services/${service.id}/going-live` }],
      content: (
        <form class="stack measure" method="post">
          <p>
            <T>
              The name must tell people who is writing to them, and what about. No other service of your organisation
              can have a similar name. <a href={pageUrl(`/services/${service.id}/settings/name`)}>Change the name</a>
            </T>
          </p>
          <Submit>{t('It is unique and people understand it')}</Submit>
        </form>
      ),
    }),
    form: Type.Object({}),
    async act({ service }) {
      await updateService(app, service.id, { confirmed_unique: true });
      return { to: `/services/${service.id}/going-live`, notice: t('Name confirmed.') };
    },
  });
}

/** The steps are imperatives, so that they also fit into a sentence. */
function refusalOf(open: readonly { text: Text }[]): Text {
  return t('Before you can ask to go live, {steps}.', { steps: list(open.map(({ text }) => within(text))) });
}

/** `decidedBy` is the organisation that decides; without one, the operator decides. */
function WhatHappensNext({ decidedBy }: { decidedBy: string | undefined }) {
  return (
    <section class="stack stack--tight" aria-labelledby="next">
      <h2 id="next">{t('What happens next')}</h2>
      <p>
        {t('You have asked to go live. Until it is decided, you can send messages to your team and your guest list.')}
      </p>
      <ol class="card list">
        <li>
          {decidedBy === undefined ? (
            t('The people who run this Pennypost check your request.')
          ) : (
            <span>
              <T>
                The members of <bdi>{{ decidedBy }}</bdi> who can make services live check your request.
              </T>
            </span>
          )}
        </li>
        <li>{t('You will get an email when it is decided. If the request is refused, the email says why.')}</li>
        <li>
          {t(
            'Once your service is live, you can send to anyone and create live API keys. Your daily limits are raised.',
          )}
        </li>
      </ol>
    </section>
  );
}
