import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Browser, openSignedIn, readFormToken, signInLink as link } from '#testing/browser.ts';
import { getItems, type TestService, testService, getText } from '#testing/service.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'\u202e';
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/** For tests that others do not disturb. */
const service = await testService();
const EXAMPLES = readFileSync(join(import.meta.dirname, '../../examples/antibodies.fasta'), 'utf8');

async function draft(service: TestService, name = 'a draft'): Promise<string> {
  const targets = await service.ask('GET', '/targets?search=EGFR&selfservice_only=true');
  const created = await service.ask('POST', '/experiments', {
    body: {
      name,
      experiment_spec: {
        experiment_type: 'screening',
        method: 'bli',
        target_id: getItems(targets.body.items)[0]?.id,
        n_replicates: 1,
        sequences: { [HOSTILE.slice(0, 28)]: 'QVQLVESGGGLVQAGGSLRLSCAAS' },
      },
    },
  });
  assert.equal(created.status, 201, created.text);
  return getText(created.body.experiment_code);
}

async function openReader(ownService: TestService): Promise<Browser> {
  const token = await ownService.issueToken({ role: 'viewer' });
  const { body } = await ownService.ask('GET', '/whoami', { token });
  return openSignedIn(ownService, getText(body.user_id));
}

test('sign-in: a link is viewed, used, and used again → viewing keeps it, it opens one session, then 410', async () => {
  const path = await link(service);
  const browser = new Browser(service);
  for (let look = 0; look < 3; look++) assert.equal((await browser.open(path)).status, 200);
  const page = await browser.open(path);
  const first = await browser.send(page, path);
  assert.equal(first.location, '/');
  assert.match(String(first.headers['set-cookie']), /; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.match((await browser.open('/')).text, /Experiments/);
  const stranger = new Browser(service);
  const second = await stranger.send(page, path);
  assert.equal(second.status, 410);
  assert.match(second.text, /no longer works/);
  assert.equal(stranger.cookie, '');
});

test('sign-in: the button is pressed twice at once → one session', async () => {
  const path = await link(service);
  const presses = await Promise.all([1, 2].map(() => new Browser(service).post(path, {})));
  assert.deepEqual(
    presses.map(({ status }) => status).toSorted((a, b) => a - b),
    [303, 410],
  );
});

test('sign-in: the service is reached by https → the cookie is Secure', async () => {
  const ownService = await testService({ BASE_URL: 'https://lab.example' });
  const path = await link(ownService);
  const answer = await new Browser(ownService).post(path, {});
  assert.match(
    String(answer.headers['set-cookie']),
    /^__Secure-assayer_session=.*; HttpOnly; Secure; SameSite=Lax$/,
  );
});

test('sign-out: a person signs out → session and token end on the server', async () => {
  const browser = await openSignedIn(service);
  const kept = browser.cookie;
  const listed = await service.ask('GET', '/tokens');
  assert.ok(getItems(listed.body.items).some((token) => getText(token.name) === 'Browser session'));
  const home = await browser.open('/');
  assert.equal((await browser.send(home, '/sign-out')).location, '/');
  const thief = new Browser(service);
  thief.cookie = kept;
  const stranger = await thief.open('/');
  assert.match(stranger.text, /<h1 id="sign-in">Sign in<\/h1>/);
  assert.doesNotMatch(stranger.text, /demo@example\.org/);
});

test('token_revoked: the session is revoked among the tokens → the browser is signed out', async () => {
  const ownService = await testService();
  const browser = await openSignedIn(ownService);
  await ownService.service.database.read.query(
    `update tokens set revoked_at = now() where name = 'Browser session'`,
  );
  assert.equal((await browser.open('/experiments/new')).status, 401);
});

test('unauthenticated: any portal page without a session → 401, and no data is shown', async () => {
  const code = await draft(service, 'secret name');
  const stranger = new Browser(service);
  const id = '01980000-0000-7000-8000-000000000001';
  for (const path of [
    `/experiments/${code}`,
    `/experiments/${code}/sequences.fasta`,
    `/experiments/${code}/data-package`,
    '/experiments',
    '/experiments/new',
    '/targets',
    '/invoices',
    `/invoices/${id}/invoice.pdf`,
    '/organization/billing',
    `/targets/${id}`,
    '/quotes/qt_1',
    `/results/${id}`,
    `/results/${id}/plot.svg`,
  ]) {
    const page = await stranger.open(path);
    assert.equal(page.status, 401, path);
    assert.doesNotMatch(page.text, /secret name/);
  }
  assert.equal((await stranger.open('/')).status, 200);
  assert.equal((await stranger.post(`/experiments/${code}/submit`, {})).status, 401);
});

test('cross-site: a form without the session’s token, or from another site → 400 and nothing changes', async () => {
  const code = await draft(service);
  const browser = await openSignedIn(service);
  const other = await openSignedIn(service);
  const page = await browser.open(`/experiments/${code}`);
  const action = `/experiments/${code}/submit`;
  const theirs = await other.open(`/experiments/${code}`);
  const [, foreignToken = ''] = /name="form_token" value="([^"]+)"/.exec(theirs.text) ?? [];
  const [, ownToken = ''] = /name="form_token" value="([^"]+)"/.exec(page.text) ?? [];
  assert.notEqual(foreignToken, ownToken);
  assert.equal((await browser.post(action, {})).status, 400);
  assert.equal((await browser.post(action, { form_token: foreignToken })).status, 400);
  for (const [name, value] of [
    ['origin', 'https://elsewhere.example'],
    ['sec-fetch-site', 'cross-site'],
  ] as const) {
    const refused = await browser.post(action, { form_token: ownToken }, { [name]: value });
    assert.equal(refused.status, 400);
  }
  assert.equal((await service.ask('GET', `/experiments/${code}`)).body.status, 'draft');
  assert.equal((await browser.send(page, action)).status, 303);
});

