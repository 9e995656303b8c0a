/** Addresses that come from Stripe and are opened in somebody's browser. */
const LENGTH_MAX = 2_048;

/**
 * The address when it is one to send people to: https, or of the stand-in that the settings name; without a user or a
 * password in it, and short enough for a header. Null otherwise.
 */
export function safeAddress(address: string | null | undefined, apiBase: string | null): string | null {
  if (address === null || address === undefined || address.length > LENGTH_MAX) return null;
  if (/[^\x21-\x7e]/.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  const isStandIn = apiBase !== null && url.origin === new URL(apiBase).origin;
  if (url.protocol !== 'https:' && !isStandIn) return null;
  return url.username === '' && url.password === '' && url.hostname !== '' ? url.href : null;
}
