import { type Channel, channels } from '../../../../protocol/channels.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { FormState, PageRequest, View } from '../../../page.ts';
import { Choices } from '../../../parts/choices.tsx';
import { listManagers } from '../../services/colleagues.ts';
import { channelWords, listPath, openLibrary } from '../library.ts';

type Writing = PageRequest<{ service: 'templates' }>;

const hints: Record<Channel, string> = {
  email: 'With headings, lists, links and files.',
  sms: 'Up to 918 characters. Every 160 characters cost a part.',
  letter: 'Printed and posted, up to 10 pages.',
};

export async function newTemplateView(app: ConsoleApp, request: Writing, formState: FormState): Promise<View> {
  const { service, query } = request;
  const library = await openLibrary(app, request);
  const folder = library.ids.find((id) => id === query('folder'));
  return {
    title: 'New template',
    crumbs: [{ label: 'Templates', to: listPath(service.id) }],
    content: (
      <form class="stack measure" method="post" noValidate>
        {folder && <input type="hidden" name="folder" value={folder} />}
        <Choices
          formState={formState}
          name="channel"
          legend="What do you want to write?"
          kind="one"
          choices={channels.map((channel) => ({
            value: channel,
            label: channelWords[channel].name,
            hint: service.permissions.includes(channel) ? hints[channel] : 'Switched off for this service.',
          }))}
        />
        <div>
          <button class="button button--primary" type="submit">
            Continue
          </button>
        </div>
      </form>
    ),
  };
}

/** Why nothing can be written, and who can change that. */
export async function channelOffView(app: ConsoleApp, { service }: Writing, channel: Channel): Promise<View> {
  const managers = await listManagers(app, service.id);
  const { noun } = channelWords[channel];
  return {
    title: `This service does not send ${noun}s`,
    crumbs: [{ label: 'Templates', to: listPath(service.id) }],
    content: (
      <div class="stack measure">
        <p>
          The channel is switched off, so {noun} templates can be neither written nor changed.{' '}
          {managers.length > 0
            ? 'These people of your team can switch it on in the settings:'
            : 'Ask the operator of this Pennypost to switch it on.'}
        </p>
        {managers.length > 0 && (
          <ul class="card list">
            {managers.map(({ id, name, email_address }) => (
              <li key={id}>
                <b>{name}</b>
                <span class="muted">{email_address}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    ),
  };
}
