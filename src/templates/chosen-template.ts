import { invalid, notFound } from '../platform/failure.ts';
import type { Channel } from '../protocol/channels.ts';
import { maxInteger } from '../protocol/fields.ts';
import { shortened } from '../protocol/schema-problems.ts';
import { type CompiledTemplates, findTemplate, type ReadyTemplate } from './compiled-templates.ts';
import { templateOfCaller } from './public-templates.ts';

/** Names the template to send by id or by name, in the newest or an earlier version. */
export interface TemplateChoice {
  template_id?: string | undefined;
  template_name?: string | undefined;
  template_version?: number | undefined;
}

interface Deps {
  compiledTemplates: CompiledTemplates;
}

/** Finds archived templates too: the caller checks. `channel` is that of the message and selects between templates with the same name. */
export function getChosenTemplate(
  app: Deps,
  serviceId: string,
  choice: TemplateChoice,
  channel?: Channel,
): Promise<ReadyTemplate> {
  const { template_id, template_version } = choice;
  // Most requests take this path, without further work.
  return template_id !== undefined && template_version === undefined
    ? findTemplate(app, serviceId, template_id).then(templateToSend)
    : getByNameOrVersion(app, serviceId, choice, channel);
}

const templateToSend = (lookup: Awaited<ReturnType<typeof findTemplate>>) =>
  templateOfCaller(lookup, 'template_not_found');

async function getByNameOrVersion(
  app: Deps,
  serviceId: string,
  { template_id, template_name, template_version: version }: TemplateChoice,
  channel: Channel | undefined,
): Promise<ReadyTemplate> {
  const id = template_id ?? (await idOfName(app, serviceId, template_name ?? '', channel));
  const newest = templateToSend(await findTemplate(app, serviceId, id));
  if (version === undefined || version === newest.row.version || newest.row.archived) return newest;
  const unknown = () => notFound(`Template ${newest.row.id} has no version ${version}`);
  if (version > newest.row.version || version > maxInteger) throw unknown();
  const earlier = await app.compiledTemplates.findEarlier(serviceId, newest.row.id, version);
  if (earlier.found !== 'here') throw unknown();
  if (earlier.template.row.archived) throw invalid(`Version ${version} of template ${newest.row.id} is archived`);
  return earlier.template;
}

async function idOfName(app: Deps, serviceId: string, name: string, channel: Channel | undefined): Promise<string> {
  const all = await app.compiledTemplates.findNamed(serviceId, name);
  const ofChannel = all.filter(({ template_type }) => template_type === channel);
  const [first, ...others] = ofChannel.length > 0 ? ofChannel : all;
  if (!first) throw notFound(`No template is called ${shortened(name)}`);
  if (others.length > 0) {
    throw invalid(`${others.length + 1} templates are called ${shortened(name)}: use template_id`);
  }
  return first.id;
}
