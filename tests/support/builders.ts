/** Experiments in every state that a test may start from, made through the public doors. */
import assert from 'node:assert/strict';
import { grantByOperator, grantStaffByOperator } from '#core/grants.ts';
import type { StaffRole } from '#core/permissions.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { insertUser, setMembership } from '#features/organizations/store.ts';
import { setStaffRoles } from '#features/people/staff/store.ts';
import { createByHandBuilders, type ByHand } from './lab-by-hand.ts';
import {
  getItems,
  getNumber,
  getText,
  type Ask,
  type Json,
  type TestAnswer,
  type TestService,
} from './service.ts';
import { createWebhookBuilders, type WebhookBuilders } from './webhook-builders.ts';

export const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';
export const UNKNOWN_ID = '01980000-0000-7000-8000-00000000ffff';

export type Asker = (method: string, path: string, options?: Ask) => Promise<TestAnswer>;

export interface Targets {
  /** 500 cents for each sequence. */
  readonly perSequence: string;
  readonly perLot: string;
  /** Not self-service: the lab quotes it by hand. */
  readonly byHand: string;
}

export interface Draft {
  readonly id: string;
  readonly code: string;
}

export interface Quoted extends Draft {
  readonly quoteId: string;
}

export interface Invoiced extends Quoted {
  readonly invoiceId: string;
}

export interface Builders extends ByHand, WebhookBuilders {
  readonly targets: Targets;
  /** The body of a creation: one sequence to be screened, unless said otherwise. */
  readonly createBody: (
    spec?: Readonly<Record<string, unknown>>,
    besides?: Readonly<Record<string, unknown>>,
  ) => ExperimentBody;
  readonly create: (body?: ExperimentBody, options?: Ask) => Promise<Draft>;
  /** Submitted, with its quote open. */
  readonly createQuoted: (body?: ExperimentBody, options?: Ask) => Promise<Quoted>;
  /** Confirmed, with its invoice open. */
  readonly createInvoiced: (body?: ExperimentBody, options?: Ask) => Promise<Invoiced>;
  /** Confirmed, and its invoice voided. */
  readonly createVoided: (body?: ExperimentBody, options?: Ask) => Promise<Invoiced>;
  /** Accepted at its creation, with its invoice still a draft. */
  readonly createAutoAccepted: (body?: ExperimentBody, options?: Ask) => Promise<Invoiced>;
  /** A request for a target of its own, which the lab has not answered. */
  readonly createTargetRequest: () => Promise<string>;
  /** The id of a token that the demo organization minted as a partner. */
  readonly mintClientToken: () => Promise<string>;
  /** The address of a person who has an account and no organization. */
  readonly createAccount: () => Promise<string>;
  /** The id of a new person of the staff. */
  readonly createStaff: (roles: readonly StaffRole[]) => Promise<string>;
  /** The id of a job that the worker has given up. */
  readonly createFailedJob: () => Promise<string>;
  /** The draft of a price list that takes effect long after the test. */
  readonly createPriceList: () => Promise<string>;
  /** The id of a new member of the demo organization. */
  readonly createMember: () => Promise<string>;
  /** The id of an invitation that may be sent again. */
  readonly createInvitation: () => Promise<string>;
  /** Paid by bank transfer, and the payment taken in. */
  readonly pay: (invoiced: Invoiced) => Promise<void>;
  /** Of as many replicates as the body names, or as the service gives an order that names none. */
  readonly createPaidAsOrdered: (body?: ExperimentBody) => Promise<Invoiced>;
  /** Of one replicate, unless the body names their number. */
  readonly createPaid: (body?: ExperimentBody) => Promise<Invoiced>;
  /** Submitted, with a target that has no price: the lab quotes it by hand. */
  readonly createUnpriced: (options?: Ask) => Promise<Draft>;
  /** A quote by hand that the lab has not opened. */
  readonly createCustomDraft: () => Promise<Quoted>;
  readonly readOrganizationId: () => Promise<string>;
  /** The country of a rate that was just set. */
  readonly createTaxRate: () => Promise<string>;
  /** The id of a refund that its rail refused. */
  readonly createRefusedRefund: () => Promise<string>;
  /** Paid, run, analyzed and released by the simulated lab. */
  readonly createReleased: (body?: ExperimentBody) => Promise<Invoiced>;
  /** The code of a released experiment, the same each time. */
  readonly getShareable: () => Promise<string>;
  /** The id of an open link to it. */
  readonly createShare: () => Promise<string>;
}

