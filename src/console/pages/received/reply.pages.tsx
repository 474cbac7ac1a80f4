import { Type } from 'typebox';
import { getInboundText } from '../../../inbound/inbound-texts.ts';
import { asIs, t } from '../../../language/text.ts';
import { sendOneOff } from '../../../notifications/one-off/one-off.ts';
import { invalid, notFound } from '../../../platform/failure.ts';
import { reachable } from '../../access/find-page.ts';
import { may, rightNames } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { FormState, PageRequest, Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Submit } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { formatPhoneNumber } from '../../parts/phone-number.ts';
import { getSendableTemplate, listSendableTemplates } from '../send/sendable-templates.ts';

type Seen = PageRequest<{ service: 'send'; membersOnly: true }>;
const who = { service: 'send', membersOnly: true } as const;
const path = '/services/:service_id/received/:received_id/reply';

/** Replies with a text from a template to the number that wrote. */
export function replyPages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who,
    below: 'Received',
    async show(request) {
      const text = await getText(request);
      const { service, visitor } = request;
      const templates = (await listSendableTemplates(app, service.id, visitor.user.id)).filter(
        ({ template_type }) => template_type === 'sms',
      );
      return {
        title: t('Reply to {userNumber}', { userNumber: formatPhoneNumber(app.country.phone, text.user_number) }),
        ...buildCrumbs(request),
        content:
          templates.length === 0 ? (
            <NoTemplates to={reachable(pages.all, visitor.user, newTemplate(request), service)} />
          ) : (
            <section class="stack stack--tight measure" aria-labelledby="choose">
              <h2 id="choose">{t('Choose a template')}</h2>
              <ul class="card list">
                {templates.map(({ id, name }) => (
                  <li key={id}>
                    <a href={pageUrl(`${buildPath(request)}/reply/${id}`)} dir="auto">
                      {name}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ),
      };
    },
  });

  pages.add(`${path}/:template_id`, {
    who,
    below: 'Received',
    async show(request, formState) {
      const text = await getText(request);
      const { row, placeholders } = await getTextTemplate(request);
      return {
        title: t('Reply to {userNumber}', { userNumber: formatPhoneNumber(app.country.phone, text.user_number) }),
        lead: row.name,
        ...buildCrumbs(request),
        content: (
          <div class="stack measure">
            <div class="phone">
              <p class="bubble bubble--reply">{row.content}</p>
            </div>
            <form class="stack" method="post" noValidate>
              {placeholders.map((name, index) => (
                <Value key={name} formState={formState} name={name} index={index} />
              ))}
              <Submit>{t('Send')}</Submit>
            </form>
          </div>
        ),
      };
    },
    form: Type.Object({
      names: Type.Array(Type.String({ maxLength: 1_000 })),
      values: Type.Array(Type.String({ maxLength: 2_000 })),
    }),
    async act(request, { names, values }) {
      const text = await getText(request);
      const { row } = await getTextTemplate(request);
      const personalisation = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
      const blank = names.flatMap((name, index) =>
        personalisation[name] === '' ? [[`value_${index}`, t('Enter a value for {name}.', { name })]] : [],
      );
      if (blank.length > 0) throw invalid(Object.fromEntries(blank));
      const { id } = await sendOneOff(app, request.service.id, {
        template_id: row.id,
        to: `+${text.user_number.replace(/^\+/, '')}`,
        created_by: request.visitor.user.id,
        personalisation,
      });
      const to = mayRead(request) ? buildPath(request) : `/services/${request.service.id}/messages/${id}`;
      return { to, notice: t('Reply sent.') };
    },
  });

  const getText = ({ service, param }: Seen) => getInboundText(app, service.id, param('received_id'));
  const buildPath = ({ service, param }: Seen) => `/services/${service.id}/received/${param('received_id')}`;
  const newTemplate = ({ service }: Seen) => `/services/${service.id}/templates/new/sms`;
  /** Some people can send but not read. */
  const mayRead = ({ visitor, service }: Seen) => may({ service: 'activity' }, visitor.user, service) === 'yes';
  const buildCrumbs = (request: Seen) => {
    const inbox = { label: t('Received texts'), to: `/services/${request.service.id}/received` };
    return mayRead(request) ? { crumbs: [inbox, { label: t('Conversation'), to: buildPath(request) }] } : {};
  };

  async function getTextTemplate({ service, visitor, param }: Seen) {
    const { row, compiled } = await getSendableTemplate(app, service.id, visitor.user.id, param('template_id'));
    if (row.template_type !== 'sms') throw notFound();
    return { row, placeholders: compiled.placeholders };
  }
}

function NoTemplates({ to }: { to: string | undefined }) {
  return (
    <Empty
      title={t('No text templates')}
      action={
        to && (
          <a class="button button--primary" href={to}>
            {t('Write a template')}
          </a>
        )
      }
    >
      {to
        ? t('You reply with a template. Write one for texts first.')
        : t('You reply with a template. Ask someone with the permission “{templates}” to write one for texts.', {
            templates: rightNames.templates,
          })}
    </Empty>
  );
}

function Value({ formState, name, index }: { formState: FormState; name: string; index: number }) {
  const typed = formState.typed.get('values');
  return (
    <>
      <input type="hidden" name="names[]" value={name} />
      <Field
        formState={formState}
        name={`value_${index}`}
        sentAs="values[]"
        label={asIs(name)}
        value={Array.isArray(typed) ? typed[index] : undefined}
      />
    </>
  );
}
