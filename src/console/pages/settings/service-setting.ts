import type { Static, TObject } from 'typebox';
import { type Text, t } from '../../../language/text.ts';
import type { Service } from '../../../services/services.ts';
import type { OfService } from '../../access/may.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { addSettingPage, type Setting } from '../../setting-page.tsx';

/** Who changes a setting: the team, or the operator for it. */
export const team = { service: 'manage' } as const;
export const operator = { service: 'any', platformAdminsOnly: true } as const;

export function settingsOf(service: { id: string }): string {
  return `/services/${service.id}/settings`;
}

interface ServiceSetting<S extends TObject> extends Setting<Service, S> {
  who: OfService;
  /** Returns what to say when it is not "saved". */
  save(service: Service, form: Static<S>, request: PageRequest<OfService>): Promise<Text | undefined>;
}

/** A setting of a service. Its path is below the settings. */
export function addServiceSetting<S extends TObject>(pages: Pages, setting: ServiceSetting<S>): void {
  addSettingPage(pages, {
    ...setting,
    path: `/services/:service_id/settings/${setting.path}`,
    below: 'Settings',
    owner: ({ service }) => service,
    summary: (service) => ({ label: t('Settings'), to: settingsOf(service) }),
  });
}

/** The permissions of a service with one more or less. */
export function withPermission(service: Pick<Service, 'permissions'>, name: string, isOn: boolean): string[] {
  const others = service.permissions.filter((permission) => permission !== name);
  return isOn ? [...others, name] : others;
}
