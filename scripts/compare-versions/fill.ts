/** Fills a sandbox through its API with one of everything that a later version has to open. */
import { setTimeout as wait } from 'node:timers/promises';
import { TARGETLESS } from '#cli/assays.ts';
import { ask, getItems, getText, type Door, type Json } from './ask.ts';

const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';
const POLL_MS = 500;
const DONE_WITHIN_MS = 300_000;

/** The tokens made before, by what they are. */
export type Tokens = ReadonlyMap<string, string>;

/** `receiver` answers the deliveries of its webhooks; a version without deliveries takes https alone. */
export async function fillSandbox(root: Door, receiver: string): Promise<Tokens> {
  const post = (path: string, body: object): Promise<Json> => makeRequest(root, 'POST', path, body);
  const target = getText(
    getItems(await makeRequest(root, 'GET', '/targets?limit=1&selfservice_only=true'))[0]?.id,
  );
  const binding = { experiment_type: 'affinity', method: 'bli', target_id: target };
  const address = (await hasDeliveries(root)) ? receiver : 'https://hooks.example.org/in';
  const sequences = { one: VHH, two: `${VHH}A`, control: { aa_string: `${VHH}C`, control: true } };
  const order = (name: string, spec: object = binding): Promise<Json> =>
    post('/experiments', {
      name,
      description: `of ${name}`,
      webhook_url: address,
      webhook_secret: 's'.repeat(40),
      experiment_spec: { n_replicates: 2, parameters: { buffer: { ph: 7.4 } }, sequences, ...spec },
    });
  const draft = await order('a draft');
  await makeRequest(root, 'PATCH', `/experiments/${getText(draft.experiment_id)}`, { n_replicates: 3 });
  const canceled = await order('canceled');
  await post(`/experiments/${getText(canceled.experiment_id)}/cancel`, { reason: 'twice' });
  await sendQuote(root, await order('quoted'));
  const rejected = await sendQuote(root, await order('rejected'));
  await post(`/quotes/${rejected}/reject`, { reason: 'price', feedback: 'dear' });
  await post(`/quotes/${await sendQuote(root, await order('accepted'))}/confirm`, {
    purchase_order_number: 'PO-1',
  });
  const running = [await pay(root, await order('paid'))];
  for (const experiment_type of TARGETLESS)
    running.push(await pay(root, await order(experiment_type, { experiment_type })));
  await post('/targets/request-custom', { name: 'ours', sequence: VHH, product_id: 'P-1' });
  await post('/feedback/submit', {
    feedback_type: 'bug_report',
    request_uuid: getText(draft.experiment_id),
    title: 'a word',
  });
  await makeRequest(root, 'PATCH', '/billing/profile', { legal_name: 'Before GmbH', country: 'DE' });
  await post('/organization/invitations', { email: 'guest@example.org', role: 'viewer' });
  await post('/lab/tax-rates', { country: 'FR', name: 'TVA', treatment: 'taxed', rate_basis_points: 2_000 });
  for (const id of running) await waitUntilDone(root, id);
  const tokens = await makeTokens(root);
  await waitUntilChained(root);
  if (await hasDeliveries(root)) await waitUntilDelivered(root);
  return tokens;
}

async function makeRequest(door: Door, method: string, path: string, body?: object): Promise<Json> {
  const answer = await ask(door, method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path} → ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer.json;
}

async function sendQuote(root: Door, { experiment_id: id }: Json): Promise<string> {
  await makeRequest(root, 'POST', `/experiments/${getText(id)}/submit`, {});
  const found = await makeRequest(root, 'GET', `/experiments/${getText(id)}/quote`);
  return getText(found.quote_id);
}

/** Paid on the page of the built-in processor; answers the experiment. */
async function pay(root: Door, order: Json): Promise<string> {
  const accepted = await makeRequest(root, 'POST', `/quotes/${await sendQuote(root, order)}/confirm`, {});
  const page = getText(accepted.hosted_invoice_url);
  const paid = await fetch(`${page}/test-payment`, { method: 'POST', redirect: 'manual' });
  if (paid.status >= 400) throw new Error(`the test payment answered ${paid.status}`);
  return getText(order.experiment_id);
}

async function waitUntilDone(root: Door, id: string): Promise<void> {
  const begun = performance.now();
  while (getText((await makeRequest(root, 'GET', `/experiments/${id}`)).status) !== 'done') {
    if (performance.now() - begun > DONE_WITHIN_MS)
      throw new Error(`the experiment ${id} is not done in time`);
    await wait(POLL_MS);
  }
}

/** The trail is chained a moment after what it tells. */
async function waitUntilChained(root: Door): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const [newest] = getItems(await makeRequest(root, 'GET', '/lab/audit?limit=1'));
    if (newest !== undefined && newest.position !== null) return;
    if (performance.now() - begun > DONE_WITHIN_MS) throw new Error('the audit trail is not chained in time');
    await wait(POLL_MS);
  }
}

async function hasDeliveries(root: Door): Promise<boolean> {
  return (await ask(root, 'GET', '/webhooks/deliveries?limit=1')).status === 200;
}

async function waitUntilDelivered(root: Door): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const waiting = '/webhooks/deliveries?filter=eq(status,waiting)&limit=1';
    if (getItems(await makeRequest(root, 'GET', waiting)).length === 0) return;
    if (performance.now() - begun > DONE_WITHIN_MS) throw new Error('deliveries are not made in time');
    await wait(POLL_MS);
  }
}

async function makeTokens(root: Door): Promise<Tokens> {
  const plain = { expires_in: '90d', role: 'member', name: 'a member' };
  const member = getText((await makeRequest(root, 'POST', '/tokens', plain)).token);
  const limited = await makeRequest(root, 'POST', '/tokens/attenuate', {
    token: member,
    name: 'a reader',
    attenuation: { read_only: true, max_spend_cents: 100 },
  });
  const revoked = await makeRequest(root, 'POST', '/tokens', { ...plain, name: 'revoked' });
  await makeRequest(root, 'POST', `/tokens/${getText(revoked.id)}/revoke`, {});
  return new Map([
    ['root', root.token],
    ['member', member],
    ['limited', getText(limited.token)],
    ['revoked', getText(revoked.token)],
  ]);
}
