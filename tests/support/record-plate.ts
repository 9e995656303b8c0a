/** `record-plate.ts PLANNED FILE`: what the simulated instrument records of the first plate of a planned affinity run. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { PlanRecord } from '#domain/runs/plan-schemas.ts';
import { createSharedTraces } from './shared-files.ts';

const [planned = '', file = ''] = process.argv.slice(2);
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of `plan_run`, which the guide kept
const { plan } = JSON.parse(readFileSync(planned, 'utf8')) as { readonly plan: PlanRecord };
writeFileSync(file, createSharedTraces(plan, { assay: 'affinity' }));
