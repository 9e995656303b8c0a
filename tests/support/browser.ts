/** A browser without a script: it keeps cookies, follows what it is told to, and sends the forms it was given. */
import assert from 'node:assert/strict';
import { issueSignInLink } from '#features/people/links.ts';
import type { Service } from '../../src/main.ts';
import type { TestService } from './service.ts';

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

export class Browser {
  readonly #jar = new Map<string, string>();
  readonly #service: Pick<Service, 'app'>;
  readonly #address: string;

  constructor({ service }: { readonly service: Pick<Service, 'app'> }, address = '127.0.0.1') {
    this.#service = service;
    this.#address = address;
  }

  /** The `Cookie` header it sends. */
  get cookie(): string {
    return [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  set cookie(header: string) {
    this.#jar.clear();
    for (const part of header.split('; ').filter((text) => text !== '')) this.#keep(part);
  }

  async open(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.#send('GET', path, headers);
  }

  /** Sends the form of `page` whose action is `action`, with its hidden fields and what was typed. */
  async send(page: Page, action: string, typed: Readonly<Record<string, string>> = {}): Promise<Page> {
    const form = new RegExp(`<form[^>]*action="${action}"[^>]*>(.*?)</form>`, 's').exec(page.text)?.[1];
    assert.ok(form !== undefined, `no form for ${action}`);
    const hidden = [...form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    );
    return this.post(action, { ...Object.fromEntries(hidden), ...typed });
  }

  async post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Page> {
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
    return this.#send('POST', path, form, new URLSearchParams(fields).toString());
  }

  async #send(
    method: 'GET' | 'POST',
    url: string,
    headers: Readonly<Record<string, string>>,
    payload?: string,
  ): Promise<Page> {
    const answer = await this.#service.app.inject({
      method,
      url,
      remoteAddress: this.#address,
      headers: { accept: 'text/html', cookie: this.cookie, ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) this.#keep(set);
    const { location } = answer.headers;
    return { status: answer.statusCode, text: answer.body, location, headers: answer.headers };
  }

  #keep(set: string): void {
    const [pair = ''] = set.split(';');
    const at = pair.indexOf('=');
    if (/; Max-Age=0\b/.test(set)) this.#jar.delete(pair.slice(0, at));
    else this.#jar.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

/** The path of a one-time link for the founder, or for someone else. */
export async function signInLink(
  { service }: Pick<TestService, 'service'>,
  userId?: string,
): Promise<string> {
  const person = { userId: userId ?? service.founder.userId };
  const url = await service.database.runTransaction((tx) => issueSignInLink(service.work, tx, person));
  return new URL(url).pathname;
}

/** A browser in which that person is signed in. */
export async function openSignedIn(
  service: Pick<TestService, 'service'>,
  userId?: string,
  address?: string,
): Promise<Browser> {
  const browser = new Browser(service, address);
  const path = await signInLink(service, userId);
  const answer = await browser.send(await browser.open(path), path);
  assert.equal(answer.status, 303, answer.text);
  return browser;
}

/** The token that every form of the session carries. */
export async function readFormToken(browser: Browser): Promise<string> {
  const page = await browser.open('/');
  return /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
}
