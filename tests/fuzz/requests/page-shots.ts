/** Requests to the pages: every route with what people and scanners put into addresses, and forms as pages gave them. */
import type { FastifyInstance } from 'fastify';
import { openSignedIn } from '#testing/browser.ts';
import type { TestService } from '#testing/service.ts';
import { parseClaims, type Caller, type Callers } from './callers.ts';
import type { Chance } from './chance.ts';
import { hostileNames, hostileTexts, oddHeaders, pathPieces, queryValues, contentTypes } from './hostile.ts';
import type { Draft } from './mutate.ts';
import type { Pool } from './pool.ts';
import { encode } from './rest-shots.ts';
import { OWN_PROTEIN, OWN_WORDS, PASSWORD } from './words.ts';

export interface PageRoute {
  readonly path: string;
  readonly methods: readonly string[];
}

/** Routes that programs ask, and streams, which have no end; everything else is for people. */
const FOR_PROGRAMS = /^\/(?:api|mcp|processor|files|live|lab\/live|\.well-known)(?:\/|$)/;

/** What the service serves beside the operations, read from its own table of routes. */
export async function listPageRoutes(app: FastifyInstance): Promise<PageRoute[]> {
  const served = app.listRoutes();
  return served
    .map(({ url, methods, answersHead }) => ({
      path: url,
      methods: answersHead ? [...methods, 'HEAD'] : methods,
    }))
    .filter(({ path }) => !FOR_PROGRAMS.test(path) || path.startsWith('/files'));
}

export interface Form {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, values: readonly string[]])[];
}

const FORMS_KEPT = 40;

/** Somebody with a browser: a session, and the forms of the pages that were shown in it. */
export class Visitor {
  readonly #service: TestService;
  readonly #callers: Callers;
  /** Of the caller whose person it is. */
  readonly name: string;
  readonly forms: Form[] = [];
  #person: Caller;
  #cookie = '';
  #logins = 0;

  constructor(service: TestService, callers: Callers, name: string) {
    this.#service = service;
    this.#callers = callers;
    this.name = name;
    this.#person = callers.getCaller(name);
  }

  /** Signs in, again where the session has ended; returns the cookie it sends from then on. */
  async signIn(): Promise<string | undefined> {
    this.#person = this.#callers.getCaller(this.name);
    const userId = parseClaims(this.#person.token ?? '')?.sub;
    if (userId === undefined) return undefined;
    this.#logins += 1;
    const address = `10.9.${this.#logins % 250}.${this.name.length}`;
    const browser = await openSignedIn(this.#service, userId, address);
    this.#cookie = browser.cookie;
    this.forms.length = 0;
    return this.#cookie;
  }

  asCaller(): Caller {
    const { organizationId, isStaff, isHeardByOthers } = this.#person;
    return {
      name: `the browser of ${this.name}`,
      organizationId,
      isStaff,
      isHeardByOthers,
      headers: this.#cookie === '' ? {} : { cookie: this.#cookie },
      token: null,
      isLive: false,
    };
  }

  /** Keeps the forms of a page. */
  learn(html: string): void {
    this.forms.push(...parseForms(html));
    if (this.forms.length > FORMS_KEPT) this.forms.splice(0, this.forms.length - FORMS_KEPT);
  }
}

export function createVisitors(service: TestService, callers: Callers): Visitor[] {
  const names = ['admin', 'viewer', 'billing', 'staff', 'stranger', 'nobody'];
  return names.map((name) => new Visitor(service, callers, name));
}

function parseForms(html: string): Form[] {
  return [...html.matchAll(/<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = '', inner = '']) => ({ action: unescapeHtml(action), fields: parseFields(inner) }),
  );
}

function parseFields(inner: string): Form['fields'] {
  const inputs = [...inner.matchAll(/<(?:input|button|textarea)([^>]*)>([^<]*)/g)].flatMap(
    ([, attributes = '', text = '']) => {
      const name = parseAttribute(attributes, 'name');
      return name === undefined
        ? []
        : [[name, [parseAttribute(attributes, 'value') ?? unescapeHtml(text)]] as const];
    },
  );
  const selects = [...inner.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)].flatMap(
    ([, attributes = '', options = '']) => {
      const name = parseAttribute(attributes, 'name');
      const values = [...options.matchAll(/value="([^"]*)"/g)].map(([, value = '']) => unescapeHtml(value));
      return name === undefined || values.length === 0 ? [] : [[name, values] as const];
    },
  );
  return [...inputs, ...selects];
}

