/** OAuth by hand, one request at a time, so that a test can do each of them wrongly. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFormToken, openSignedIn, type Browser, type Page } from './browser.ts';
import { getText, type TestAnswer, type TestService } from './service.ts';

export const REDIRECT = 'http://127.0.0.1:33418/callback';

type Fields = Readonly<Record<string, string>>;

export interface Dance {
  readonly clientId: string;
  readonly verifier: string;
  /** Where the browser is sent with the code. */
  readonly callback: URL;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
}

export class OAuth {
  readonly #service: Pick<TestService, 'service'>;
  readonly base: string;
  #addresses = 0;

  constructor(service: Pick<TestService, 'service'>) {
    this.#service = service;
    this.base = service.service.work.site.baseUrl;
  }

  get resource(): string {
    return `${this.base}/mcp/`;
  }

  /** Each time from an address of its own, which no limit knows yet. */
  async post(
    path: string,
    body: string,
    type: string,
    remoteAddress = this.takeAddress(),
    more: Fields = {},
  ): Promise<TestAnswer> {
    const answer = await this.#service.service.app.inject({
      method: 'POST',
      url: path,
      remoteAddress,
      headers: { 'content-type': type, ...more },
      payload: body,
    });
    const text = answer.body;
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
    );
    return { status: answer.statusCode, text, headers, body: text.startsWith('{') ? JSON.parse(text) : {} };
  }

  takeAddress(): string {
    this.#addresses += 1;
    return `10.${Math.floor(this.#addresses / 250)}.0.${this.#addresses % 250}`;
  }

  register(metadata: object = {}, address?: string): Promise<TestAnswer> {
    const body = { client_name: 'A tool', redirect_uris: [REDIRECT], ...metadata };
    return this.post('/auth/oauth2/register', JSON.stringify(body), 'application/json', address);
  }

  async createClient(): Promise<string> {
    const made = await this.register();
    assert.ok(made.status < 300, made.text);
    return getText(made.body.client_id);
  }

  requestToken(fields: Fields): Promise<TestAnswer> {
    const body = new URLSearchParams(fields).toString();
    return this.post('/auth/oauth2/token', body, 'application/x-www-form-urlencoded');
  }

  openBrowser(userId?: string): Promise<Browser> {
    return openSignedIn(this.#service, userId, this.takeAddress());
  }

  /** The request that a client sends the browser with; fields that are undefined are left out. */
  authorizePath(
    clientId: string,
    verifier: string,
    change: Readonly<Record<string, string | undefined>> = {},
  ): string {
    const fields: Readonly<Record<string, string | undefined>> = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'a-state',
      scope: 'read write',
      resource: this.resource,
      ...change,
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value);
    return `/auth/oauth2/authorize?${query.toString()}`;
  }

  /** The consent page that the browser is led to. */
  async openConsentPage(
    browser: Browser,
    path: string,
  ): Promise<{ readonly page: Page; readonly query: string }> {
    const sent = await browser.open(path);
    assert.equal(sent.status, 303, sent.text);
    const consent = new URL(sent.location ?? '', this.base);
    assert.equal(consent.pathname, '/oauth/consent');
    return { page: await browser.open(consent.pathname + consent.search), query: consent.search.slice(1) };
  }

  async giveConsent(browser: Browser, query: string, typed: Fields = {}): Promise<Page> {
    const fields = {
      form_token: await readFormToken(browser),
      oauth_query: query,
      organization_id: this.#service.service.founder.organizationId,
      intent: 'allow',
      right: /(?:^|&)scope=[^&]*write/.test(query) ? 'order' : 'read',
      no_limit: 'yes',
      experiments: 'all',
      lifetime: 'session',
      ...typed,
    };
    return browser.post('/oauth/consent', fields, { 'sec-fetch-site': 'same-origin' });
  }

  async runDance(
    browser: Browser,
    typed: Fields = {},
    change: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Dance> {
    const clientId = await this.createClient();
    const verifier = randomBytes(32).toString('base64url');
    const { query } = await this.openConsentPage(browser, this.authorizePath(clientId, verifier, change));
    const decided = await this.giveConsent(browser, query, typed);
    assert.equal(decided.status, 303, decided.text);
    return { clientId, verifier, callback: new URL(decided.location ?? '') };
  }

  redeem({ clientId, verifier, callback }: Dance, change: Fields = {}): Promise<TestAnswer> {
    return this.requestToken({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
      resource: this.resource,
      ...change,
    });
  }

  async redeemTokens(dance: Dance): Promise<Tokens> {
    const redeemed = await this.redeem(dance);
    assert.equal(redeemed.status, 200, redeemed.text);
    return { access: getText(redeemed.body.access_token), refresh: getText(redeemed.body.refresh_token) };
  }

  refresh({ clientId }: Dance, refresh: string): Promise<TestAnswer> {
    return this.requestToken({
      grant_type: 'refresh_token',
      refresh_token: refresh,
      client_id: clientId,
      resource: this.resource,
    });
  }

  /** Calls a tool, and answers the status of HTTP and the text. */
  async call(token: string, name = 'whoami', args: object = {}, path = '/mcp/'): Promise<TestAnswer> {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    return this.post(path, JSON.stringify(message), 'application/json', this.takeAddress(), {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
    });
  }
}