export interface ExperimentBody extends Readonly<Record<string, unknown>> {
  readonly experiment_spec: Readonly<Record<string, unknown>>;
}

/** `count` different sequences by name, the first ones of a fixed series. */
export function createSequences(count: number): Readonly<Record<string, string>> {
  const letters = 'ACDEFGHIKLMNPQRSTVWY';
  const entries = Array.from({ length: count }, (_, index): [string, string] => [
    `design-${index + 1}`,
    VHH + letters.charAt(index % 20) + letters.charAt(Math.floor(index / 20) % 20),
  ]);
  return Object.fromEntries(entries);
}

export function expectStatus(answer: TestAnswer, status: number): TestAnswer {
  assert.equal(answer.status, status, answer.text);
  return answer;
}

export function expectFailure(answer: TestAnswer, status: number, code: string): TestAnswer {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.code, code, answer.text);
  return answer;
}

/** The paths of the problems of an answer, sorted. */
export function listProblemPaths(answer: TestAnswer): string[] {
  return getItems(answer.body.problems)
    .map((problem) => getText(problem.path))
    .sort();
}

function createScreeningBody(targetId: string, spec = {}, besides = {}): ExperimentBody {
  return {
    name: 'binders',
    experiment_spec: {
      experiment_type: 'screening',
      method: 'bli',
      target_id: targetId,
      sequences: createSequences(1),
      ...spec,
    },
    ...besides,
  };
}

/** Each list takes effect on a day of its own. */
let priceLists = 0;

export async function createBuilders({ ask, runLab, service }: BuilderParts): Promise<Builders> {
  const targets = await findTargets(ask);

  const createBody: Builders['createBody'] = (spec, besides) =>
    createScreeningBody(targets.perSequence, spec, besides);

  async function create(body: ExperimentBody = createBody(), options: Ask = {}): Promise<Draft> {
    const created = expectStatus(await ask('POST', '/experiments', { ...options, body }), 201);
    return { id: getText(created.body.experiment_id), code: getText(created.body.experiment_code) };
  }

  async function createQuoted(body?: ExperimentBody, options: Ask = {}): Promise<Quoted> {
    const draft = await create(body, options);
    expectStatus(await ask('POST', `/experiments/${draft.id}/submit`, options), 200);
    const quote = expectStatus(await ask('GET', `/experiments/${draft.id}/quote`, options), 200);
    return { ...draft, quoteId: getText(quote.body.quote_id) };
  }

  async function createInvoiced(body?: ExperimentBody, options: Ask = {}): Promise<Invoiced> {
    const open = await createQuoted(body, options);
    const path = `/quotes/${open.quoteId}/confirm`;
    const confirmed = expectStatus(await ask('POST', path, { ...options, body: {} }), 200);
    return { ...open, invoiceId: getText(confirmed.body.invoice_id) };
  }

  async function createAutoAccepted(
    body: ExperimentBody = createBody(),
    options: Ask = {},
  ): Promise<Invoiced> {
    const draft = await create({ ...body, auto_accept_quote: true }, options);
    const invoice = expectStatus(await ask('GET', `/experiments/${draft.id}/invoice`, options), 200);
    const detail = expectStatus(await ask('GET', `/experiments/${draft.id}`, options), 200);
    const quoteId = getText(detail.body.provider_quote_id);
    return { ...draft, quoteId, invoiceId: getText(invoice.body.invoice_id) };
  }

  async function createVoided(orderBody?: ExperimentBody, options?: Ask): Promise<Invoiced> {
    const order = await createInvoiced(orderBody, options);
    const body = { reason: 'wrong buyer' };
    expectStatus(await ask('POST', `/lab/invoices/${order.invoiceId}/void`, { body }), 200);
    return order;
  }

  const paying = createPayingBuilders({ ask, runLab, service }, createInvoiced, createBody);
  const money = {
    ...createBillingBuilders({ ask }, create, createBody, targets),
    createQuoted,
    createInvoiced,
    createAutoAccepted,
    createVoided,
    ...paying,
    createRefusedRefund: () => refuseRefund({ ask, service }, paying.createPaid),
  };
  return {
    targets,
    createBody,
    create,
    ...money,
    createTargetRequest: () => createTargetRequest(ask),
    ...createPeopleBuilders({ ask, service }),
    createFailedJob: () => createFailedJob(service),
    ...createByHandBuilders({ ask, service }, paying),
    ...createWebhookBuilders({ ask }),
  };
}

