import { Type } from 'typebox';
import { isEssential, markEssential, unmarkEssential } from '../../../inbound/opt-outs/opt-outs.ts';
import { asIs, t } from '../../../language/text.ts';
import { setTemplateWindow } from '../../../notifications/windows/send-windows.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { OneOf, Uuid } from '../../../protocol/fields.ts';
import { templateLanguages } from '../../../templates/languages/languages.ts';
import { updateTemplate } from '../../../templates/template-update.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { Choices } from '../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../parts/form.tsx';
import { describeCost } from '../send/cost.ts';
import { operator } from '../settings/service-setting.ts';
import { LanguageChoice } from './languages/languages.tsx';
import {
  buildCrumbs,
  describeLastUse,
  getEditableTemplate,
  getSeenTemplate,
  has,
  listPath,
  openLibrary,
  templatePath,
} from './library.ts';
import { previewVersion, versionUrl } from './preview.pages.ts';
import { Preview } from './preview.tsx';
import { listSenderChoices, listTimeChoices, senderNouns, TemplateFacts } from './template.tsx';

type Seen = PageRequest<{ service: 'any'; organisation: true }>;

export function templatePages(pages: Pages, app: ConsoleApp): void {
  const sendPage = '/services/:service_id/send/:template_id';

  /** Returns the path of the page that sends the template; undefined for people who cannot send, or if there is no such page. */
  function sendPath({ visitor, service }: Seen, templateId: string): string | undefined {
    const page = pages.all.find(({ path }) => path === sendPage);
    if (!page || may(page.who, visitor.user, service) !== 'yes') return undefined;
    return sendPage.replace(':service_id', service.id).replace(':template_id', templateId);
  }

  pages.add('/services/:service_id/templates/:template_id', {
    who: { service: 'any', organisation: true },
    below: 'Templates',
    async show(request) {
      const { service, visitor } = request;
      const template = await getSeenTemplate(app, request, request.param('template_id'));
      const send = template.archived ? undefined : sendPath(request, template.id);
      const canEdit = has(request, 'templates') && !template.archived;
      // People who can only send do not need the page of a template.
      if (send && !canEdit && !has(request, 'activity')) return { to: send };
      const library = await openLibrary(app, request);
      const language = request.query('language');
      const preview = await previewVersion(app, request, template.id, template.version, language);
      const senders = await listSenderChoices(app, service.id, template);
      const times = template.template_type === 'letter' ? [] : await listTimeChoices(app, service.id, template.id);
      return {
        title: asIs(template.name),
        crumbs: buildCrumbs(library, service.id, template.folder),
        actions: (
          <>
            {canEdit && <ButtonLink to={`${templatePath(service.id, template.id)}/edit`}>{t('Edit')}</ButtonLink>}
            {send && (
              <ButtonLink to={send} look="primary">
                {t('Send')}
              </ButtonLink>
            )}
          </>
        ),
        content: (
          <div class="cols cols--editor">
            <Preview
              preview={preview}
              from={versionUrl(service.id, template)}
              language={language}
              choice={<LanguageChoice template={template} chosen={language} />}
              cost={await describeCost(app, preview, template.postage)}
              title={t('Preview')}
            />
            <TemplateFacts
              country={app.country}
              template={template}
              sender={senders.find(({ isChosen }) => isChosen)?.label ?? ''}
              sendingTime={times.find(({ isChosen }) => isChosen)?.label}
              essential={{
                isYes: await isEssential(app.db, template.id),
                canChange: may(operator, visitor.user, service) === 'yes' && !template.archived,
              }}
              lastUsed={await describeLastUse(app, service.id, template.id)}
              canEdit={canEdit}
              hasLanguages={service.permissions.includes(templateLanguages)}
              canCopy={has(request, 'any')}
              now={app.clock.now()}
            />
          </div>
        ),
      };
    },
    form: Type.Object({ do: Type.String() }),
    async act(request, form) {
      const { service, visitor } = request;
      const template = await getEditableTemplate(app, request, request.param('template_id'));
      if (!has(request, 'templates')) throw invalidField('', t('You cannot change templates.'));
      const created_by = visitor.user.id;
      if (form.do === 'archive') {
        await updateTemplate(app, service.id, template.id, { archived: true, created_by });
        return { to: listPath(service.id), notice: t('{name} archived.', { name: template.name }) };
      }
      if (form.do === 'hide' && template.template_type !== 'letter') {
        await updateTemplate(app, service.id, template.id, { redact_personalisation: true, created_by });
        return { to: templatePath(service.id, template.id), notice: t('Personal data hidden.') };
      }
      if ((form.do === 'essential' || form.do === 'ordinary') && template.template_type === 'sms') {
        if (may(operator, visitor.user, service) !== 'yes')
          throw invalidField('', t('Only a platform administrator can decide this.'));
        const text = { template_id: template.id, service_id: service.id };
        if (form.do === 'essential') await markEssential(app.db, text, app.clock.now());
        else await unmarkEssential(app.db, template.id);
        return { to: templatePath(service.id, template.id), notice: t('Setting saved.') };
      }
      throw invalidField('', t('Choose what to do.'));
    },
  });

  pages.add('/services/:service_id/templates/:template_id/sender', {
    who: { service: 'templates' },
    below: 'Templates',
    async show(request, formState) {
      const template = await getSeenTemplate(app, request, request.param('template_id'));
      const noun = senderNouns[template.template_type];
      const choices = await listSenderChoices(app, request.service.id, template);
      return {
        title: t('{noun} of {name}', { noun, name: template.name }),
        crumbs: [{ label: asIs(template.name), to: templatePath(request.service.id, template.id) }],
        content: (
          <SaveForm back={templatePath(request.service.id, template.id)}>
            <Choices
              formState={formState}
              name="sender"
              legend={noun}
              kind="one"
              choices={choices}
              chosen={choices.filter(({ isChosen }) => isChosen).map(({ value }) => value)}
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ sender: Type.Union([Uuid, Type.Literal('default')]) }),
    needs: { sender: t('Choose who the message comes from.') },
    async act(request, { sender }) {
      const template = await getEditableTemplate(app, request, request.param('template_id'));
      const reply_to = sender === 'default' ? null : sender;
      const created_by = request.visitor.user.id;
      await updateTemplate(app, request.service.id, template.id, { reply_to, created_by });
      return { to: templatePath(request.service.id, template.id), notice: t('Sender saved.') };
    },
  });

  pages.add('/services/:service_id/templates/:template_id/sending-times', {
    who: { service: 'templates' },
    below: 'Templates',
    async show(request, formState) {
      const template = await getSeenTemplate(app, request, request.param('template_id'));
      const back = templatePath(request.service.id, template.id);
      if (template.template_type === 'letter') throw notFound();
      const choices = await listTimeChoices(app, request.service.id, template.id);
      return {
        title: t('Sending times of {name}', { name: template.name }),
        crumbs: [{ label: asIs(template.name), to: back }],
        content: (
          <SaveForm back={back}>
            <Choices
              formState={formState}
              name="window"
              legend={t('Sending times')}
              kind="one"
              choices={choices}
              chosen={choices.filter(({ isChosen }) => isChosen).map(({ value }) => value)}
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ window: Type.Union([Uuid, OneOf(['inherit', 'none'])]) }),
    needs: { window: t('Choose when messages go out.') },
    async act(request, { window }) {
      const { id, service, template_type } = await getEditableTemplate(app, request, request.param('template_id'));
      if (template_type === 'letter') throw notFound();
      await setTemplateWindow(app, service, id, window);
      return { to: templatePath(service, id), notice: t('Sending times saved.') };
    },
  });
}
