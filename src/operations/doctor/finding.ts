export interface Finding {
  name: string;
  ok: boolean;
  /** The result, and if there is a problem, how to fix it. */
  description: string;
  /** Of a check of a provider. */
  provider?: string;
}

/** A database of the installation. */
export interface Checked {
  url: string;
  /** How many servers its setting names. */
  hosts: number;
  setting: string;
  /** Before the names of its findings. */
  of: string;
}

export function finding(name: string, ok: boolean, found: string, todo = ''): Finding {
  return { name, ok, description: ok ? found : `${found}: ${todo}` };
}