/** A step of an experiment that does not exist, so that nothing happens when it is tried again. */
async function createFailedJob({ database, work, founder }: TestService['service']): Promise<string> {
  const now = work.clock.now();
  const [job] = await database.read.query<{ id: string }>(
    `insert into jobs (organization_id, kind, payload, attempts, next_at, created_at, failed_at, last_error)
     values ($1, 'sandbox_lab_step', $3, 8, $2, $2, $2, 'The database was busy.') returning id::text as id`,
    [founder.organizationId, now, JSON.stringify({ experiment_id: UNKNOWN_ID, status: 'in_review' })],
  );
  if (job === undefined) throw new Error('the job was not written');
  return job.id;
}

function createPayingBuilders(
  { ask, runLab, service }: BuilderParts,
  invoiced: Builders['createInvoiced'],
  body: Builders['createBody'],
): Pick<
  Builders,
  'pay' | 'createPaidAsOrdered' | 'createPaid' | 'createReleased' | 'getShareable' | 'createShare'
> {
  async function pay({ invoiceId }: Invoiced): Promise<void> {
    expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`), 201);
    while ((await service.worker.runDue()) > 0);
    assert.equal((await ask('GET', `/invoices/${invoiceId}`)).body.status, 'paid');
  }

  async function createPaidAsOrdered(body?: ExperimentBody): Promise<Invoiced> {
    const open = await invoiced(body);
    await pay(open);
    return open;
  }

  /** The simulated lab measures each replicate of a paid order: a test that needs several names their number. */
  const createPaid = ({ experiment_spec: spec, ...order }: ExperimentBody = body()): Promise<Invoiced> =>
    createPaidAsOrdered({ ...order, experiment_spec: { n_replicates: 1, ...spec } });

  async function createReleased(orderBody?: ExperimentBody): Promise<Invoiced> {
    const open = await createPaid(orderBody ?? body({ parameters: { sandbox: { force: 'binder' } } }));
    await runLab();
    assert.equal((await ask('GET', `/experiments/${open.id}`)).body.status, 'done');
    return open;
  }

  let shareable: Promise<Invoiced> | undefined;
  const getShareable = async (): Promise<string> => (await (shareable ??= createReleased())).code;

  async function createShare(): Promise<string> {
    const shared = await ask('POST', '/shares', { body: { experiment_id: await getShareable() } });
    return getText(expectStatus(shared, 201).body.id);
  }

  return { pay, createPaidAsOrdered, createPaid, createReleased, getShareable, createShare };
}

function createBillingBuilders(
  { ask }: Pick<TestService, 'ask'>,
  create: Builders['create'],
  body: Builders['createBody'],
  targets: Targets,
): Pick<Builders, 'createUnpriced' | 'createCustomDraft' | 'readOrganizationId' | 'createTaxRate'> {
  async function createUnpriced(options: Ask = {}): Promise<Draft> {
    const draft = await create(body({ target_id: targets.byHand }), options);
    expectStatus(await ask('POST', `/experiments/${draft.id}/submit`, options), 200);
    return draft;
  }

  async function createCustomDraft(): Promise<Quoted> {
    const draft = await createUnpriced();
    const lines = [{ description: 'Assay of your own', quantity: 2, unit_price_cents: 60_000 }];
    const quote = { experiment_id: draft.id, line_items: lines };
    const made = expectStatus(await ask('POST', '/lab/quotes', { body: quote }), 201);
    return { ...draft, quoteId: getText(made.body.id) };
  }

  async function readOrganizationId(): Promise<string> {
    return getText(expectStatus(await ask('GET', '/whoami'), 200).body.active_organization_id);
  }

  async function createTaxRate(): Promise<string> {
    const rate = { country: 'IT', name: 'VAT', treatment: 'taxed', rate_basis_points: 2_200 };
    return getText(expectStatus(await ask('POST', '/lab/tax-rates', { body: rate }), 200).body.country);
  }

  return { createUnpriced, createCustomDraft, readOrganizationId, createTaxRate };
}

let products = 0;

/** The least that asks for a target. Spread, it is another product each time, because each can be requested once. */
export function createProductRequest() {
  return {
    name: 'Something',
    pdb_id: '1IVO',
    get product_id() {
      return `S-${++products}`;
    },
  };
}

let targetRequests = 0;

async function createTargetRequest(ask: Asker): Promise<string> {
  const body = { name: 'A target of ours', product_id: `OWN-${++targetRequests}`, pdb_id: '1IVO' };
  const made = expectStatus(await ask('POST', '/targets/request-custom', { body }), 201);
  return getText(made.body.id);
}

/** Answers the id of a refund whose rail sends nothing back by itself. */
async function refuseRefund(
  { ask, service }: Pick<TestService, 'ask' | 'service'>,
  paid: () => Promise<Invoiced>,
): Promise<string> {
  const { invoiceId } = await paid();
  const body = { reason: 'goodwill' };
  const refund = expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/refunds`, { body }), 201);
  const id = getText(refund.body.id);
  await service.database.read.query(`update refunds set rail = 'by hand' where id = $1`, [id]);
  await service.worker.runDue();
  return id;
}

