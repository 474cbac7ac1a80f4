import type { Http, Surface } from './surface.ts';

interface Listener {
  http: Http;
  port: number;
  host: string;
}

interface Places {
  port: number;
  host: string;
  /** 0: one server for everything. */
  adminPort: number;
  adminHost?: string | undefined;
}

/** One server, or a second one for the internal network of the operator. */
export async function buildListeners<App>(
  surfaces: Surface<App>[],
  { port, host, adminPort, adminHost = host }: Places,
  buildHttp: (served: Surface<App>[]) => Promise<Http>,
): Promise<Listener[]> {
  // Declaring a few hundred routes blocks the event loop for a while: do it before accepting requests.
  const build = async (served: Surface<App>[]) => {
    const http = await buildHttp(served);
    await http.ready();
    return http;
  };
  if (adminPort === 0) return [{ http: await build(surfaces), port, host }];
  return [
    { http: await build(surfaces.filter((surface) => surface.port !== 'admin')), port, host },
    { http: await build(surfaces.filter((surface) => surface.port)), port: adminPort, host: adminHost },
  ];
}
