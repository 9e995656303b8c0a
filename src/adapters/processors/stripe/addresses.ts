/** Checks addresses from Stripe that browsers open. */
const LENGTH_MAX = 2_048;

/**
 * Returns the address if people may be sent to it: https, or the configured stand-in; no user or password; short
 * enough for a header. Otherwise null.
 */
export function toSafeAddress(address: string | null | undefined, apiBase: string | null): string | null {
  if (address === null || address === undefined || address.length > LENGTH_MAX) return null;
  if (/[^\x21-\x7e]/.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  const isStandIn = apiBase !== null && url.origin === new URL(apiBase).origin;
  if (url.protocol !== 'https:' && !isStandIn) return null;
  return url.username === '' && url.password === '' && url.hostname !== '' ? url.href : null;
}
