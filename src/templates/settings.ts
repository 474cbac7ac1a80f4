import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const templateSettings = {
  hints: setting.flag(
    'HINTS',
    'Whether the editor of templates and `POST /v2/template/check` give advice on wording, links and costs.',
    { fallback: true },
  ),
};

export type TemplateSettings = Values<typeof templateSettings>;
