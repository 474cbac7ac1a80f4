/** The same server, another database. (Not through URL: an address of a socket folder has no host part.) */
export function databaseNamed(url: string, name: string): string {
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`);
}