test('headers: any page → forbids scripts, framing, caching and indexing; the style sheet may be cached', async () => {
  const code = await draft(service);
  const browser = await openSignedIn(service);
  const stranger = new Browser(service);
  for (const page of [
    ...(await Promise.all(
      ['/organization/billing', '/targets', '/docs/errors', '/nothing'].map((path) => browser.open(path)),
    )),
    await stranger.open('/pay/aaaaaaaaaaaaaaaaaaaaaa'),
    await stranger.open('/sign-in/link/aaaaaaaaaaaaaaaaaaaaaa'),
  ]) {
    assert.equal(page.headers['content-security-policy'], POLICY);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(page.headers['x-content-type-options'], 'nosniff');
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
    assert.match(String(page.headers['x-robots-tag']), /noindex/);
    assert.match(page.text, /<title>Sandbox: /);
    assert.doesNotMatch(page.text, /<script|\sstyle="|\son\w+="/);
    assert.doesNotMatch(page.text, /(?:src|rel="stylesheet" href)="(?:https?:)?\/\//);
  }
  // Who is signed out sees the sign-in page, which may run one script of ours, for passkeys; what moves has another, and so has the reference, whose examples can be copied and which searches while one types.
  for (const [names, page] of [
    [['passkeys'], await stranger.open('/')],
    [['live'], await browser.open('/')],
    [['explorer', 'copy', 'live'], await browser.open(`/experiments/${code}`)],
    [['docs-search'], await browser.open('/docs')],
  ] as const) {
    assert.equal(page.headers['content-security-policy'], `${POLICY}; script-src 'self'; connect-src 'self'`);
    const scripts = [...page.text.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    assert.equal(scripts.length, names.length);
    for (const [index, name] of names.entries())
      assert.match(
        scripts[index] ?? '',
        new RegExp(`^<script type="module" src="/assets/${name}-[0-9a-f]{12}\\.js">$`),
      );
    assert.doesNotMatch(page.text, /\sstyle="|\son\w+="/);
  }
  const [, sheet = ''] = /href="(\/assets\/[^"]+\.css)"/.exec((await browser.open('/')).text) ?? [];
  const style = await browser.open(sheet);
  assert.match(String(style.headers['cache-control']), /immutable/);
  assert.match(String(style.headers['content-type']), /text\/css/);
  assert.doesNotMatch(style.text, /url\(|@import/);
});

test('pages: HTML in the name of an experiment → shown as text on every page', async () => {
  const ownService = await testService();
  const code = await draft(ownService);
  // Names that hold more than one line or marks of direction may stand in rows of earlier versions.
  await ownService.service.database.read.query('update experiments set name = $1', [HOSTILE]);
  const browser = await openSignedIn(ownService);
  for (const path of ['/', `/experiments/${code}`, `/?search=${encodeURIComponent(HOSTILE)}`]) {
    const page = await browser.open(path);
    assert.match(page.text, /&lt;img src=x onerror=alert\(1\)&gt;/);
    assert.doesNotMatch(page.text, /<img src=x/);
    assert.doesNotMatch(page.text, /\u202e/);
  }
});

test('permission_denied: a viewer → sees no button it may not use, and the form is refused', async () => {
  const ownService = await testService();
  const code = await draft(ownService);
  const browser = await openSignedIn(ownService);
  await ownService.service.database.read.query(`update memberships set role = 'viewer'`);
  const page = await browser.open(`/experiments/${code}`);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /Submit for a quote|Cancel the experiment/);
  assert.doesNotMatch((await browser.open('/')).text, /New experiment/);
  const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(page.text) ?? [];
  const refused = await browser.post(`/experiments/${code}/submit`, { form_token: token });
  assert.equal(refused.status, 403);
  assert.match(refused.text, /Your role in this organization does not allow it/);
});

