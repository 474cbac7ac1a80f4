import { Type } from 'typebox';
import {
  copyContactList,
  deleteContactList,
  getContactList,
  listContactLists,
  originalOfContactList,
  saveContactList,
} from '../../../jobs/contact-lists/contact-lists.ts';
import { problemsFile } from '../../../jobs/uploads/stored-rows.ts';
import { uploadRecord } from '../../../jobs/uploads/upload-record.ts';
import { checkUpload, getService, getUpload, receiveUpload } from '../../../jobs/uploads/uploads.ts';
import { asIs, t } from '../../../language/text.ts';
import { fromStandby } from '../../../platform/db/servers/standby.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { sendCsv } from '../../../platform/http/csv.ts';
import { hasRight, may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { maxSpreadsheetBytes, nameOfDownload, refuseInFileField } from '../files/spreadsheets.ts';
import { listSendableTemplates } from '../send/sendable-templates.ts';
import { guardNotice } from '../settings/guard-notice.tsx';
import { whoCan } from '../team/team.ts';
import { CheckedList, ListTable, NewList, SavedList } from './contact-lists.tsx';

const sender = { service: 'send', membersOnly: true } as const;
type OfSender = PageRequest<typeof sender>;

/** Saved lists of recipients. */
export function contactListPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/contact-lists', {
    who: { service: 'any' },
    below: 'Send',
    name: t('Contact lists'),
    async show({ service, visitor }) {
      const lists = await listContactLists(app, service.id);
      const maySend = may(sender, visitor.user, service) === 'yes';
      return {
        title: t('Contact lists'),
        lead: t('Lists of people you send to often.'),
        actions: maySend && (
          <ButtonLink to={`/services/${service.id}/contact-lists/new`} look="primary">
            {t('Upload a list')}
          </ButtonLink>
        ),
        content: <ListTable serviceId={service.id} lists={lists} now={app.clock.now()} maySend={maySend} />,
      };
    },
  });

  pages.add('/services/:service_id/contact-lists/new', {
    who: sender,
    below: 'Send',
    show: ({ service }, formState) => ({
      title: t('Upload a contact list'),
      crumbs: [{ label: t('Contact lists'), to: `/services/${service.id}/contact-lists` }],
      content: <NewList formState={formState} />,
    }),
    form: Type.Object({}),
    file: { name: 'file', max_bytes: maxSpreadsheetBytes, needs: t('Choose a file.') },
    async act({ service }, _form, file) {
      const sending = await getService(app, service.id);
      const request = {
        filename: file.filename,
        is_contact_list: true,
        body: file,
        signal: AbortSignal.timeout(300_000),
      };
      const upload = await refuseInFileField(() => receiveUpload(app, sending, request));
      return { to: `/services/${service.id}/contact-lists/${upload.id}` };
    },
  });

  /** Shows a list that was checked, to save it, or a saved one, to send with it. */
  async function view(request: OfSender, formState: FormState): Promise<View> {
    const { service, param, visitor } = request;
    const crumbs = [{ label: t('Contact lists'), to: `/services/${service.id}/contact-lists` }];
    const upload = await getUpload(app, service.id, param('list_id'));
    if (!upload.is_contact_list) throw notFound();
    if (upload.state !== 'saved') {
      const record = await uploadRecord(app, await getService(app, service.id), upload);
      return {
        title: t('Check {originalFileName}', { originalFileName: upload.original_file_name }),
        crumbs,
        content: (
          <CheckedList serviceId={service.id} record={record} maxRows={app.config.bulk.maxRows} formState={formState} />
        ),
      };
    }
    const list = await getContactList(app, service.id, upload.id);
    const templates = await listSendableTemplates(app, service.id, visitor.user.id);
    const permissions = visitor.user.permissions[service.id] ?? [];
    return {
      title: asIs(list.original_file_name),
      crumbs,
      content: (
        <div class="stack">
          {list.template_type === 'email' && (await guardNotice(app, service, visitor))}
          <SavedList
            list={list}
            templates={templates.filter(({ template_type }) => template_type === list.template_type)}
            formState={formState}
            now={app.clock.now()}
            mayEdit={hasRight('templates', permissions)}
            writers={await whoCan(app.db, service.id, 'templates')}
          />
        </div>
      ),
    };
  }

  pages.add('/services/:service_id/contact-lists/:list_id', {
    who: sender,
    below: 'Send',
    show: view,
    form: Type.Object({ template_id: Type.Optional(Type.String()) }),
    async act({ service, param, visitor }, { template_id }) {
      const templates = await listSendableTemplates(app, service.id, visitor.user.id);
      const { template_type } = await getContactList(app, service.id, param('list_id'));
      const template = templates.find((listed) => listed.id === template_id && listed.template_type === template_type);
      if (!template) throw invalidField('template_id', t('Choose a template.'));
      const { id: upload_id } = await copyContactList(app, service.id, param('list_id'));
      const check = { service_id: service.id, upload_id, template_id: template.id, sender_id: null };
      await app.queue.add(app.db, checkUpload, check);
      return { to: `/services/${service.id}/files/${upload_id}` };
    },
  });

  const toList = ({ service, param }: OfSender): Redirection => ({
    to: `/services/${service.id}/contact-lists/${param('list_id')}`,
  });

  pages.add('/services/:service_id/contact-lists/:list_id/save', {
    who: sender,
    below: 'Send',
    show: (request, formState) =>
      formState.typed.size === 0 && formState.problems.size === 0 ? toList(request) : view(request, formState),
    form: Type.Object({ name: Type.String({ minLength: 1, maxLength: 1_600, format: 'name' }) }),
    needs: { name: t('Enter a name.') },
    async act(request, { name }) {
      const { service, visitor, param } = request;
      const upload = await getUpload(app, service.id, param('list_id'));
      const template_type = upload.summary?.channel;
      if (upload.state === 'saved') return toList(request);
      await saveContactList(app, service.id, {
        id: upload.id,
        original_file_name: name,
        template_type: template_type === 'email' ? 'email' : 'sms',
        created_by: visitor.user.id,
      });
      return { ...toList(request), notice: t('List saved.') };
    },
  });

  pages.add('/services/:service_id/contact-lists/:list_id/delete', {
    who: { service: 'templates', membersOnly: true },
    below: 'Send',
    show: ({ service }) => ({ to: `/services/${service.id}/contact-lists` }),
    form: Type.Object({}),
    async act({ service, param }) {
      await deleteContactList(app, service.id, param('list_id'));
      return { to: `/services/${service.id}/contact-lists`, notice: t('List deleted.') };
    },
  });

  pages.add('/services/:service_id/contact-lists/:list_id/original.csv', {
    who: sender,
    async show({ service, param, reply }) {
      const { name, parts } = await fromStandby(app, 'file', (reader) =>
        originalOfContactList(reader, service.id, param('list_id')),
      );
      return { sent: sendCsv(reply, name, parts) };
    },
  });

  pages.add('/services/:service_id/contact-lists/:list_id/problems.csv', {
    who: sender,
    async show({ service, param, reply }) {
      const upload = await getUpload(app, service.id, param('list_id'));
      return { sent: sendCsv(reply, nameOfDownload('problems', upload), problemsFile(app.db, upload)) };
    },
  });
}