function parseAttribute(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? undefined : unescapeHtml(value);
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

export interface PageSources {
  readonly chance: Chance;
  readonly pool: Pool;
  readonly routes: readonly PageRoute[];
  readonly visitors: readonly Visitor[];
}

const PARAMETERS = [
  'next',
  'error',
  'done',
  'q',
  'search',
  'status',
  'cursor',
  'target',
  'target_id',
  'page',
  'view',
  'user_code',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'intent',
  'of',
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  '%00',
  'a[b]',
];

/** Which kind of record stands at the place of a parameter, by the first word of the route. */
const kindsOfRoutes: Readonly<Record<string, string | undefined>> = {
  experiments: 'experiment_id',
  quotes: 'quote_id',
  invoices: 'invoice_id',
  results: 'result_id',
  targets: 'target_id',
  pay: 'pay_key',
  organization: 'organization_id',
  'sign-in': 'link_secret',
  'sign-up': 'link_secret',
  password: 'link_secret',
  invitations: 'link_secret',
  'set-up': 'link_secret',
};

export function draftPage({ chance, pool, routes, visitors }: PageSources): {
  draft: Draft;
  visitor: Visitor;
} {
  const visitor = chance.pick(visitors);
  const route = chance.pick(routes);
  const form = visitor.forms.length > 0 && chance.isDrawn(45) ? chance.pick(visitor.forms) : undefined;
  const [path = '', query = ''] =
    form === undefined ? [fillPath(route.path, chance, pool)] : form.action.split('?');
  const draft: Draft = {
    method: form === undefined ? chance.pick(route.methods) : 'POST',
    segments: path.split('/').slice(1),
    query: query === '' ? [] : query.split('&'),
    headers: { accept: 'text/html,application/xhtml+xml' },
    tree: null,
    bytes: null,
    caller: visitor.asCaller(),
    story: [],
  };
  if (draft.method === 'POST') {
    const fields = form === undefined ? drawStrayFields(chance) : fillFields(form, chance, pool);
    draft.headers['content-type'] = 'application/x-www-form-urlencoded';
    draft.bytes = Buffer.from(fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'));
  }
  return { draft, visitor };
}

function fillPath(path: string, chance: Chance, pool: Pool): string {
  const [, first = ''] = path.split('/');
  const value = (): string => {
    if (chance.isDrawn(30)) return chance.pick(pathPieces);
    const kind = kindsOfRoutes[first] ?? 'experiment_id';
    return encodeURIComponent((chance.isDrawn(90) ? pool.pick(kind, chance) : pool.pickAny(chance)) ?? 'x');
  };
  return path.replaceAll(/:\w+/g, value).replace('*', () => chance.pick(pathPieces));
}

function drawStrayFields(chance: Chance): [string, string][] {
  const names = [
    'email',
    'password',
    'new_password',
    'form_token',
    'name',
    'organization',
    'intent',
    'id',
    'role',
  ];
  return Array.from({ length: chance.drawBelow(5) }, () => [
    chance.pick(names),
    chance.pick([...hostileTexts, 'fuzz@example.org', PASSWORD]),
  ]);
}

/** The form as a person fills it in. */
function fillFields({ fields }: Form, chance: Chance, pool: Pool): [string, string][] {
  return fields.map(([name, values]) => {
    const [only = ''] = values;
    if (values.length > 1) return [name, chance.pick(values)];
    if (only !== '' && !chance.isDrawn(15)) return [name, only];
    return [name, drawTyped(name, chance, pool) ?? only];
  });
}

function drawTyped(name: string, chance: Chance, pool: Pool): string | undefined {
  if (name === 'form_token' || name.includes('idempotency')) return undefined;
  if (name.includes('password')) return PASSWORD;
  if (name === 'email') return `fuzz-page-${chance.drawBelow(50)}@example.org`;
  if (name === 'sequences') return `>one\n${OWN_PROTEIN}\n>two\n${OWN_PROTEIN}A`;
  if (name === 'n_replicates') return '2';
  return pool.pick(name, chance) ?? OWN_WORDS;
}

/** Changes a form or an address in one way. */
export function mutatePage(draft: Draft, chance: Chance): void {
  const isForm = draft.bytes !== null;
  const change = chance.drawWeighted<() => string>([
    [isForm ? 55 : 0, () => changeForm(draft, chance)],
    [20, () => changeAddress(draft, chance)],
    [isForm ? 5 : 25, () => addParameter(draft, chance)],
    [10, () => addOddHeader(draft, chance)],
    [
      4,
      () =>
        `the method ${(draft.method = chance.pick(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'TRACE']))}`,
    ],
  ]);
  draft.story.push(change());
}

function changeForm(draft: Draft, chance: Chance): string {
  const pairs = (draft.bytes ?? Buffer.alloc(0)).toString('latin1').split('&');
  const at = chance.drawBelow(pairs.length);
  const [name = ''] = (pairs[at] ?? '').split('=');
  switch (chance.drawBelow(9)) {
    case 0:
      pairs.splice(at, 1);
      break;
    case 1:
      pairs.push(pairs[at] ?? '');
      break;
    case 2:
      pairs.push(`${encode(chance.pick(hostileNames))}=${chance.pick(queryValues)}`);
      break;
    case 3:
      draft.headers['content-type'] = chance.pick(contentTypes) ?? '';
      return 'a form of another type';
    case 4:
      draft.bytes = Buffer.from(Array.from({ length: 50 }, () => chance.drawBelow(256)));
      return 'random bytes for a form';
    default:
      pairs[at] =
        `${name}=${chance.isDrawn(30) ? chance.pick(queryValues) : encode(chance.pick(hostileTexts))}`;
  }
  draft.bytes = Buffer.from(pairs.join('&'), 'latin1');
  return `the field ${name.slice(0, 30)} changed`;
}

function changeAddress(draft: Draft, chance: Chance): string {
  const piece = chance.pick(pathPieces);
  const last = Math.max(0, draft.segments.length - 1);
  if (chance.isDrawn(50)) draft.segments[last] = piece;
  else draft.segments.splice(chance.drawBelow(draft.segments.length + 1), 0, piece);
  return `${piece.slice(0, 20)} in the address`;
}

function addParameter(draft: Draft, chance: Chance): string {
  const value = chance.isDrawn(50) ? chance.pick(queryValues) : encode(chance.pick(hostileTexts));
  const pair = `${chance.pick(PARAMETERS)}=${value}`;
  draft.query.push(pair);
  return `the parameter ${pair.slice(0, 40)}`;
}

function addOddHeader(draft: Draft, chance: Chance): string {
  const [name, value] = chance.pick(oddHeaders);
  draft.headers[name] = value;
  return `the header ${name}: ${value.slice(0, 30)}`;
}