test('unknown address: a browser, or a program → a page, or the JSON of the API', async () => {
  const browser = await openSignedIn(service);
  const page = await browser.open('/experiments/UNKNOWN-001-001');
  assert.equal(page.status, 404);
  assert.match(page.text, /No such experiment/);
  assert.match(page.text, /req_[0-9a-f-]{36}/);
  assert.match((await browser.open('/nothing/here')).text, /no page at this address/);
  const api = await browser.open('/api/v1/nothing');
  assert.match(String(api.headers['content-type']), /application\/json/);
  const program = await browser.open('/nothing', { accept: '*/*' });
  assert.match(String(program.headers['content-type']), /application\/json/);
});

test('refused form: its experiment is canceled meanwhile, or the role is not enough → the page of the experiment says why on top', async () => {
  const browser = await openSignedIn(service);
  const path = `/experiments/${await draft(service)}`;
  const page = await browser.open(path);
  const reader = await openReader(service);
  const form = { form_token: await readFormToken(reader) };
  const denied = await reader.post(`${path}/cancel`, form);
  assert.equal(denied.status, 403);
  assert.match(
    denied.text,
    /<main[^>]*>\s*<div class="stack"><p[^>]*role="alert">Your role in this organization/,
  );
  assert.match(denied.text, /<h1><bdi>a draft<\/bdi><\/h1>/);
  assert.equal((await service.ask('POST', `${path}/cancel`, { body: {} })).status, 200);
  const late = await browser.send(page, `${path}/submit`);
  assert.equal(late.status, 409);
  assert.match(late.text, /<main[^>]*>\s*<div class="stack"><p[^>]*role="alert">[^<]*canceled/);
  assert.match(late.text, /<h1><bdi>a draft<\/bdi><\/h1>/);
});

