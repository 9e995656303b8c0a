/** Where programs that sign in as an agent may have their codes sent: the whole policy of the operator. */
import { isDangerousScheme, type RedirectPolicy } from '#core/redirect-policy.ts';
import { parseList, type ReadText, SettingsError, type Setting } from './setting.ts';

/** The callback pages of widespread editors and agents. */
const PAGES = [
  'vscode.dev/redirect',
  'insiders.vscode.dev/redirect',
  'cursor.com/agents/mcp/oauth/callback',
  'www.cursor.com/agents/mcp/oauth/callback',
  'claude.ai/api/mcp/auth_callback',
  'claude.com/api/mcp/auth_callback',
  'chatgpt.com/connector_platform_oauth_redirect',
  'chatgpt.com/connector/oauth/',
];

const SCHEMES = [
  'cursor',
  'vscode',
  'vscode-insiders',
  'vscodium',
  'windsurf',
  'zed',
  'warp',
  'kiro',
  'trae',
];

export const oauthSettingList: readonly Setting[] = [
  {
    name: 'OAUTH_REDIRECT_HOSTS',
    fallback: PAGES.join(','),
    meaning:
      'web pages, as host or host/path, separated by commas, that may receive the codes of agents; none: no page',
  },
  {
    name: 'OAUTH_REDIRECT_SCHEMES',
    fallback: SCHEMES.join(','),
    meaning:
      'schemes of apps, such as vscode for vscode://…, that may receive the codes of agents; none: no app',
  },
];

export function readRedirectPolicy(readText: ReadText): RedirectPolicy {
  return {
    pages: splitList(readText('OAUTH_REDIRECT_HOSTS')).map(checkPage),
    schemes: new Set(splitList(readText('OAUTH_REDIRECT_SCHEMES')).map(checkScheme)),
  };
}

function splitList(value: string): string[] {
  if (value.trim().toLowerCase() === 'none') return [];
  return parseList(value);
}

function checkPage(entry: string): string {
  const slash = entry.indexOf('/');
  const host = (slash < 0 ? entry : entry.slice(0, slash)).toLowerCase();
  const path = slash < 0 ? '' : entry.slice(slash);
  const address = `https://${host}${path}`;
  const isPage =
    URL.canParse(address) &&
    new URL(address).host === host &&
    (path === '' || new URL(address).pathname === path);
  if (!isPage)
    throw new SettingsError(
      `OAUTH_REDIRECT_HOSTS must list host names such as agent.example, or pages such as agent.example/callback; it has "${entry}".`,
    );
  return host + path;
}

function checkScheme(entry: string): string {
  const scheme = entry.toLowerCase();
  if (!/^[a-z][a-z0-9+.-]*$/.test(scheme))
    throw new SettingsError(
      `OAUTH_REDIRECT_SCHEMES must list schemes without the colon, such as vscode; it has "${entry}".`,
    );
  if (isDangerousScheme(scheme))
    throw new SettingsError(
      `OAUTH_REDIRECT_SCHEMES must not list ${scheme}: a browser or an operating system would act on the address.`,
    );
  return scheme;
}
