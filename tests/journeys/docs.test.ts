/** The pages under `/docs`: the reference of the operations and what is downloaded beside it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FLAG_CODES } from '#analysis/quality/flags.ts';
import { Browser, openSignedIn } from '#testing/browser.ts';
import { GUIDES, GUIDES_PATH } from '#transports/pages/guides/shelf.ts';
import { failureCodes } from '#core/failures.ts';
import { getText, testService } from '#testing/service.ts';

const service = await testService();

test('reference: every upload template → linked, and downloaded as it stands in the guide', async () => {
  const browser = new Browser(service);
  const { text } = await browser.open('/docs');
  const guide = join(import.meta.dirname, '../../docs/guide/templates');
  const linked = [...text.matchAll(/href="\/docs\/templates\/([\w-]+\.csv)"/g)].map(([, name = '']) => name);
  assert.deepEqual(linked.toSorted(), readdirSync(guide).toSorted());
  for (const name of linked) {
    const file = await browser.open(`/docs/templates/${name}`);
    assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(file.headers['content-disposition'], `attachment; filename="${name}"`);
    assert.equal(file.text, readFileSync(join(guide, name), 'utf8'));
  }
  assert.equal((await browser.open('/docs/templates/none.csv')).status, 404);
});

test('errors: the type of a problem document → a page with cause and remedy, for every failure code', async () => {
  const browser = new Browser(service);
  const headers = { accept: 'text/html, application/problem+json;q=0.5' };
  const problem = await service.ask('GET', '/experiments/none', { headers });
  const address = new URL(getText(problem.body.type));
  assert.equal(address.origin, service.service.work.site.baseUrl);
  const page = await browser.open(address.pathname);
  assert.equal(page.status, 200);
  assert.match(
    page.text,
    /<h1><code>experiment_not_found<[^]*Cause[^]*No such experiment\.[^]*Remedy[^]*GET \/experiments/,
  );
  const { text } = await browser.open('/docs/errors');
  for (const code of failureCodes) {
    assert.match(text, new RegExp(`href="/docs/errors/${code}"`));
    const one = await browser.open(`/docs/errors/${code}`);
    assert.equal(one.status, 200, code);
    assert.ok(one.text.includes('id="cause"') && one.text.includes('id="remedy"'), code);
    assert.doesNotMatch(one.text, /`/, code);
    const cause = /id="cause"[^]*?<\/section>/.exec(one.text)?.[0] ?? '';
    assert.doesNotMatch(cause, /<var>[^‹]|\{\w+\}/, `${code}: a placeholder stands bare`);
  }
  const unknown = await browser.open('/docs/errors/<none>');
  assert.equal(unknown.status, 404);
  assert.match(
    unknown.text,
    /has the code <code>&lt;none&gt;<\/code>[^]*<a href="\/docs\/errors">Errors<\/a> lists all/,
  );
  const excluded = { headers: { accept: 'application/problem+json;q=0, */*' } };
  const plain = await service.ask('GET', '/experiments/none', excluded);
  assert.match(plain.headers['content-type'] ?? '', /^application\/json/);
});

test('guides: the base URL in their calls → written the same way everywhere', () => {
  const guides = join(import.meta.dirname, '../../docs/guide');
  const using = readdirSync(guides).filter((name) => name.endsWith('.md'));
  const texts = using.map((name) => ({ name, text: readFileSync(join(guides, name), 'utf8') }));
  assert.ok(texts.some(({ text }) => text.includes('$URL/lab/')));
  for (const { name, text } of texts) assert.doesNotMatch(text, /\$(?:URL|\{url\}|BASE)\/api/, name);
});

test('reference: every operation that the reader may see → described, with its failures, and no other', async () => {
  const readIds = async (token: string | null) => {
    const { text } = await service.ask('GET', '//api/v1/openapi.json', { token });
    return [...text.matchAll(/"operationId":\s*"(\w+)"/g)].map(([, id]) => id ?? '');
  };
  /** The index with the pages of all groups that it links to. */
  const readWhole = async (browser: Browser): Promise<string> => {
    const index = (await browser.open('/docs')).text;
    const groups = new Set(
      [...index.matchAll(/href="(\/docs\/reference\/[\w-]+)"/g)].map(([, path = '']) => path),
    );
    const pages = await Promise.all([...groups].map(async (path) => (await browser.open(path)).text));
    for (const [, id = ''] of index.matchAll(/<li id="(\w+)"/g))
      assert.equal(pages.filter((page) => page.includes(`id="${id}"`)).length, 1, id);
    return pages.join('');
  };
  const stranger = await readWhole(new Browser(service));
  const staff = await readWhole(await openSignedIn(service));
  assert.equal((await new Browser(service).open('/docs/reference/lab-quotes')).status, 404);
  assert.equal((await new Browser(service).open('/docs/reference/none')).status, 404);
  const [published, all] = [await readIds(null), await readIds(service.token)];
  assert.ok(published.length > 30 && all.length > published.length);
  for (const id of published) assert.match(stranger, new RegExp(`id="${id}"`), id);
  for (const id of all) assert.match(staff, new RegExp(`id="${id}"`), id);
  for (const id of all.filter((each) => !published.includes(each)))
    assert.doesNotMatch(stranger, new RegExp(`id="${id}"`), id);
  assert.doesNotMatch(stranger, /\/lab\/|lab:/);
  assert.match(stranger, /quote_already_accepted/);
});

