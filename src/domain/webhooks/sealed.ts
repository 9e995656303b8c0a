/** Secrets and headers of endpoints as the database keeps them. */
import type { Sealer } from '#core/sealer.ts';

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
