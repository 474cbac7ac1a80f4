/** The same server, another database. Does not use URL, because the URL of a socket folder has no host. */
export function databaseNamed(url: string, name: string): string {
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`);
}
