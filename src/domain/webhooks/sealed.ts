/** Secrets and headers of endpoints as the database keeps them. */
import type { Sealer } from '#core/sealer.ts';
import type { ClaimedDelivery } from './delivery-store.ts';

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

type Secrets = Pick<
  ClaimedDelivery,
  | 'webhook_id'
  | 'experiment_secret'
  | 'organization_secret'
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
): readonly string[] {
  if (delivery.webhook_id === null && delivery.experiment_secret !== null)
    return [delivery.experiment_secret];
  const sealed = delivery.sealed_secret ?? delivery.organization_secret;
  if (sealed === null) return deploymentSecret === null ? [] : [deploymentSecret];
  const { sealed_previous_secret: previous, previous_secret_until: until } = delivery;
  const isOverlapping = previous !== null && until !== null && Date.parse(until) > at.getTime();
  return [sealed, ...(isOverlapping ? [previous] : [])].map((text) => sealer.open(text));
}
