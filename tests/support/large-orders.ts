/** Orders of thousands of sequences, from their creation to their results, as a client of a sandbox sends them. */
import { setTimeout as wait } from 'node:timers/promises';
import { createRandomSource } from '#sandbox/models/random.ts';
import { getText, type TestService } from './service.ts';

type Ask = TestService['ask'];

/** The order that needs the fewest wells: one replicate, and of affinity two concentrations. */
const ASSAYS = {
  affinity: { method: 'bli', antigen_concentrations: [100, 25] },
  screening: { method: 'bli' },
  thermostability: {},
  expression: {},
  fluorescence: {},
} as const;

export type LargeAssay = keyof typeof ASSAYS;
export const LARGE_ASSAYS: readonly LargeAssay[] = [
  'affinity',
  'screening',
  'thermostability',
  'expression',
  'fluorescence',
];

const FRAMEWORK =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAA';
const RESIDUES = 'ADEFGHIKLNQRSTVWY';
const VARIABLE = 12;

function createDesigns(count: number, seed: string): Record<string, string> {
  const random = createRandomSource('large orders', seed);
  const draw = (): string => RESIDUES.charAt(Math.floor(random.drawUniform() * RESIDUES.length));
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `design-${index + 1}`,
      `${FRAMEWORK}${Array.from({ length: VARIABLE }, draw).join('')}WGQGTQVTVSS`,
    ]),
  );
}

/** Orders and pays; returns the code of the experiment. */
export async function payLargeOrder(ask: Ask, assay: LargeAssay, count: number): Promise<string> {
  const { body: targets } = await ask('GET', '/targets?selfservice_only=true&limit=1');
  const [target] = Array.isArray(targets.items) ? (targets.items as { id: string }[]) : [];
  const binds = assay === 'affinity' || assay === 'screening';
  const spec = {
    experiment_type: assay,
    n_replicates: 1,
    ...ASSAYS[assay],
    ...(binds ? { target_id: target?.id } : {}),
    sequences: createDesigns(count, assay),
  };
  const request = async (path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await ask('POST', path, { body: body ?? {} });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer.body;
  };
  const created = await request('/experiments', { name: `${count} × ${assay}`, experiment_spec: spec });
  const code = String(created.experiment_code);
  await request(`/experiments/${code}/submit`);
  const { invoice_id: invoice } = await request(`/experiments/${code}/quote/confirm`);
  await request(`/lab/invoices/${String(invoice)}/bank-transfer`);
  return code;
}

/** As often as a client asks that cannot wait; each answer carries every sequence of the order. */
const LOOK_EVERY_MS = 2_000;

/** Waits until the lab has released every result of the order. */
export async function waitUntilDone(ask: Ask, code: string, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await ask('GET', `/experiments/${code}`);
    // A busy service says 503 and when to ask again.
    const status = answer.status === 200 ? getText(answer.body.status) : `answered ${answer.status}`;
    if (status === 'done') return;
    if (performance.now() > deadline) throw new Error(`${code} is still ${status}`);
    await wait(LOOK_EVERY_MS);
  }
}

/** More than the last file of an archive and its directory's last entries. */
const END_BYTES = 20_000;

/** Has the data package of a released experiment made, and downloads it; returns its end, which names its last files. */
export async function fetchPackageEnd(ask: Ask, code: string): Promise<Buffer> {
  const { headers } = await ask('GET', `/experiments/${code}/data-package`);
  for (;;) {
    const answer = await fetch(headers.location ?? '', { headers: { prefer: 'respond-async, wait=5' } });
    if (answer.status !== 200 && answer.status !== 202)
      throw new Error(`the data package: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
    let end = Buffer.of();
    for await (const chunk of answer.body ?? []) end = Buffer.concat([end, chunk]).subarray(-END_BYTES);
    if (answer.status === 200) return end;
  }
}
