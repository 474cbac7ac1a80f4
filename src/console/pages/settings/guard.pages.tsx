import { Type } from 'typebox';
import { type Text, t } from '../../../language/text.ts';
import { type GuardRates, percentOf } from '../../../notifications/guard/evaluate.ts';
import { exemptFromGuard, getGuard, liftPause } from '../../../notifications/guard/guard.ts';
import { invalidField } from '../../../platform/failure.ts';
import { suppressRecipients } from '../../../services/suppression/suppression-list.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { FormState, Pages } from '../../page.ts';
import { Choices, TextArea } from '../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Summary } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { DayField, readDay, TypedValue } from '../../parts/value-fields.tsx';
import { guardPath, whatToDo } from './guard-notice.tsx';
import { addServiceSetting, operator, settingsOf, team } from './service-setting.ts';

type Guard = Awaited<ReturnType<typeof getGuard>>;

/** Whether the emails of the service bounce or are reported as spam too often, and lifting a pause. */
export function guardPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/settings/email/guard', {
    who: team,
    below: 'Settings',
    name: t('Bounces and complaints'),
    async show({ service, visitor }, formState) {
      const guard = await getGuard(app, service.id);
      const isAdmin = visitor.user.platform_admin;
      const keepsList = service.permissions.includes(suppressRecipients);
      const mayLift = guard.team_can_lift || isAdmin;
      return {
        title: t('Bounces and complaints'),
        lead: leads[guard.state],
        crumbs: [{ label: t('Settings'), to: settingsOf(service) }],
        actions: !keepsList && (
          <ButtonLink
            to={`${settingsOf(service)}/email/suppression`}
            look={guard.state === 'ok' ? undefined : 'primary'}
          >
            {t('Keep a suppression list')}
          </ButtonLink>
        ),
        content: (
          <div class="stack">
            {guard.state !== 'ok' && (
              <Notice tone={guard.state === 'paused' ? 'red' : 'amber'}>
                <b>{guard.state === 'paused' ? t('Sending to many is paused.') : t('Too many emails fail.')}</b>{' '}
                {guard.because !== null && whatToDo({ because: guard.because, rate: guard.rate ?? '' })}
              </Notice>
            )}
            <Figures guard={guard} now={app.clock.now()} />
            {guard.state === 'paused' &&
              (mayLift ? (
                <Lift formState={formState} back={settingsOf(service)} />
              ) : (
                <p>{t('Your team has lifted a pause in the last 7 days. Ask an operator to lift this one.')}</p>
              ))}
          </div>
        ),
      };
    },
    form: Type.Object({
      reason: Type.String({ minLength: 1, maxLength: 1_000 }),
      cleaned: Type.Optional(Type.Array(Type.Literal('yes'))),
    }),
    needs: { reason: t('Enter what you have done.') },
    check(_request, { cleaned }) {
      if (!cleaned?.includes('yes'))
        throw invalidField('cleaned', t('Remove the addresses that bounced, then tick the box.'));
    },
    async act({ service, visitor }, { reason }) {
      const { id, platform_admin } = visitor.user;
      await liftPause(app, service.id, { reason, by: { id, platform_admin } });
      return { to: guardPath(service), notice: t('Pause lifted.') };
    },
  });

  addServiceSetting(pages, {
    path: 'operator/guard',
    who: operator,
    title: t('Exempt the service from pauses'),
    lead: t(
      'Until then we warn the team when emails bounce, but do not pause sending to many. Leave the day empty to end the exemption.',
    ),
    fields: (_service, formState) => <DayField formState={formState} name="exempt_until" label={t('Until')} />,
    form: Type.Object({ exempt_until: Type.Optional(TypedValue) }),
    async save(service, { exempt_until = '' }) {
      const day = exempt_until === '' ? undefined : readDay(exempt_until, { field: 'exempt_until' });
      await exemptFromGuard(app, service.id, day === undefined ? null : app.country.calendar.start(day));
      return undefined;
    },
  });
}

const leads = {
  ok: t('We count emails that bounce or are reported as spam, because mailbox providers do, too.'),
  warned: t('If more emails fail, mailbox providers can refuse all emails of this service.'),
  paused: t('You cannot send to files and lists. Emails to one person, texts and letters go on.'),
};

function share({ part, of }: GuardRates['bounces'], decimals: number): Text {
  const rate = percentOf({ part, of }, decimals);
  return t('{rate}%: {part, number} of {of, plural, one {# email} other {# emails}}', { rate, part, of });
}

function Figures({ guard, now }: { guard: Guard; now: Date }) {
  const { rates, since, state, lifted_at, lift_reason, exempt_until } = guard;
  return (
    <Summary
      rows={[
        {
          label: t('Bounced, last 24 hours'),
          value: share(rates.bounces, 1),
        },
        {
          label: t('Reported as spam, last 7 days'),
          value: share(rates.complaints, 2),
        },
        ...(state !== 'ok' && since ? [{ label: t('Since'), value: <Time at={since} now={now} /> }] : []),
        ...(exempt_until ? [{ label: t('Not paused until'), value: <Time at={exempt_until} now={now} /> }] : []),
        ...(lifted_at ? [{ label: t('Last lifted'), value: <Time at={lifted_at} now={now} /> }] : []),
        ...(lift_reason ? [{ label: t('Why'), value: lift_reason }] : []),
      ]}
    />
  );
}

function Lift({ formState, back }: { formState: FormState; back: string }) {
  return (
    <section class="card" aria-labelledby="lift">
      <div class="card-head">
        <h2 id="lift">{t('Lift the pause')}</h2>
      </div>
      <SaveForm back={back} action={t('Lift the pause')}>
        <TextArea
          formState={formState}
          name="reason"
          label={t('What have you done?')}
          hint={t('The audit log keeps what you write.')}
          rows={3}
        />
        <Choices
          formState={formState}
          name="cleaned"
          legend={t('Your list')}
          kind="several"
          choices={[{ value: 'yes', label: t('I have removed the addresses that bounced') }]}
        />
      </SaveForm>
    </section>
  );
}
