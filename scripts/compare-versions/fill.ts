/** Fills a sandbox through its API with one of everything that a later version has to open. */
import { setTimeout as wait } from 'node:timers/promises';
import { TARGETLESS } from '#cli/assays/registry.ts';
import { ask, itemsOf, textOf, type Door, type Json } from './ask.ts';

const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';
const POLL_MS = 500;
const DONE_WITHIN_MS = 300_000;

/** The tokens made before, by what they are. */
export type Tokens = ReadonlyMap<string, string>;

export async function fillSandbox(root: Door): Promise<Tokens> {
  const post = (path: string, body: object): Promise<Json> => made(root, 'POST', path, body);
  const target = textOf(itemsOf(await made(root, 'GET', '/targets?limit=1&selfservice_only=true'))[0]?.id);
  const binding = { experiment_type: 'affinity', method: 'bli', target_id: target };
  const sequences = { one: VHH, two: `${VHH}A`, control: { aa_string: `${VHH}C`, control: true } };
  const order = (name: string, spec: object = binding): Promise<Json> =>
    post('/experiments', {
      name,
      description: `of ${name}`,
      webhook_url: 'https://hooks.example.org/in',
      webhook_secret: 's'.repeat(40),
      experiment_spec: { n_replicates: 2, parameters: { buffer: { ph: 7.4 } }, sequences, ...spec },
    });
  const draft = await order('a draft');
  await made(root, 'PATCH', `/experiments/${textOf(draft.experiment_id)}`, { n_replicates: 3 });
  const canceled = await order('canceled');
  await post(`/experiments/${textOf(canceled.experiment_id)}/cancel`, { reason: 'twice' });
  await quote(root, await order('quoted'));
  const rejected = await quote(root, await order('rejected'));
  await post(`/quotes/${rejected}/reject`, { reason: 'price', feedback: 'dear' });
  await post(`/quotes/${await quote(root, await order('accepted'))}/confirm`, {
    purchase_order_number: 'PO-1',
  });
  const running = [await pay(root, await order('paid'))];
  for (const experiment_type of TARGETLESS)
    running.push(await pay(root, await order(experiment_type, { experiment_type })));
  await post('/targets/request-custom', { name: 'ours', sequence: VHH, product_id: 'P-1' });
  await post('/feedback/submit', {
    feedback_type: 'bug_report',
    request_uuid: textOf(draft.experiment_id),
    title: 'a word',
  });
  await made(root, 'PATCH', '/billing/profile', { legal_name: 'Before GmbH', country: 'DE' });
  await post('/organization/invitations', { email: 'guest@example.org', role: 'viewer' });
  await post('/lab/tax-rates', { country: 'FR', name: 'TVA', treatment: 'taxed', rate_basis_points: 2_000 });
  for (const id of running) await untilDone(root, id);
  const tokens = await makeTokens(root);
  await untilChained(root);
  return tokens;
}

async function made(door: Door, method: string, path: string, body?: object): Promise<Json> {
  const answer = await ask(door, method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path} → ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer.json;
}

async function quote(root: Door, { experiment_id: id }: Json): Promise<string> {
  await made(root, 'POST', `/experiments/${textOf(id)}/submit`, {});
  const found = await made(root, 'GET', `/experiments/${textOf(id)}/quote`);
  return textOf(found.quote_id);
}

/** Paid on the page of the built-in processor; answers the experiment. */
async function pay(root: Door, order: Json): Promise<string> {
  const accepted = await made(root, 'POST', `/quotes/${await quote(root, order)}/confirm`, {});
  const page = textOf(accepted.hosted_invoice_url);
  const paid = await fetch(`${page}/test-payment`, { method: 'POST', redirect: 'manual' });
  if (paid.status >= 400) throw new Error(`the test payment answered ${paid.status}`);
  return textOf(order.experiment_id);
}

async function untilDone(root: Door, id: string): Promise<void> {
  const begun = performance.now();
  while (textOf((await made(root, 'GET', `/experiments/${id}`)).status) !== 'done') {
    if (performance.now() - begun > DONE_WITHIN_MS)
      throw new Error(`the experiment ${id} is not done in time`);
    await wait(POLL_MS);
  }
}

/** The trail is chained a moment after what it tells. */
async function untilChained(root: Door): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const [newest] = itemsOf(await made(root, 'GET', '/lab/audit?limit=1'));
    if (newest !== undefined && newest.position !== null) return;
    if (performance.now() - begun > DONE_WITHIN_MS) throw new Error('the audit trail is not chained in time');
    await wait(POLL_MS);
  }
}

async function makeTokens(root: Door): Promise<Tokens> {
  const plain = { expires_in: '90d', role: 'member', name: 'a member' };
  const member = textOf((await made(root, 'POST', '/tokens', plain)).token);
  const limited = await made(root, 'POST', '/tokens/attenuate', {
    token: member,
    name: 'a reader',
    attenuation: { read_only: true, max_spend_cents: 100 },
  });
  const revoked = await made(root, 'POST', '/tokens', { ...plain, name: 'revoked' });
  await made(root, 'POST', `/tokens/${textOf(revoked.id)}/revoke`, {});
  return new Map([
    ['root', root.token],
    ['member', member],
    ['limited', textOf(limited.token)],
    ['revoked', textOf(revoked.token)],
  ]);
}
