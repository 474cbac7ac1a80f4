/** Whether an address below /console is that of a declared page; its query does not matter. */
export function matchesPath(declared: string, address: string): boolean {
  const [path = ''] = address.split('?');
  const pattern = declared.split('/');
  const parts = path.split('/');
  return (
    pattern.length === parts.length && pattern.every((part, index) => part.startsWith(':') || part === parts[index])
  );
}
