/** Secrets and headers of endpoints as the database keeps them. */
import type { Sealer } from '#core/sealer.ts';
import type { ClaimedDelivery } from './claim-store.ts';

export function sealHeaders(sealer: Sealer, headers: Readonly<Record<string, string>>): string {
  return sealer.seal(JSON.stringify(headers));
}

/** Opens sealed headers; none where nothing was sealed. */
export function readHeaders(sealer: Sealer, sealed: string | null): Record<string, string> {
  if (sealed === null) return {};
  const opened: unknown = JSON.parse(sealer.open(sealed));
  if (typeof opened !== 'object' || opened === null) throw new Error('the sealed headers are no object');
  return Object.fromEntries(Object.entries(opened).map(([name, value]) => [name, String(value)]));
}

/** Whose secret signs a delivery. */
export const signers = [
  'experiment',
  'endpoint',
  'endpoint_previous',
  'organization',
  'organization_previous',
  'deployment',
] as const;
export type Signer = (typeof signers)[number];

export interface SigningSecret {
  readonly of: Signer;
  readonly secret: string;
}

type Secrets = Pick<
  ClaimedDelivery,
  | 'webhook_id'
  | 'sealed_experiment_secret'
  | 'plain_experiment_secret'
  | 'organization_secret'
  | 'organization_previous_secret'
  | 'organization_previous_until'
  | 'sealed_secret'
  | 'sealed_previous_secret'
  | 'previous_secret_until'
>;

/**
 * Returns the secrets that sign a delivery: that of the experiment before that of the organization, and this before that
 * of the deployment; a secret that was rolled signs beside the new one until its time is over.
 */
export function readSecrets(
  sealer: Sealer,
  delivery: Secrets,
  { deploymentSecret, at }: { readonly deploymentSecret: string | null; readonly at: Date },
): readonly SigningSecret[] {
  const { sealed_experiment_secret: ofExperiment, plain_experiment_secret: plain } = delivery;
  if (delivery.webhook_id === null && ofExperiment !== null)
    return [{ of: 'experiment', secret: sealer.open(ofExperiment) }];
  if (delivery.webhook_id === null && plain !== null) return [{ of: 'experiment', secret: plain }];
  const { sealed_secret: own, organization_secret: shared } = delivery;
  if (own !== null) {
    const { sealed_previous_secret: previous, previous_secret_until: until } = delivery;
    return openBoth(sealer, ['endpoint', own], ['endpoint_previous', choosePrevious(previous, until, at)]);
  }
  if (shared !== null) {
    const { organization_previous_secret: previous, organization_previous_until: until } = delivery;
    return openBoth(
      sealer,
      ['organization', shared],
      ['organization_previous', choosePrevious(previous, until, at)],
    );
  }
  return deploymentSecret === null ? [] : [{ of: 'deployment', secret: deploymentSecret }];
}

function choosePrevious(previous: string | null, until: string | null, at: Date): string | null {
  return until !== null && Date.parse(until) > at.getTime() ? previous : null;
}

function openBoth(sealer: Sealer, ...kept: readonly (readonly [Signer, string | null])[]): SigningSecret[] {
  return kept.flatMap(([of, sealed]) => (sealed === null ? [] : [{ of, secret: sealer.open(sealed) }]));
}