test('address: a service at another port → its guides and the examples of its reference give its own', async () => {
  const address = 'https://lab.example:9443';
  const staff = await openSignedIn(await testService({ BASE_URL: address }));
  const pages = ['/docs/reference/quotes', ...GUIDES.map(({ name }) => `${GUIDES_PATH}/${name}`)];
  const texts = await Promise.all(pages.map(async (path) => (await staff.open(path)).text));
  for (const [index, text] of texts.entries()) assert.doesNotMatch(text, /:8080/, pages[index]);
  assert.ok(texts[0]?.includes(`${address}/quotes/qt_`));
  assert.ok(texts[pages.indexOf(`${GUIDES_PATH}/agents`)]?.includes(`assayer ${address}/mcp/`));
});

test('errors: a failure of operations of the lab alone → its page names none of them to a client', async () => {
  const path = '/docs/errors/last_appointing_person';
  assert.doesNotMatch((await new Browser(service).open(path)).text, /\/lab\/staff/);
  assert.match((await (await openSignedIn(service)).open(path)).text, /\/lab\/staff/);
});

test('guides: every guide → a page whose links and anchors lead somewhere, without HTML of its own', async () => {
  const staff = await openSignedIn(service);
  const index = (await staff.open('/docs/guide')).text;
  const names = [
    ...new Set([...index.matchAll(/href="\/docs\/guide\/([\w-]+)"/g)].map(([, name = '']) => name)),
  ];
  const guides = readdirSync(join(import.meta.dirname, '../../docs/guide'));
  assert.deepEqual(
    names.map((name) => `${name}.md`).toSorted(),
    guides.filter((name) => name.endsWith('.md')).toSorted(),
  );
  const pages = new Map<string, string>();
  for (const path of ['/docs', '/docs/reference/results', '/docs/reference/lab-quotes'])
    pages.set(path, (await staff.open(path)).text);
  for (const path of ['/docs/flags', ...names.map((name) => `/docs/guide/${name}`)]) {
    const page = await staff.open(path);
    assert.equal(page.status, 200, path);
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
    // One script of ours, which copies the blocks of code.
    assert.doesNotMatch(
      page.text,
      /<script(?! type="module" src="\/assets\/copy-)|<style|prettier-ignore/,
      path,
    );
    for (const [, id = ''] of page.text.matchAll(/data-copy="([^"]+)"/g))
      assert.ok(page.text.includes(`<pre tabindex="0" id="${id}"`), `${path}: ${id}`);
    pages.set(path, page.text);
  }
  for (const [path, text] of pages) {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, `${path} has an id twice`);
    for (const [, target = ''] of text.matchAll(/href="((?:\/docs\/(?:guide\/|flags)[^"]*)|#[^"]*)"/g)) {
      const [page = '', anchor] = (target.startsWith('#') ? `${path}${target}` : target).split('#');
      assert.ok(pages.has(page), `${path}: ${target}`);
      if (anchor !== undefined)
        assert.ok(pages.get(page)?.includes(` id="${decodeURIComponent(anchor)}"`), `${path}: ${target}`);
    }
  }
});

test('guides: a client → no guide and no section for the lab; an unknown name → 404 with the list', async () => {
  const stranger = new Browser(service);
  assert.doesNotMatch((await stranger.open('/docs/guide')).text, /running-a-lab|operating/);
  assert.equal((await stranger.open('/docs/guide/running-a-lab')).status, 404);
  assert.doesNotMatch(
    (await stranger.open('/docs/guide/quotes-and-invoices')).text,
    /For the staff of the lab/,
  );
  const staff = await openSignedIn(service);
  assert.match((await staff.open('/docs/guide/quotes-and-invoices')).text, /For the staff of the lab/);
  const unknown = await stranger.open('/docs/guide/none');
  assert.equal(unknown.status, 404);
  assert.match(unknown.text, /\/docs\/guide\/first-order/);
});

test('flags: every flag → an entry of the glossary', async () => {
  const { text } = await new Browser(service).open('/docs/flags');
  for (const code of FLAG_CODES) assert.ok(text.includes(`id="${code}"`), code);
  assert.match(text, /What to do/);
});

test('reference: a search → the operations that contain every word, and none that the reader may not see', async () => {
  const stranger = new Browser(service);
  const found = (await stranger.open('/docs?search=cost-estimate')).text;
  assert.deepEqual(
    [...found.matchAll(/operation"( open)?>[^]*?<div class="stack prose" id="(\w+)"/g)].map(
      ([, open, id]) => [id, open],
    ),
    [['cost_estimate', ' open']],
  );
  assert.match(found, /Fields of <code>breakdown<\/code>[^]*total_cents/);
  assert.match(found, /curl -X POST (?:'|&#39;)http[^]*assayer experiments[^]*await fetch\(/);
  const field = (await stranger.open('/docs?search=warning_groups')).text;
  assert.match(field, /id="cost_estimate"/);
  assert.doesNotMatch(field, /id="whoami"/);
  assert.doesNotMatch(
    (await stranger.open('/docs?search=lab%2Fstaff')).text,
    /class="card operation"|<li id="/,
  );
  assert.match((await stranger.open('/docs?search=%3Cb%3E')).text, /0 operations with “&lt;b&gt;”/);
});
