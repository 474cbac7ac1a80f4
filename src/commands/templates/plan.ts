import type { FileProblem } from './settings-reader.ts';
import {
  differingFields,
  type LocalTemplate,
  type ServerTemplate,
  type TemplateChange,
  type TemplateServer,
} from './template.ts';

export interface PlannedChange extends TemplateChange {
  action: 'create' | 'change' | 'archive' | 'restore';
  /** Undefined for a template without a file. */
  local: LocalTemplate | undefined;
}

/** The changes that a push would make. */
export interface Plan {
  changes: PlannedChange[];
  unchanged: { local: LocalTemplate; stored: ServerTemplate }[];
  /** Templates that have no file. */
  onlyOnServer: ServerTemplate[];
  /** Problems of files that cannot be pushed to this service. */
  problems: FileProblem[];
  /** Conflicts with templates that were changed on the server since they were pulled. */
  conflicts: FileProblem[];
}

interface PlanOptions {
  force: boolean;
  prune: boolean;
  /** Treats files with an id that the service does not have as new templates, from another service. */
  createUnknown?: boolean;
  /** Whether these new templates keep the ids in their files. */
  keepIds?: boolean;
}

export async function makePlan(
  templates: LocalTemplate[],
  server: TemplateServer,
  { force, prune, createUnknown = false, keepIds = false }: PlanOptions,
): Promise<Plan> {
  const listed = await server.list();
  const planner = new Planner(listed, server, { force, createUnknown, keepIds });
  for (const template of templates) await planner.add(template);
  const { plan, known } = planner;
  const onlyOnServer = listed.filter(({ id }) => !known.has(id));
  const archived = prune ? onlyOnServer.map(archiving) : [];
  return { ...plan, changes: [...plan.changes, ...archived], onlyOnServer };
}

function archiving(before: ServerTemplate): PlannedChange {
  const fields = { ...before.fields, archived: true };
  return { action: 'archive', local: undefined, before, fields, names: ['archived'] };
}

class Planner {
  readonly plan: Omit<Plan, 'onlyOnServer'> = { changes: [], unchanged: [], problems: [], conflicts: [] };
  /** The ids of templates that have a file. */
  readonly known = new Set<string>();
  private readonly listed: ServerTemplate[];
  private readonly byId: Map<string, ServerTemplate>;
  private readonly server: TemplateServer;
  private readonly options: { force: boolean; createUnknown: boolean; keepIds: boolean };

  constructor(listed: ServerTemplate[], server: TemplateServer, options: Planner['options']) {
    this.listed = listed;
    this.byId = new Map(listed.map((template) => [template.id, template]));
    this.server = server;
    this.options = options;
  }

  async add(local: LocalTemplate): Promise<void> {
    if (local.id === undefined) return this.addNew(local);
    const before = this.byId.get(local.id) ?? (await this.server.find(local.id));
    if (!before && this.options.createUnknown) return this.addNew(local);
    if (!before) {
      return this.refuse(local, `The service has no template ${local.id}: use --new to create it`);
    }
    this.known.add(before.id);
    this.compare(local, before);
  }

  private compare(local: LocalTemplate, before: ServerTemplate): void {
    const { fields } = local;
    const names = differingFields(fields, before.fields);
    // Other changes do not matter while a template stays archived, because nobody can send it.
    if (names.length === 0 || (fields.archived && before.fields.archived)) {
      this.plan.unchanged.push({ local, stored: before });
    } else if (names.includes('channel')) {
      this.refuse(local, `The channel cannot change: on the server it is ${before.fields.channel}`);
    } else if (local.version !== before.version && !this.options.force) {
      this.plan.conflicts.push({ path: local.path, line: 1, message: conflictText(local, before) });
    } else {
      this.plan.changes.push({ action: actionOf(local, before), local, before, fields, names });
    }
  }

  private addNew(local: LocalTemplate): void {
    const { fields } = local;
    // A kept id identifies the template, so names do not matter.
    const id = this.options.keepIds ? local.id : undefined;
    const namesakes = this.listed.filter(
      ({ fields: other }) => other.name === fields.name && other.channel === fields.channel && id === undefined,
    );
    // An interrupted push may have created it.
    const same = namesakes.find(({ fields: other }) => differingFields(fields, other).length === 0);
    const [namesake] = namesakes;
    if (same) {
      this.known.add(same.id);
      this.plan.unchanged.push({ local, stored: same });
    } else if (namesake) {
      this.refuse(
        local,
        `The server has another template of this name and channel: pull, or add id: ${namesake.id} and version: ${namesake.version}`,
      );
    } else if (fields.archived) {
      this.refuse(local, 'A new template cannot be archived');
    } else {
      this.plan.changes.push({ action: 'create', local, before: undefined, fields, names: differingFromNothing, id });
    }
  }

  private refuse({ path }: LocalTemplate, message: string): void {
    this.plan.problems.push({ path, line: 1, message });
  }
}

/** A new template includes all fields; the server may refuse the sender. */
const differingFromNothing: TemplateChange['names'] = ['name', 'content', 'sender'];

function actionOf({ fields }: LocalTemplate, before: ServerTemplate): PlannedChange['action'] {
  if (fields.archived) return 'archive';
  return before.fields.archived ? 'restore' : 'change';
}

function conflictText({ version }: LocalTemplate, { version: newest, fields }: ServerTemplate): string {
  const now = fields.archived ? `archived it (version ${newest})` : `made version ${newest}`;
  if (version === undefined) return `The file does not say which version it changes: the server has version ${newest}`;
  return `The file has version ${version}, but somebody ${now} on the server`;
}
