import { OperatorError } from '../failure.ts';

export interface AwsCredentials {
  access_key_id: string;
  secret_access_key: string;
  /** Present only for temporary credentials. */
  session_token?: string | undefined;
}

/** Returns valid credentials; temporary ones are refreshed five minutes before they expire. */
export type AwsCredentialSource = () => Promise<AwsCredentials>;

interface Given {
  region: string;
  access_key_id: string | undefined;
  secret_access_key: string | undefined;
}

/**
 * Returns the given access key, or else what AWS's own tools would find: environment, profile, web identity, container role or instance
 * role. The library for that is loaded only then, because it takes 160 ms and 12 MB.
 */
export function awsCredentials({ region, access_key_id, secret_access_key }: Given): AwsCredentialSource {
  if (access_key_id !== undefined && secret_access_key !== undefined) {
    const given = { access_key_id, secret_access_key };
    return async () => given;
  }
  let loading: ReturnType<typeof loadProvider> | undefined;
  return async () => {
    loading ??= loadProvider(region);
    const provider = await loading;
    try {
      const { accessKeyId, secretAccessKey, sessionToken } = await provider();
      return { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new NoAwsCredentials(`There are no AWS credentials (${reason}): ${advice}`, { cause: error });
    }
  };
}

export class NoAwsCredentials extends OperatorError {}

const advice =
  'set an access key, or let this process use an AWS profile, a web identity, or the role of its container or instance';

async function loadProvider(region: string) {
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  return defaultProvider({ clientConfig: { region } });
}
