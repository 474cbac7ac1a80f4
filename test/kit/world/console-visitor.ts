import type { Harness } from '../harness.ts';

export interface Page {
  status: number;
  text: string;
  /** Where a redirect leads. */
  location: string | undefined;
  headers: Record<string, string | string[] | number | undefined>;
  /** The one heading of the page. */
  h1: string;
  /** The texts of the error summary, by field. */
  problems: Record<string, string>;
}

/** A person with a browser that keeps cookies and follows no redirects. Calls the console without a network. */
export class ConsoleVisitor {
  readonly cookies = new Map<string, string>();
  private readonly request: Harness['request'];

  constructor(harness: Pick<Harness, 'request'>, address = '127.0.0.1') {
    this.request = (options) => harness.request({ ...options, remoteAddress: address });
  }

  get(url: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.call('GET', url, headers);
  }

  post(url: string, form: Record<string, string | string[]> = {}, headers?: Record<string, string>): Promise<Page> {
    const fields = Object.entries(form).flatMap(([name, value]) => [value].flat().map((text) => [name, text]));
    const sent = headers ?? { 'sec-fetch-site': 'same-origin' };
    const payload = new URLSearchParams(fields as [string, string][]).toString();
    return this.call('POST', url, { 'content-type': 'application/x-www-form-urlencoded', ...sent }, payload);
  }

  /** Sends a form with a file, as browsers do: the file last. */
  async postFile(
    url: string,
    form: Record<string, string>,
    { field, name, content }: { field: string; name: string; content: string | Uint8Array<ArrayBuffer> },
    headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<Page> {
    const data = new FormData();
    for (const [key, value] of Object.entries(form)) data.append(key, value);
    data.append(field, new Blob([content]), name);
    const encoded = new Response(data);
    const payload = Buffer.from(await encoded.arrayBuffer());
    return this.call('POST', url, { 'content-type': encoded.headers.get('content-type') ?? '', ...headers }, payload);
  }

  /** Opens what a redirect leads to. */
  async follow(page: Page): Promise<Page> {
    if (page.location === undefined) throw new Error(`No redirect: ${page.status} ${page.h1}`);
    return this.get(page.location);
  }

  private async call(
    method: 'GET' | 'POST',
    url: string,
    headers: Record<string, string>,
    payload?: string | Buffer,
  ): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.request({
      method,
      url,
      headers: { accept: 'text/html', ...(cookie ? { cookie } : {}), ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat().map(String)) this.keep(line);
    return {
      status: answer.status,
      text: answer.text,
      location: answer.headers.location as string | undefined,
      headers: answer.headers,
      h1: textOf(/<h1>(.*?)<\/h1>/s.exec(answer.text)?.[1] ?? ''),
      problems: problemsIn(answer.text),
    };
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split('=');
    const isOver = attributes.some((attribute) => /^(Max-Age=0|Expires=Thu, 01 Jan 1970)/i.test(attribute));
    if (isOver || value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function problemsIn(html: string): Record<string, string> {
  const summary = /<div class="error-summary".*?<\/ul>/s.exec(html)?.[0] ?? '';
  const items = [...summary.matchAll(/<li>(?:<a href="#(\w+)">)?(.*?)(?:<\/a>)?<\/li>/gs)];
  return Object.fromEntries(items.map(([, field = '', text = '']) => [field, textOf(text)]));
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
