import type { Clock } from '../../../platform/clock.ts';
import { awsCredentials, NoAwsCredentials } from '../../../platform/storage/aws-credentials.ts';
import { signedHeaders } from '../../../platform/storage/aws-signature.ts';
import type { Outcome } from '../provider.ts';

interface AwsSettings {
  region: string;
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
}

type AwsRequest = Parameters<typeof signedHeaders>[1];

/** Signs the requests of a provider to one AWS service, with the access key of its settings or the default credentials of the process. */
export function awsSigner({ settings, clock }: { settings: AwsSettings; clock: Clock }, service: string) {
  const { region, accessKeyId, secretAccessKey } = settings;
  const credentials = awsCredentials({
    region,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
  });
  const sign = async (request: AwsRequest) =>
    signedHeaders({ region, service, ...(await credentials()) }, request, clock.now());
  return {
    sign,
    /** Without credentials the message is retried: an operator may add them meanwhile. */
    async signToSend(
      request: AwsRequest,
    ): Promise<{ headers: Record<string, string> } | { failed: Outcome & { kind: 'retry' } }> {
      try {
        return { headers: await sign(request) };
      } catch (error) {
        if (!(error instanceof NoAwsCredentials)) throw error;
        return { failed: { kind: 'retry', reason: error.message } };
      }
    },
  };
}

/** Returns what an operator must correct if AWS rejects a signature. */
export function credentialAdvice({ accessKeyId }: AwsSettings, prefix: string): string {
  const names = `${prefix}_ACCESS_KEY_ID and ${prefix}_SECRET_ACCESS_KEY`;
  return `correct ${accessKeyId === undefined ? 'the AWS credentials' : names}, and the clock`;
}
