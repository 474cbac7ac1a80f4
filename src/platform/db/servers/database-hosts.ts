/** Captures everything before the hosts, the hosts, the path, and the parameters. */
const pattern = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/;

/** Writes need the primary; some reads may use a standby. */
export type ServerRole = 'primary' | 'standby';

/** The values of libpq's `target_session_attrs` that suit the role. */
const attributes: Record<ServerRole, { allowed: string[]; refusal: string }> = {
  primary: {
    allowed: ['any', 'read-write', 'primary'],
    refusal: 'must not ask for a standby: set target_session_attrs=read-write, or leave it out',
  },
  standby: {
    allowed: ['any', 'read-only', 'standby', 'prefer-standby'],
    refusal: 'must not ask for the primary: set target_session_attrs=standby, or leave it out',
  },
};

/**
 * Returns one URL for each host of a database URL, because the driver supports only one host. Hosts are listed as in libpq:
 * `h1:5432,h2:5432` or `host=h1,h2&port=5432,5433`. Throws an Error whose message completes "<NAME> ...".
 */
export function urlsOfHosts(url: string, role: ServerRole = 'primary'): string[] {
  const [, before = '', hosts = '', path = '', query = ''] = pattern.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get('target_session_attrs') ?? 'any';
  if (!attributes[role].allowed.includes(wanted)) throw new Error(attributes[role].refusal);
  const listed = parameters.get('host')?.split(',') ?? [];
  if (listed.length > 1) return urlsOfParameters(`${before}${hosts}${path}`, parameters, listed);
  if (!hosts.includes(',')) return [url];
  return split(hosts).map((host) => `${before}${host}${path}${query && `?${query}`}`);
}

function urlsOfParameters(base: string, parameters: URLSearchParams, listed: string[]): string[] {
  const hosts = split(listed.join(','));
  const ports = (parameters.get('port') ?? '5432').split(',');
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new Error(`names ${hosts.length} hosts and ${ports.length} ports; give one port for all, or one for each`);
  }
  return hosts.map((host, index) => {
    const own = new URLSearchParams(parameters);
    own.set('host', host);
    own.set('port', ports[index] ?? ports[0] ?? '');
    return `${base}?${own}`;
  });
}

function split(list: string): string[] {
  const hosts = list.split(',');
  if (hosts.includes('')) throw new Error('names an empty host: there is a comma too many');
  return hosts;
}
