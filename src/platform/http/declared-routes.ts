import type { FastifyInstance } from 'fastify';
import { Failure } from '../failure.ts';

export const urlNotFound =
  'The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.';

/**
 * Distinguishes a wrong method (405 with `Allow`) from an unknown path (404). The router does not, so the declared
 * routes are recorded here as segments; `:name` matches any segment, `*` all that follow.
 */
export class DeclaredRoutes {
  private readonly routes: { method: string; segments: string[] }[] = [];

  remember(http: FastifyInstance): void {
    http.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) this.routes.push({ method: name, segments: segmentsOf(url) });
    });
  }

  has(url: string): boolean {
    return this.methodsAt(url).length > 0;
  }

  failureFor(url: string): Failure {
    const methods = this.methodsAt(url);
    return methods.length === 0 ? unknownPath() : wrongMethod(methods);
  }

  private methodsAt(url: string): string[] {
    const segments = segmentsOf(url.split('?')[0] ?? '');
    const found = this.routes.filter(
      ({ segments: declared }) =>
        (declared.length === segments.length || (declared.at(-1) === '*' && declared.length < segments.length)) &&
        declared.every((segment, index) => /^[:*]/.test(segment) || segment === segments[index]),
    );
    return [...new Set(found.map((route) => route.method)), ...(found.length > 0 ? ['OPTIONS'] : [])].sort();
  }
}

export function unknownPath(): Failure {
  return new Failure('not-found', 'NotFoundError', urlNotFound);
}

export function wrongMethod(allowed: string[]): Failure {
  const headers = { allow: allowed.join(', ') };
  const text = 'The method is not allowed for the requested URL.';
  return new Failure('method-not-allowed', 'MethodNotAllowedError', text, { headers });
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}
