/**
 * A stateful stand-in for Stripe over HTTP: requests are held against the SDK's own types, a repeated idempotency key
 * gets its first answer, events are signed, and any request can be made to fail in the ways that networks fail.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after } from 'node:test';
import qs from 'qs';
import Stripe from 'stripe';
import { expireRequest } from '#testing/expired-requests.ts';
import { listings } from './listing.ts';
import { payOnPage, routes } from './requests.ts';
import { FakeRefusal, type Parameters, type Route } from './route.ts';
import { loadRequestValidators, type RequestValidators } from './schemas.ts';
import { toRecord } from './values.ts';
import { FakeState, type FakeEvent, type FakeToken } from './state.ts';

export const WEBHOOK_SECRET = 'whsec_of_the_fake';
export const SECRET_KEY = 'sk_test_of_the_fake';

/**
 * `refused`: a 500 before anything happens. `unclear`: a 500 after the effect, kept like every answer. `lost`: the
 * connection ends after the effect. `hang`: no answer, after the effect. `silent`: no answer, and no effect; a client of
 * this process waits no longer than for any answer. `gateway`: 502 with JSON that is no error, before anything happens.
 */
export const FAULTS = ['refused', 'unclear', 'lost', 'hang', 'silent', 'gateway'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FakeStripe {
  readonly url: string;
  readonly state: FakeState;
  /** Requests served so far, as `POST /v1/invoices`. */
  readonly log: string[];
  /** Called for each request in its order; answers how it shall fail. */
  plan: (request: string, index: number) => Fault | undefined;
  /** Whether Stripe says no for good, as to what an account does not have. */
  refuse: (request: string) => boolean;
  /** Seconds since 1970; the wall clock unless a test says otherwise. */
  readNowS: () => number;
  pay(invoiceId: string): boolean;
  mint(token: Partial<Omit<FakeToken, 'id'>> & Pick<FakeToken, 'maxAmount'>): string;
  signEvent(event: FakeEvent): { payload: string; signature: string };
  close(): Promise<void>;
}

export interface FakeOptions {
  readonly port?: number;
  /** Where its books are kept, for a fake that is killed. */
  readonly path?: string;
}

/** Starts it on the loopback; a test file's `after` stops it. */
export async function fakeStripe(options: FakeOptions = {}): Promise<FakeStripe> {
  const fake = await startFakeStripe(options);
  after(() => fake.close());
  return fake;
}

export async function startFakeStripe({ port = 0, path }: FakeOptions = {}): Promise<FakeStripe> {
  const validators = await loadRequestValidators();
  const state = new FakeState(path ?? null);
  const server = createServer((request, response) => {
    void serve(fake, validators, request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const fake: FakeStripe = {
    url,
    state,
    log: [],
    plan: () => undefined,
    refuse: () => false,
    readNowS: () => Math.floor(Date.now() / 1000),
    pay: (invoiceId) => payOnPage(state, url, invoiceId, fake.readNowS()),
    mint(token) {
      const id = state.createId('spt');
      const defaults = {
        currency: 'usd',
        expiresAt: fake.readNowS() + 3_600,
        behavior: 'pays',
        deactivatedAt: null,
      } as const;
      state.books.tokens[id] = { ...defaults, ...token, id };
      state.save();
      return id;
    },
    signEvent: (event) => createSignedEvent(event, fake.readNowS()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

function createSignedEvent(event: FakeEvent, nowS: number): { payload: string; signature: string } {
  const payload = JSON.stringify({
    id: event.id,
    object: 'event',
    type: event.type,
    created: event.created,
    data: { object: event.object },
  });
  const signature = new Stripe(SECRET_KEY).webhooks.generateTestHeaderString({
    payload,
    secret: WEBHOOK_SECRET,
    timestamp: nowS,
  });
  return { payload, signature };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly replayed?: boolean;
}

async function serve(
  fake: FakeStripe,
  validators: RequestValidators,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await readBody(request);
  const line = `${request.method} ${new URL(request.url ?? '/', fake.url).pathname}`;
  const fault = fake.plan(line, fake.log.push(line) - 1);
  if (fault === 'refused') return send(response, serverError);
  if (fault === 'silent') return expireRequest(request.socket);
  if (fault === 'gateway') return send(response, { status: 502, body: { title: 'Bad gateway' } });
  const answer = answerTo(fake, validators, request, text, fault === 'unclear');
  if (fault === 'hang') return expireRequest(request.socket);
  if (fault === 'lost') return void response.destroy();
  send(response, answer);
}

const serverError: Answer = { status: 500, body: { error: { type: 'api_error', message: 'failed' } } };

async function readBody(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function send(response: ServerResponse, { status, body, replayed = false }: Answer): void {
  const isDocument = body instanceof Uint8Array;
  response.writeHead(status, {
    'content-type': isDocument ? 'application/pdf' : 'application/json',
    'request-id': 'req_fake',
    ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
  });
  response.end(isDocument ? body : JSON.stringify(body));
}

/** An answer is kept under its key once the request has begun to have an effect, a 500 like any other. */
function answerTo(
  fake: FakeStripe,
  validators: RequestValidators,
  request: IncomingMessage,
  text: string,
  fails: boolean,
): Answer {
  const [, document] = /^GET \/i\/(\w+)\/pdf$/.exec(`${request.method} ${request.url}`) ?? [];
  // As at Stripe, whoever knows the address of a document may read it.
  if (document !== undefined) return { status: 200, body: Buffer.from(`%PDF-1.7 invoice ${document}`) };
  if (request.headers.authorization !== `Bearer ${SECRET_KEY}`)
    return { status: 401, body: { error: { type: 'invalid_request_error', message: 'no such key' } } };
  const url = new URL(request.url ?? '/', fake.url);
  const found = [...listings, ...routes].find(
    ({ method, path }) => method === request.method && path.test(url.pathname),
  );
  if (found === undefined)
    return { status: 404, body: { error: { type: 'invalid_request_error', message: `no ${url.pathname}` } } };
  const query = request.method === 'GET' ? url.search.slice(1) : text;
  const call = `${request.method} ${url.pathname} ${query}`;
  const key = getSingle(request.headers['idempotency-key']);
  const kept = key === undefined ? undefined : fake.state.books.answers[key];
  if (kept !== undefined && kept.request !== call)
    return { status: 400, body: { error: { type: 'idempotency_error', message: 'other parameters' } } };
  if (kept !== undefined) return { ...kept, replayed: true };
  if (fake.refuse(`${request.method} ${url.pathname}`))
    return { status: 400, body: { error: { type: 'invalid_request_error', message: 'not in your plan' } } };
  const parameters = toRecord(qs.parse(query, { arrayLimit: 1_000 }));
  const problem = findFormProblem(found, validators, parameters);
  if (problem !== undefined)
    return { status: 400, body: { error: { type: 'invalid_request_error', message: problem } } };
  const ran = run(fake, found, url.pathname, parameters);
  const answer = fails ? serverError : ran;
  if (key !== undefined && ran.status !== 400) fake.state.books.answers[key] = { request: call, ...answer };
  if (request.method === 'POST') fake.state.save();
  return answer;
}

function findFormProblem(
  route: Route,
  validators: RequestValidators,
  parameters: Parameters,
): string | undefined {
  const validate = route.root === null ? undefined : validators(route.root);
  if (validate === undefined) return Object.keys(parameters).length > 0 ? 'unknown parameters' : undefined;
  if (validate(parameters)) return undefined;
  return validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
}

function run(fake: FakeStripe, route: Route, path: string, parameters: Parameters): Answer {
  const id = route.path.exec(path)?.[1] ?? '';
  try {
    const body = route.run({ state: fake.state, origin: fake.url, parameters, id, nowS: fake.readNowS() });
    return { status: 200, body };
  } catch (error) {
    if (error instanceof FakeRefusal) return { status: error.status, body: error.body };
    throw error;
  }
}

function getSingle(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