type BuilderParts = Pick<TestService, 'ask' | 'runLab' | 'service'>;

async function findTargets(ask: Asker): Promise<Targets> {
  const listed = expectStatus(await ask('GET', '/targets?limit=100'), 200);
  const items = getItems(listed.body.items);
  const withPricing = (kind: string | null): string => {
    const found = items.find((item) => getPricingKind(item) === kind);
    if (found === undefined) throw new Error(`the catalog has no target with the pricing ${kind}`);
    return getText(found.id);
  };
  return {
    perSequence: withPricing('per_sequence 500'),
    perLot: withPricing('per_broken_lot'),
    byHand: withPricing(null),
  };
}

function getPricingKind({ pricing }: Json): string | null {
  if (!pricing) return null;
  const kind = getText(pricing.type);
  return kind === 'per_sequence' ? `${kind} ${getNumber(pricing.price_per_sequence_cents)}` : kind;
}

/** Asks until an answer is as awaited; the limit is on real time, because something real is awaited. */
export async function askUntil(
  question: () => Promise<TestAnswer>,
  isAwaited: (answer: TestAnswer) => boolean,
): Promise<TestAnswer> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const answer = await question();
    if (isAwaited(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`still ${answer.status} ${answer.text}`);
  }
}

let newcomers = 0;

function createPeopleBuilders({ ask, service }: Pick<BuilderParts, 'ask' | 'service'>) {
  const createAccount = async () => {
    const id = service.work.ids.createUuid();
    const at = service.work.clock.now();
    const email = `newcomer-${++newcomers}@example.org`;
    await insertUser(service.database.read, { id, email, name: null, created_at: at });
    return { id, at, email };
  };

  return {
    mintClientToken: async (): Promise<string> => {
      const body = {
        org: { type: 'new_org', name: 'A client' },
        user: { email: `client-of-partner-${++newcomers}@example.org` },
      };
      return getText(expectStatus(await ask('POST', '/partners/mint-token', { body }), 201).body.token_id);
    },
    createAccount: async () => (await createAccount()).email,
    createStaff: async (roles: readonly StaffRole[]) => {
      const { id, at } = await createAccount();
      await setStaffRoles(service.database.read, grantStaffByOperator(roles), { userId: id, at });
      return id;
    },
    createPriceList: async (): Promise<string> => {
      const price = { experiment_type: 'expression', unit_price_cents: 1, replicate_price_cents: 1 };
      const body = { effective_from: new Date(Date.UTC(2999, 0, ++priceLists)), prices: [price] };
      return getText(expectStatus(await ask('POST', '/lab/price-lists', { body }), 201).body.id);
    },
    createMember: async (): Promise<string> => {
      const { id, at } = await createAccount();
      const scope = createOrganizationScope(service.founder.organizationId);
      const grant = grantByOperator({ ...service.founder, role: 'member' });
      await setMembership(scope, service.database.read, grant, { user_id: id, at });
      return id;
    },
    createInvitation: async (): Promise<string> => {
      const body = { email: `newcomer-${++newcomers}@example.org`, role: 'viewer' };
      const { body: made } = expectStatus(await ask('POST', '/organization/invitations', { body }), 201);
      await service.database.read.query(
        `update invitations set sent_at = sent_at - interval '2 minutes' where id = $1`,
        [getText(made.id)],
      );
      return getText(made.id);
    },
  };
}
