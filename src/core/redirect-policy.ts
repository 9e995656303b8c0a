/**
 * Addresses that may receive the code of a program: the machine itself (RFC 8252 §7.3), web pages and apps that the
 * operator lists. Registration is open to everybody, so nothing else may send a person's code anywhere.
 */

export interface RedirectPolicy {
  /** Hosts, or hosts with a path, such as `agent.example` or `editor.example/redirect`; one with a slash at its end covers every path below. */
  readonly pages: readonly string[];
  /** Schemes of apps without the colon, such as `editor` for `editor://callback`. */
  readonly schemes: ReadonlySet<string>;
}

export type RedirectKind = 'loopback' | 'page' | 'app';
export type ClassifiedRedirect =
  { readonly kind: RedirectKind } | { readonly kind: 'refused'; readonly reason: string };

const LENGTH_MAX = 2_000;
/** As it is written: other spellings of the address, such as 127.1, are no loopback redirects. */
const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{0,5}))?(?=[/?]|$)/i;
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Schemes that a browser or an operating system acts on by itself; no setting allows them. */
const DANGEROUS =
  /^(?:https?|wss?|ftps?|file|data|javascript|vbscript|blob|about|filesystem|view-source|mailto|tel|sms|intent|jar|resource|shell|chrome.*|edge|moz-.*|ms-.*|search.*|ssh|telnet|ldaps?|gopher|cid|mid)$/;

/** An escaped dot, slash, backslash or percent sign: a server that decodes it may leave the listed path. */
const ESCAPED_SIGN = /%(?:2e|2f|5c|25)/i;

export function isDangerousScheme(scheme: string): boolean {
  return DANGEROUS.test(scheme);
}

export function classifyRedirect(uri: unknown, policy: RedirectPolicy): ClassifiedRedirect {
  if (typeof uri !== 'string' || uri.length > LENGTH_MAX) return refuse('it is no address');
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\') || !URL.canParse(uri))
    return refuse('it is no absolute address');
  const url = new URL(uri);
  if (url.username !== '' || url.password !== '') return refuse('it has a user name');
  if (uri.includes('#')) return refuse('it has a fragment');
  if (LOOPBACK.test(uri)) return { kind: 'loopback' };
  if (url.protocol === 'https:') return classifyPage(url, policy);
  if (url.protocol === 'http:')
    return refuse('http goes to this machine only (127.0.0.1, [::1] or localhost)');
  const scheme = url.protocol.slice(0, -1);
  if (isDangerousScheme(scheme)) return refuse(`the scheme ${scheme} is never allowed`);
  return policy.schemes.has(scheme)
    ? { kind: 'app' }
    : refuse(`the operator of this service has not listed the scheme ${scheme}`);
}

function classifyPage(url: URL, { pages }: RedirectPolicy): ClassifiedRedirect {
  const isListed = pages.some((entry) => {
    const slash = entry.indexOf('/');
    if (slash < 0) return url.host === entry;
    if (url.host !== entry.slice(0, slash)) return false;
    const path = entry.slice(slash);
    if (!path.endsWith('/')) return url.pathname === path;
    return url.pathname.startsWith(path) && !ESCAPED_SIGN.test(url.pathname);
  });
  return isListed && !LOOPBACK_HOSTS.has(url.hostname)
    ? { kind: 'page' }
    : refuse(`the operator of this service has not listed ${url.host}${url.pathname}`);
}

function refuse(reason: string): ClassifiedRedirect {
  return { kind: 'refused', reason };
}

/** Whether a program registered this address. Only the port of the machine itself may differ (RFC 8252 §7.3). */
export function isRegisteredRedirect(registered: readonly string[], address: string): boolean {
  const withoutPort = removeLoopbackPort(address);
  return registered.some(
    (uri) => uri === address || (withoutPort !== undefined && removeLoopbackPort(uri) === withoutPort),
  );
}

function removeLoopbackPort(uri: string): string | undefined {
  return LOOPBACK.test(uri) ? uri.replace(LOOPBACK, (start) => start.replace(/:\d*$/, '')) : undefined;
}