test('new experiment: bad input → each problem stands beside its field, and all input stays', async () => {
  const ownService = await testService();
  const browser = await openSignedIn(ownService);
  const form = await browser.open('/experiments/new');
  const typed = {
    name: HOSTILE.slice(0, 30),
    target_id: '',
    experiment_type: 'affinity',
    method: 'spr',
    n_replicates: '9',
    sequences: '>one\r\nQVQLXX\r\n',
    library: 'enriched',
    intent: 'check',
  };
  const bad = await browser.send(form, '/experiments/new', typed);
  assert.equal(bad.status, 400, bad.text);
  assert.match(bad.text, /id="order-n_replicates-problem"/);
  assert.match(bad.text, /id="order-target_id-problem"/);
  assert.match(bad.text, /id="order-sequences-problem"/);
  assert.match(bad.text, /&gt;one\r\nQVQLXX/);
  assert.match(bad.text, /<option value="spr" selected>/);
  const dna = { ...typed, target_id: '', method: 'bli', n_replicates: '2', experiment_type: 'expression' };
  const gene = { ...dna, sequences: `>gene\nATGAGCAAAGGCGAAGAACTGTTTACCGGCTAA\n` };
  const refused = await browser.send(form, '/experiments/new', gene);
  assert.match(refused.text, /This is DNA\. Tick “Translate DNA”[^]*gene, chain 1 looks like DNA/);
  const ticked = await browser.send(form, '/experiments/new', { ...gene, translate: 'yes' });
  assert.equal(ticked.status, 200, ticked.text);
  assert.match(ticked.text, /name="translate" value="yes" checked/);
  assert.match(ticked.text, /<li>Translated 1 sequence of DNA\.<\/li>/);
  const torn = await browser.send(form, '/experiments/new', { ...typed, sequences: 'QVQL' });
  assert.match(torn.text, /Line 1: a sequence stands before the first header/);
  assert.equal((await ownService.ask('GET', '/experiments')).body.total, 0);
});

