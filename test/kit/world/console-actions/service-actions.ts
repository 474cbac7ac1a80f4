import { newId } from '../../../../src/platform/id.ts';
import { firstPage, makePdf } from '../../samples/pdf-samples.ts';
import { aPerson, joinService } from '../console-people.ts';
import { type Actions, changes, without } from './action.ts';

const service = '/services/:service_id';

/** Services, their teams and templates. */
export const serviceActions: Actions = (harness, world) => {
  const id = (name: string) => world.ids.get(name) ?? '';
  const by = 'a manager' as const;
  const list = `${service}/templates`;
  const texts = { name: 'Welcome', subject: 'Welcome', content: 'Hello ((name))' };
  const steps = { template_1: id('email_template_id'), wait_1: '24', template_2: id('template_id') };
  const letter = `${service}/letter-templates/:letter_template_id`;
  const files = `${service}/email-templates/:email_template_id/files`;
  const member = async () => {
    const user = await aPerson(harness);
    await joinService(harness, world.service.id, user.id, []);
    return { ids: { user_id: user.id } };
  };

  return [
    changes('service', '/services/add', { by: 'somebody else', form: { name: 'Parks', organisation_type: 'local' } }),
    changes('service_join_request', '/services/:asked_id/join/ask', {
      by: 'somebody else',
      form: { 'contacted_user_ids[]': [world.visitors.get('a manager')?.user?.id ?? ''], reason: 'I help' },
      prepare: async () => {
        await harness.admin('POST', `/organisations/${world.service.organisation}`, {
          can_ask_to_join_a_service: true,
          domains: ['example.org'],
        });
        return {};
      },
    }),
    changes('service_join_request', `${service}/join-request/:request_id/approve`, {
      by,
      form: { status: 'approved', 'rights[]': ['send'] },
    }),
    without('searches', list, { by, form: { do: 'find', find: 'welcome' } }),
    without('leads to the page that copies', list, { by, form: { do: 'copy', 'templates[]': [id('template_id')] } }),
    changes('template', list, {
      by,
      form: { do: 'move', 'templates[]': [id('template_id')], move_to: id('folder_id') },
    }),
    changes('channel_plan', `${list}/plans/new`, { by, form: { name: 'Reminders', ...steps } }),
    changes('channel_plan', `${list}/plans/:plan_id`, { by, form: { name: 'Invitations', ...steps } }),
    changes('channel_plan', `${list}/plans/:plan_id/archive`, { by }),
    changes('template_folder', `${list}/folders/new`, { by, form: { name: 'Letters' } }),
    changes('template_folder', `${list}/folders/:folder_id`, { by, form: { do: 'save', name: 'Invitations' } }),
    changes('template', `${list}/copy`, {
      by,
      query: `?template=${id('template_id')}`,
      form: { place: world.service.id },
    }),
    without('leads to the editor', `${list}/new`, { by, form: { channel: 'email' } }),
    changes('template', `${list}/new/:channel`, { by, form: { do: 'save', ...texts } }),
    changes('notification', `${list}/new/:channel`, {
      by,
      form: { do: 'test', ...texts, 'names[]': ['name'], 'values[]': ['Ada'] },
    }),
    without('keeps a draft, which is not saved yet', `${list}/new/:channel`, { by, form: { do: 'preview', ...texts } }),
    changes('template', `${list}/:template_id/edit`, { by, form: { do: 'save', version: '1', ...texts } }),
    changes('template', `${list}/:template_id/history`, { by, form: { restore: '1', version: '2' } }),
    changes('template', `${list}/:template_id/sender`, { by, form: { sender: id('sms_sender_id') } }),
    changes('template_email_file', files, {
      by,
      file: { field: 'upload', name: 'map.pdf', content: '%PDF-1.4' },
      prepare: async () => {
        await harness.admin('POST', `/service/${world.service.id}`, { contact_link: 'https://example.org/help' });
        return {};
      },
    }),
    changes('template_email_file', `${files}/:template_file_id`, {
      by,
      form: { do: 'save', link_text: 'Read the plan', weeks: '3' },
    }),
    changes('template_email_file', `${files}/:template_file_id`, { by, form: { do: 'remove' } }),
    changes('letter_attachment', `${letter}/attached-pages`, {
      by,
      prepare: async () => ({
        file: { field: 'upload', name: 'map.pdf', content: new Uint8Array(await makePdf([firstPage()])) },
      }),
    }),
    changes('letter_attachment', `${letter}/attached-pages`, { by, form: { do: 'remove' } }),
    changes('template', `${list}/:template_id`, { by, form: { do: 'hide' } }),
    changes('template', `${list}/:template_id`, {
      by,
      form: { do: 'archive' },
      ids: { template_id: id('email_template_id') },
    }),
    changes('template_folder', `${list}/folders/:folder_id`, {
      by,
      form: { do: 'delete' },
      prepare: async () => {
        const folder = await harness.admin('POST', `/service/${world.service.id}/template-folder`, {
          ...{ name: 'Empty', parent_id: null },
        });
        const people = { name: 'Empty', users_with_permission: [world.visitors.get('a manager')?.user?.id] };
        await harness.admin('POST', `/service/${world.service.id}/template-folder/${folder.body.data.id}`, people);
        return { ids: { folder_id: folder.body.data.id } };
      },
    }),
    without('searches', `${service}/team`, { by, form: { find: 'ada' } }),
    changes('service_invite', `${service}/team/invite`, {
      by,
      form: { email_address: 'colleague@example.org', 'rights[]': ['send'] },
    }),
    changes('service_invite', `${service}/team/invitations/cancel`, {
      by,
      prepare: async () => {
        const { body } = await harness.admin('POST', `/service/${world.service.id}/invite`, {
          email_address: `invited-${newId(harness.clock.now())}@example.org`,
          from_user: world.visitors.get('a manager')?.user?.id,
          permissions: 'view_activity',
        });
        return { form: { invite_id: body.data.id } };
      },
    }),
    changes('service_member', `${service}/team/:user_id`, { by, form: { 'rights[]': ['templates'] }, prepare: member }),
    changes('user', `${service}/team/:user_id/email`, {
      by,
      form: { value: 'moved@example.org', confirmed: 'yes' },
      prepare: member,
    }),
    without('asks whether it is right', `${service}/team/:user_id/email`, {
      by,
      form: { value: 'moved-too@example.org' },
      prepare: member,
    }),
    changes('user', `${service}/team/:user_id/mobile`, {
      by,
      form: { value: '07700900462', confirmed: 'yes' },
      prepare: member,
    }),
    changes('service_member', `${service}/team/:user_id/remove`, { by, prepare: member }),
  ];
};
