import { type Installation, keyOf, type ServiceData } from './service-with-data.ts';

/** Requests every GET path of the release's own API document, with the ids of one service. Returns statuses by path. */
export async function readEveryPage(release: Installation, serviceData: ServiceData): Promise<Record<string, number>> {
  const { body } = await release.ask('GET', '/openapi.json', {});
  const paths = Object.keys(body.paths).filter((path) => 'get' in body.paths[path]);
  const query = queryAbout(release.now().toISOString().slice(0, 10));
  const statuses: Record<string, number> = {};
  for (const path of paths) {
    const url = `${fillIn(path, serviceData)}?${query}`;
    const response = path.startsWith('/v2')
      ? await release.ask('GET', url, keyOf(serviceData))
      : await release.admin('GET', url);
    statuses[path] = response.status;
  }
  return statuses;
}

/** Returns the path with the ids of a service. */
export function fillIn(path: string, { ids }: Pick<ServiceData, 'ids'>): string {
  const values: Record<string, string | undefined> = {
    ...{
      ...ids,
      id: ids.template_id,
      version: '1',
      file_type: 'pdf',
      notification_type: 'sms',
      id_or_token: ids.invite_id,
    },
    ...(/preview\/|pdf$/.test(path) ? { notification_id: ids.letter_id, template_id: ids.letter_template_id } : {}),
    ...(path.includes('email_file') ? { template_id: ids.email_template_id } : {}),
    ...(path.includes('organisation/')
      ? { invite_id: ids.organisation_invite_id, id_or_token: ids.organisation_invite_id }
      : {}),
  };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'unknown');
}

/** Returns one query for all pages, because each ignores the parameters that it does not have. */
export function queryAbout(day: string): URLSearchParams {
  return new URLSearchParams({
    ...{
      start_date: day,
      end_date: day,
      reported_at: day,
      year: '2024',
      financial_year_start: '2024',
      whole_days: '1',
    },
    ...{ name: 'day', domain: 'day-1.example.org', service_name: 'day', sender_id: 'DESK' },
  });
}