/** Pictures, points and record of one result. */
async function assertDownloadsOpen(browser: Browser, result: string): Promise<void> {
  for (const picture of ['plot.svg', 'thumbnail.svg?top=3']) {
    const svg = await browser.open(`${result}/${picture}`);
    assert.match(String(svg.headers['content-type']), /image\/svg\+xml/);
    assert.match(svg.text, /^<svg/);
  }
  assert.match((await browser.open(`${result}/curves.csv`)).text, /^experiment_code,sequence_name/);
  assert.match((await browser.open(`${result}/record.json`)).text, /^\{"id":/);
}

/** A document that the portal links opens, over the signed address that it leads to. */
async function assertPdfOpens(browser: Browser, path: string): Promise<void> {
  const link = await browser.open(path);
  assert.equal(link.status, 303, link.text);
  const { pathname, search } = new URL(link.location ?? '');
  const document = await browser.open(pathname + search);
  assert.equal(document.headers['content-type'], 'application/pdf');
  assert.match(document.text, /^%PDF-/);
}

test('new experiment: an assay without a target → ordered with neither target nor method', async () => {
  const browser = await openSignedIn(service);
  const form = await browser.open('/experiments/new');
  const [, target = ''] = /<option value="([0-9a-f-]{36})"[^>]*>EGFR/.exec(form.text) ?? [];
  for (const type of ['thermostability', 'expression', 'fluorescence']) {
    assert.match(form.text, new RegExp(`<option value="${type}" class="without-target">`));
    const typed = {
      name: type,
      experiment_type: type,
      // What a browser sends that does not hide them, or that hides them after a choice was made.
      target_id: target,
      method: 'spr',
      n_replicates: '2',
      sequences: EXAMPLES.split('>').slice(0, 3).join('>'),
    };
    const fresh = await browser.open('/experiments/new');
    const created = await browser.send(fresh, '/experiments/new', { ...typed, intent: 'create' });
    assert.equal(created.status, 303, created.text);
    const path = created.location ?? '';
    await browser.send(await browser.open(path), `${path}/submit`);
    const { body } = await service.ask('GET', path);
    assert.equal(body.status, 'quote_sent');
    assert.equal(body.target_id, null);
  }
});

test('portal: an order in a browser → goes from price, draft, quote and payment to results', async () => {
  const browser = await openSignedIn(service);
  const form = await browser.open('/experiments/new');
  const [, target = ''] = /<option value="([0-9a-f-]{36})"[^>]*>EGFR/.exec(form.text) ?? [];
  const typed = {
    name: 'A browser story',
    target_id: target,
    experiment_type: 'affinity',
    method: 'bli',
    n_replicates: '1',
    sequences: EXAMPLES.split('>').slice(0, 3).join('>'),
    library: 'enriched',
  };
  const checked = await browser.send(form, '/experiments/new', { ...typed, intent: 'check' });
  assert.equal(checked.status, 200, checked.text);
  assert.match(checked.text, /\$[\d,]+\.\d\d <span>USD, no tax/);

  const create = { ...typed, intent: 'create' };
  const [created, again] = await Promise.all(
    [1, 2].map(() => browser.send(checked, '/experiments/new', create)),
  );
  assert.equal(created?.status, 303, created?.text);
  assert.equal(again?.location, created?.location, 'a double click makes one experiment');
  const path = created?.location ?? '';

  const page = await browser.open(path);
  assert.equal((await browser.send(page, `${path}/submit`)).location, path);
  const quoted = await browser.open(path);
  const [, quote = ''] = /action="(\/quotes\/qt_[0-9a-f]+)\/accept"/.exec(quoted.text) ?? [];
  assert.match(quoted.text, new RegExp(`href="${path}/quote\\.pdf"`));
  const offer = await browser.open(quote);
  assert.match(offer.text, /Your decision/);
  assert.match(offer.text, new RegExp(`href="${path}/quote\\.pdf">Quote as PDF`));
  await assertPdfOpens(browser, `${path}/quote.pdf`);
  assert.equal((await browser.open(`${path}/invoice.pdf`)).status, 404, 'there is no invoice yet');
  const accepted = await browser.send(quoted, `${quote}/accept`, { purchase_order_number: 'PO-77' });
  assert.equal(accepted.location, path);
  const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(quoted.text) ?? [];
  const late = await browser.post(`${quote}/accept`, { form_token: token });
  assert.equal(late.location, path, 'a second acceptance shows what is so');

  const unpaid = await browser.open(path);
  assert.doesNotMatch(unpaid.text, /http-equiv="refresh"/, 'nothing moves before it is paid');
  const [, pay = ''] = /href="(\/pay\/[\w-]+)"/.exec(unpaid.text) ?? [];
  assert.match((await browser.open(pay)).text, /PO-77/);
  assert.match(unpaid.text, new RegExp(`href="${path}/invoice\\.pdf">Invoice as PDF`));
  await assertPdfOpens(browser, `${path}/invoice.pdf`);
  const paid = await browser.send(await browser.open(pay), `${pay}/test-payment`);
  assert.equal(paid.location, pay);
  await service.service.worker.runDue();
  const moving = await browser.open(path);
  assert.match(moving.text, /http-equiv="refresh" content="3"/);
  assert.doesNotMatch((await browser.open(`${path}?live=off`)).text, /http-equiv="refresh"/);

  await service.runLab();
  const done = await browser.open(path);
  assert.doesNotMatch(done.text, /http-equiv="refresh"/);
  const [, result = ''] = /href="(\/results\/[0-9a-f-]+)"/.exec(done.text) ?? [];
  assert.match(done.text, new RegExp(`<img src="${result}/thumbnail.svg[^"]*"[^>]*loading="lazy"`));
  const one = await browser.open(result);
  assert.match(one.text, new RegExp(`<img src="${result}/plot.svg"`));
  await assertDownloadsOpen(browser, result);
  assert.match((await browser.open(`${path}/sequences.fasta`)).text, /^>/);
  assert.match(done.text, new RegExp(`href="${path}/data-package"`));
  const packed = await browser.open(`${path}/data-package`);
  assert.match(String(packed.location), /^\/files\/data-packages\/|^http.*\/files\/data-packages\//);
});

test('addresses: every page address that the API returns → opens', async () => {
  const code = await draft(service);
  await service.ask('POST', `/experiments/${code}/submit`);
  const confirmed = await service.ask('POST', `/experiments/${code}/quote/confirm`, { body: {} });
  const detail = await service.ask('GET', `/experiments/${code}`);
  const targets = await service.ask('GET', '/targets?limit=1');
  const browser = await openSignedIn(service);
  const urls = [
    detail.body.experiment_url,
    detail.body.provider_quote_url,
    detail.body.provider_invoice_url,
    detail.body.target_supplier_url,
    confirmed.body.hosted_invoice_url,
    getItems(targets.body.items)[0]?.url,
  ];
  for (const url of urls)
    assert.equal((await browser.open(new URL(getText(url)).pathname)).status, 200, getText(url));
});
